"""`deid publish`: keep copies of a lake's clean tables in a folder or on an object store, as Delta tables."""

from __future__ import annotations

import argparse
import sys

from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.local_path import local_path, place
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ConfigurationError, ExitCode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    parser.add_argument(
        "--output",
        type=place,
        metavar="PLACE",
        required=True,
        help="folder of the copies, or s3://BUCKET/PREFIX; the same every night",
    )
    parser.add_argument("--policy", metavar="NAME", help="texts of clean/deidentified_NAME; else placeholders")
    parser.add_argument(
        "--with-years",
        action="store_true",
        help="although the policy shifts dates: the copies have each note's real year, which tells the shift",
    )


def run(args: argparse.Namespace) -> int:
    """Bring the copies up to date and print a line for each."""
    lake = existing_lake(args.lake, clean_only=True)
    with spark_extra("publish"):
        from deid_core.lake.outputs.export import texts_of
        from deid_core.lake.outputs.publish import publish
        from deid_core.lake.tables import delta_reader
    from deid_core.policies.settings import shifts_dates

    texts = texts_of(lake, args.policy)
    if args.policy and shifts_dates(args.policy) and not args.with_years:
        # The copies are the lake's files, byte for byte, in folders of years.
        raise ConfigurationError(
            f"--policy {args.policy}: shifts dates, and the copies have each note's real year, which tells the shift. "
            "`deid export` and `deid release` leave it out; --with-years publishes it all the same"
        )
    rows = {}
    for done in publish(lake, texts, args.output):
        version, added, removed = done.change
        what = f"{added:,} files added, {removed:,} removed" if added or removed else "unchanged"
        print(f"{done.place}: version {version}, {done.rows:,} rows; {what}", flush=True)
        rows[done.table.name] = done.rows
    if (lacking := delta_reader.open_log(lake.deidentified).count() - rows[texts.name]) > 0:
        print(
            f"deid publish: {lacking:,} notes of the lake have no text of this policy yet: "
            f"a run with --output-policy {args.policy} makes them",
            file=sys.stderr,
        )
    return ExitCode.DONE
