"""`deid export`: the de-identified texts of a lake as JSON lines, Parquet, or the table NOTE of OMOP."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from deid_core.cli.local_path import local_path
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ConfigurationError, ExitCode, quoted
from deid_core.core.files import new_folder

FORMATS = ("jsonl", "omop", "parquet")
"""The same as lake.export.ExportFormat, which `--help` does not load."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="omop: the table NOTE (default: jsonl)")
    parser.add_argument("--output", type=local_path, metavar="DIR", required=True, help="a new folder")
    parser.add_argument("--policy", metavar="NAME", help="texts of clean/deidentified_NAME; else placeholders")


def run(args: argparse.Namespace) -> int:
    """Write one file and print its path and the number of notes."""
    with spark_extra("export"):
        from deid_core.lake import delta_reader
        from deid_core.lake.export import ExportFormat, export_texts, texts_of
        from deid_core.lake.layout import Lake
    lake = Lake.at(args.lake)
    table = texts_of(lake, args.policy)
    output: Path = args.output
    if output.is_dir() and any(output.iterdir()):
        raise ConfigurationError(f"--output {quoted(output)}: is not empty; name a new folder")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"--output {quoted(output)}: cannot be made: {error.strerror}") from None
    with new_folder(output) as part:
        file, notes = export_texts(table, ExportFormat(args.format), part)
    print(f"{notes:,} notes in {output / file.name}")
    if (lacking := len(delta_reader.read(lake.deidentified, ["note_id"])) - notes) > 0:
        print(
            f"deid export: {lacking:,} notes of the lake have no text of this policy yet: "
            f"a run with --output-policy {args.policy} makes them",
            file=sys.stderr,
        )
    return ExitCode.DONE
