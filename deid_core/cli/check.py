"""`deid check`: whether all files of a lake are whole, and whether ledger and tables agree."""

from __future__ import annotations

import argparse

from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.local_path import local_path
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ExitCode, quoted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    parser.add_argument("--mend", action="store_true", help="remove what the next run makes again")


def run(args: argparse.Namespace) -> int:
    """Print what is wrong. Exit code 0 if nothing is, 75 if the next run mends it, 64 if a person has to act.

    A lake of an older version is one that the next run mends; one of another version is not.

    A file that is not of the lake is a warning and changes no exit code.
    """
    lake = existing_lake(args.lake)
    with spark_extra("check"):
        from deid_core.lake.checks import integrity, lake_entries
        from deid_core.lake.inspection.ledger_check import disagreements
        from deid_core.lake.lock import locked
        from deid_core.lake.storage_errors import storage_errors_translated
        from deid_core.lake.tables.lake_table import Tables
    lake_entries.check_account(lake, writing=args.mend)
    with storage_errors_translated(lake.root), locked(lake):
        found = integrity.damages(lake)
        for path in lake_entries.strays(lake):
            # With marks and escapes: a name may hold a line break.
            print(f"warning: {path!r} is not of the lake: no run reads, checks or removes it")
        for damage in found:
            print(f"damaged: {damage}")
        if args.mend:
            integrity.mend(lake, found)
        # Tables that cannot be read cannot be compared, and those of an older version have other columns.
        tables = Tables(lake)
        upgrade = [] if found else tables.upgrade()
        is_older = not found and tables.are_of_older_version
        if not found:
            tables.check(upgrading=is_older)
        disagreeing = [] if found or is_older else disagreements(lake)
    for line in upgrade:
        print(f"upgrade: {line}")
    for disagreement in disagreeing:
        print(f"disagreement: {disagreement}")
    if upgrade and not disagreeing:
        print("the next `deid run` on this lake does this")
        return ExitCode.RETRY
    if not found and not disagreeing:
        print("all files are as they were written, and ledger and tables agree")
        return ExitCode.DONE
    if not all(damage.made_again for damage in found) or not all(item.by_run for item in disagreeing):
        print("do what is said above, then run again")
        return ExitCode.USAGE
    mend = "" if args.mend or not found else f"`deid check --mend --lake {quoted(args.lake)}`, then "
    print(f"{mend}the next `deid run` on this lake mends this")
    return ExitCode.RETRY
