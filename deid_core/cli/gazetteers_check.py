"""The arguments of `deid gazetteers check`."""

from __future__ import annotations

import argparse
from pathlib import Path

from deid_core.cli.choices import INPUT_HELP, LIST_KINDS, NAME_KINDS, NEVER
from deid_core.cli.engine_arguments import add_pipeline_arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.add_argument("list", type=Path, metavar="FILE", help="the list: UTF-8 text with an entry a line")
    parser.add_argument(
        "--as",
        choices=LIST_KINDS,
        required=True,
        metavar="USE",
        dest="kind",
        help=f"how it would be used: {NEVER} (lists.never), a label such as PER (lists.always), or as a list of names: "
        f"{', '.join(NAME_KINDS)}",
    )
    parser.add_argument("--letters", type=Path, required=True, metavar="INPUT", help=INPUT_HELP)
    parser.add_argument("--show", action="store_true", help="also print each changed word with the text around it")
    add_pipeline_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Do what the arguments say; see gazetteers_check_run.py, which `--help` does not load."""
    from deid_core.cli.gazetteers_check_run import run

    return run(args)
