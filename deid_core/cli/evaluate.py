"""The arguments of `deid evaluate`."""

from __future__ import annotations

import argparse
from pathlib import Path

from deid_core.cli.choices import RESAMPLES, ROUNDS
from deid_core.cli.format_arguments import add_format_arguments
from deid_core.cli.local_path import local_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    add = parser.add_argument
    add("--gold", type=Path, required=True, help="file or folder with the gold spans")
    add("--predicted", type=Path, required=True, help="the same notes with predicted spans, as of `deid annotate`")
    add("--against", type=Path, help="a second prediction, and whether the two differ significantly")
    add_format_arguments(parser)
    add("--without-header", action="store_true", help="leave out what stands before the salutation")
    add("--agreement", action="store_true", help="kappa, alpha and F1, all files taken for annotators")
    add(
        "--errors",
        type=local_path,
        metavar="FILE",
        help="write the errors by kind with examples, .html or .md: HOLDS TEXT OF NOTES, mode 0600; "
        "name it *.errors.html, which git ignores",
    )
    add("--resamples", type=int, default=RESAMPLES, help=f"of the bootstrap ({RESAMPLES})")
    add("--rounds", type=int, default=ROUNDS, help=f"of approximate randomisation ({ROUNDS})")
    add("--full", action="store_true", help="print all tables: per token and entity, confusion, intervals, tests")
    add("--json", action="store_true", help="print JSON instead of tables")


def run(args: argparse.Namespace) -> int:
    """Do what the arguments say; see evaluate_run.py, which `--help` does not load."""
    from deid_core.cli.evaluate_run import run

    return run(args)
