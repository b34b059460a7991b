"""The arguments of `deid annotate`."""

from __future__ import annotations

import argparse

from deid_core.cli.choices import INPUT_HELP, OF_FOLDERS, WRITABLE
from deid_core.cli.engine_arguments import add_pipeline_arguments
from deid_core.cli.local_path import local_path
from deid_core.core.labels import Scheme


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.add_argument("--input", type=local_path, required=True, help=INPUT_HELP)
    parser.add_argument(
        "--output", type=local_path, required=True, help=f"a file; with --format {', '.join(OF_FOLDERS)} a new folder"
    )
    parser.add_argument("--format", choices=WRITABLE, default="jsonl", help="default: JSON lines {id, text, spans}")
    parser.add_argument("--scheme", choices=tuple(Scheme), default=Scheme.OWN, help="label scheme (default: own)")
    parser.add_argument("--layer", help="type of the annotations in CAS and WebAnno files (default: NamedEntity)")
    parser.add_argument("--feature", help="their feature that holds the label (default: value)")
    add_pipeline_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Do what the arguments say; see annotate_run.py, which `--help` does not load."""
    from deid_core.cli.annotate_run import run

    return run(args)
