"""`deid export`: the de-identified texts of a lake as JSON lines, Parquet, or the table NOTE of OMOP."""

from __future__ import annotations

import argparse
import sys

from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.local_path import local_path, place
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ExitCode

FORMATS = ("jsonl", "omop", "parquet")
"""The same as lake.outputs.export.ExportFormat, which `--help` does not load."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="omop: the table NOTE (default: jsonl)")
    parser.add_argument(
        "--output", type=place, metavar="PLACE", required=True, help="a new folder, or s3://BUCKET/PREFIX"
    )
    parser.add_argument("--policy", metavar="NAME", help="texts of clean/deidentified_NAME; else placeholders")


def run(args: argparse.Namespace) -> int:
    """Write one file and print its path and the number of notes."""
    lake = existing_lake(args.lake, clean_only=True)
    with spark_extra("export"):
        from deid_core.lake.outputs.export import ExportFormat, export_texts, texts_of
        from deid_core.lake.outputs.export_output import new_output
        from deid_core.lake.tables import delta_reader
    from deid_core.policies.settings import shifts_dates

    table = texts_of(lake, args.policy)
    has_years = args.policy is None or not shifts_dates(args.policy)
    with new_output(args.output) as folder:
        file, notes = export_texts(table, ExportFormat(args.format), folder, has_years=has_years)
    print(f"{notes:,} notes in {args.output}/{file.name}")
    if (lacking := len(delta_reader.read(lake.deidentified, ["note_id"])) - notes) > 0:
        print(
            f"deid export: {lacking:,} notes of the lake have no text of this policy yet: "
            f"a run with --output-policy {args.policy} makes them",
            file=sys.stderr,
        )
    return ExitCode.DONE
