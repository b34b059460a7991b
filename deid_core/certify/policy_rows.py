"""What a policy lets stand of what was found, for the dossier: whole types, or a part of each value."""

from __future__ import annotations

from typing import Any, NamedTuple, assert_never

from deid_core.core.labels import TYPES, Label, PhiType, types_with
from deid_core.policies import settings as s
from deid_core.policies.settings import AnyOperatorSettings, PolicySettings


class Left(NamedTuple):
    """What an operator lets stand. what: a key of the words `policy.left`. n: a number that these mention."""

    what: str
    n: int = 0


def policy_rows(policy: PolicySettings) -> dict[str, Any]:
    """Return name, reasons and effects of a policy.

    keeps: the types that stay as they are. keeps_all_of: the labels all of whose types do. leaves: by other labels of
    which something stays, rows with `what`, `n` and `types`, [] for all types of the label.
    """
    kept = kept_types(policy)
    return {
        "name": policy.name,
        "description": policy.description,
        "basis": list(policy.basis),
        "assumptions": list(policy.assumptions),
        "keeps": kept,
        "keeps_all_of": [str(label) for label in Label if {*types_with(label)} <= {*kept}],
        "leaves": {str(label): rows for label in Label if (rows := _left_of(policy, label))},
    }


def kept_types(policy: PolicySettings) -> list[str]:
    """Return the types that a policy leaves as they are."""
    return [str(phi) for phi in TYPES if isinstance(policy.operator(phi), s.KeepSettings)]


def _left_of(policy: PolicySettings, label: Label) -> list[dict[str, Any]]:
    types = [*types_with(label)]
    by_part: dict[Left, list[PhiType]] = {}
    for phi in types:
        for part in left_by(policy.operator(phi)):
            by_part.setdefault(part, []).append(phi)
    if list(by_part) == [Left("kept")] and by_part[Left("kept")] == types:
        return []
    return [
        {"what": part.what, "n": part.n, "types": [] if of_part == types else [*map(str, of_part)]}
        for part, of_part in by_part.items()
    ]


def left_by(operator: AnyOperatorSettings) -> list[Left]:
    """Return what an operator lets stand of a value: [] if nothing."""
    match operator:
        case s.KeepSettings():
            return [Left("kept")]
        case s.GeneraliseDateSettings():
            return [Left(operator.to)]
        case s.GeneraliseAgeSettings() if operator.band_years == 1:
            return [Left("age", operator.top)]
        case s.GeneraliseAgeSettings():
            return [Left("band", operator.band_years)]
        case s.GeneralisePostcodeSettings():
            return [Left("digits", operator.digits)]
        case s.GeneralisePlaceSettings():
            return [Left("state")]
        case s.ShiftSettings():
            return [Left("shifted"), *([Left("year_alone")] if operator.years == "keep" else [])]
        case s.SurrogateSettings():
            return [Left("invented")]
        case s.PlaceholderSettings() | s.TypedSettings() | s.NumberedSettings() | s.PseudonymSettings():
            return []
        case _:
            assert_never(operator)
