"""`deid policies`: list the policies, or show what one does with every type."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from deid_core.core.data_folders import DEFAULT_POLICY, policy_names
from deid_core.core.errors import ExitCode

if TYPE_CHECKING:
    from deid_core.policies.settings import PolicySettings


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
    from deid_core.policies.description import OPERATOR_COLUMNS, operator_rows, setting_lines

    yield f"{policy.name}: {policy.description}"
    yield from setting_lines(policy)
    yield ""
    yield from map("\t".join, (OPERATOR_COLUMNS, *operator_rows(policy)))
    yield "\nLegal basis"
    yield from (f"- {line}" for line in policy.basis)
    yield "\nAssumptions, which the program does not check"
    yield from (f"- {line}" for line in policy.assumptions)
