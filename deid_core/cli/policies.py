"""`deid policies`: list the policies, or show what one does with every type."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from deid_core.core.data_folders import DEFAULT_POLICY, policy_names
from deid_core.core.errors import ExitCode
from deid_core.core.labels import TYPES

if TYPE_CHECKING:
    from deid_core.policies.settings import OperatorSettings, PolicySettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `list` and `show [NAME]`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="print the policies' names and descriptions")
    show = actions.add_parser("show", help="print what a policy does with every type, its legal basis and assumptions")
    show.add_argument("name", nargs="?", default=DEFAULT_POLICY, metavar="NAME", help="a name, or a .yaml file")


def run(args: argparse.Namespace) -> int:
    """Print the policies, or one of them."""
    from deid_core.policies.settings import load_policy

    if args.action == "list":
        for name in policy_names():
            print(f"{name}\t{load_policy(name).description}")
    else:
        print("\n".join(_lines(load_policy(args.name))))
    return ExitCode.DONE


def _lines(policy: PolicySettings) -> Iterator[str]:
    from deid_core.policies.settings import SurrogateSettings

    yield f"{policy.name}: {policy.description}"
    yield f"key: {'needed' if policy.needs_key else 'none'}"
    if policy.needs_key:
        yield f"consistency: {policy.consistency}"
    if policy.has(SurrogateSettings):
        yield f"repeat_surrogate: {policy.repeat_surrogate}"
    if policy.shifts_dates:
        weekday = "kept" if policy.shift.keep_weekday else "not kept"
        yield f"shift: {policy.shift.min_days} to {policy.shift.max_days} days, the weekday is {weekday}"
    yield "\ntype\tlabel\toperator\twhat stands in its place"
    for phi, entry in TYPES.items():
        operator = policy.operator(phi)
        yield f"{phi}\t{entry.label}\t{operator.operator}{_settings(operator)}\t{operator.meaning}"
    yield "\nLegal basis"
    yield from (f"- {line}" for line in policy.basis)
    yield "\nAssumptions, which the program does not check"
    yield from (f"- {line}" for line in policy.assumptions)


def _settings(operator: OperatorSettings) -> str:
    """Return the operator's settings in brackets, "" if it has none."""
    told = ", ".join(f"{key}: {value}" for key, value in operator.model_dump(exclude={"operator"}).items())
    return f" ({told})" if told else ""
