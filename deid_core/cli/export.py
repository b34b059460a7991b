"""`deid export`: the texts of a lake as JSON lines, Parquet, or the table NOTE of OMOP, with a README.md."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress

from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.local_path import local_path, place
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ExitCode, TryAgainError

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
    """Write the texts and README.md, and print the path and the number of notes."""
    lake = existing_lake(args.lake, clean_only=True)
    with spark_extra("export"):
        from deid_core.certify.earlier_releases import releases_of_others
        from deid_core.certify.readme import COUNTED, MADE_BY, Texts, readme
        from deid_core.lake.outputs.export import ExportFormat, columns_of, export_texts, texts_of
        from deid_core.lake.outputs.export_output import new_output
        from deid_core.lake.tables import delta_reader
    from deid_core.policies.settings import DEFAULT_POLICY, shifts_dates

    table, form = texts_of(lake, args.policy), ExportFormat(args.format)
    has_years = args.policy is None or not shifts_dates(args.policy)
    with new_output(args.output) as folder:
        state = delta_reader.state(table)
        file, notes = export_texts(table, form, folder, has_years=has_years)
        rows = delta_reader.read(table, ["note_id", *COUNTED, *([] if args.policy is None else MADE_BY)])
        if delta_reader.state(table) != state:
            raise TryAgainError(f"{table}: a run changed it meanwhile; start again when it has ended")
        columns = columns_of(table, form, has_years=has_years)
        others = None
        # Who may read `clean` alone, or has it alone, cannot know of releases.
        with suppress(PermissionError, FileNotFoundError):
            if any(lake.restricted.iterdir()):
                others = releases_of_others(lake, table.name, set(rows["note_id"].to_pylist()))
        policy = args.policy or DEFAULT_POLICY
        texts = Texts("De-identified German clinical letters", file.name, columns, rows, policy, others=others or ())
        (folder / "README.md").write_bytes(readme(lake, texts))
    print(f"{notes:,} notes in {args.output}/{file.name}")
    if others is None:
        print(
            "deid export: could not read restricted/releases, so it was not checked whether some of these notes were "
            "released with another policy: whoever has both can undo both (docs/policies.md). Ask who may read it "
            "before you give the export to anybody",
            file=sys.stderr,
        )
    elif others:
        print(
            f"deid export: some of these notes were released with another policy ({', '.join(others)}): whoever has "
            "both can undo both (docs/policies.md). Give the export to nobody who has any of these releases",
            file=sys.stderr,
        )
    if (lacking := len(delta_reader.read(lake.deidentified, ["note_id"])) - notes) > 0:
        print(
            f"deid export: {lacking:,} notes of the lake have no text of this policy yet: "
            f"a run with --output-policy {args.policy} makes them",
            file=sys.stderr,
        )
    return ExitCode.DONE
