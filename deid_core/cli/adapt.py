"""The arguments of `deid adapt`."""

from __future__ import annotations

import argparse
from pathlib import Path

from deid_core.cli.choices import FEWEST_LETTERS
from deid_core.cli.format_arguments import add_format_arguments
from deid_core.cli.local_path import local_path
from deid_core.core.data_folders import pipeline_names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--letters",
        type=Path,
        required=True,
        metavar="MARKED",
        help=f"folder or file with marked letters, at least {FEWEST_LETTERS}; 50 to 200 are better",
    )
    parser.add_argument(
        "--output",
        type=local_path,
        metavar="DIR",
        help="new folder for models and pipeline; else only tables are printed",
    )
    parser.add_argument("--pipeline", help=f"one of {', '.join(pipeline_names())}, or a .yaml file; else the settings'")
    parser.add_argument("--settings", type=Path, help="settings file; else conf/settings.yaml")
    add_format_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Do what the arguments say; see adapt_run.py, which `--help` does not load."""
    from deid_core.cli.adapt_run import run

    return run(args)
