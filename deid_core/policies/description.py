"""What a policy does with every type, in words: for `deid policies show` and the README of a release."""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.core.labels import TYPES
from deid_core.policies.settings import OperatorSettings, PolicySettings, SurrogateSettings

OPERATOR_COLUMNS = ("type", "label", "operator", "what stands in its place")


def setting_lines(policy: PolicySettings) -> Iterator[str]:
    """Yield whether the policy needs a key, and the settings that hold for all of its operators."""
    yield f"key: {'needed' if policy.needs_key else 'none'}"
    if policy.needs_key:
        yield f"consistency: {policy.consistency}"
    if policy.has(SurrogateSettings):
        yield f"repeat_surrogate: {policy.repeat_surrogate}"
    if policy.shifts_dates:
        weekday = "kept" if policy.shift.keep_weekday else "not kept"
        yield f"shift: {policy.shift.min_days} to {policy.shift.max_days} days, the weekday is {weekday}"


def operator_rows(policy: PolicySettings) -> Iterator[tuple[str, str, str, str]]:
    """Yield OPERATOR_COLUMNS of each type."""
    for phi, entry in TYPES.items():
        operator = policy.operator(phi)
        yield str(phi), str(entry.label), f"{operator.operator}{_settings(operator)}", operator.meaning


def _settings(operator: OperatorSettings) -> str:
    """Return the operator's settings in brackets, "" if it has none."""
    told = ", ".join(f"{key}: {value}" for key, value in operator.model_dump(exclude={"operator"}).items())
    return f" ({told})" if told else ""
