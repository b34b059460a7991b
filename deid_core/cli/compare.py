"""The arguments of `deid compare`."""

from __future__ import annotations

import argparse
from pathlib import Path

from deid_core.cli.choices import (
    ALL_SYSTEMS,
    AS_WRITTEN,
    DEFAULT_SETS,
    LAYOUTS,
    LETTER_SETS,
    MADE_SETS,
    PIPELINES,
    SPLITS,
)
from deid_core.cli.data_argument import add_data_argument
from deid_core.cli.local_path import local_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.add_argument(
        "--pipelines", help=f"names or .yaml files, comma between them ({PIPELINES}, or --ablation's alone)"
    )
    parser.add_argument(
        "--systems",
        help="trained systems of `deid train system`, comma between them, measured after the pipelines: NAME, or "
        f"NAME=FOLDER (docs/systems.md); {ALL_SYSTEMS}: all, trained if they have no model, also on synthetic corpora",
    )
    parser.add_argument(
        "--page",
        type=local_path,
        metavar="FILE",
        help="with --systems: all of them in one table, and as a page with charts",
    )
    parser.add_argument(
        "--sets",
        help=f"evaluation sets, comma between them: {', '.join((*LETTER_SETS, *MADE_SETS))}, or a "
        f"corpus of conf/corpora.yaml (default: those of {', '.join(DEFAULT_SETS)} whose files are there)",
    )
    parser.add_argument(
        "--writers", help="only the letters of these, comma between them: the first letters of a file's name"
    )
    parser.add_argument(
        "--layouts",
        help="the letters laid out otherwise, or with names written otherwise, comma between them: "
        f"{', '.join(LAYOUTS)}; {AS_WRITTEN}: as they are",
    )
    add_data_argument(parser)
    parser.add_argument("--notes", type=int, default=100, help="synthetic notes of each set (100)")
    parser.add_argument("--seed", type=int, default=2018, help="seed of the generator (2018)")
    parser.add_argument("--split", choices=SPLITS, default="test", help="the generator's half (test)")
    parser.add_argument(
        "--with-header", action="store_true", help="count what stands before a made letter's salutation too"
    )
    parser.add_argument("--by-label", action="store_true", help="scores of each label and type as well")
    parser.add_argument("--ablation", metavar="PIPELINE", help="leave out each part of it, and say what that changes")
    parser.add_argument(
        "--retrain",
        metavar="PARTS",
        help="with --ablation: train the stacking model again without each of these, comma between them, or all; "
        "groups of rules too, as pattern.date (conf/training.yaml: ablation)",
    )
    parser.add_argument("--settings", type=Path, help="settings file; else conf/settings.yaml")
    parser.add_argument("--json", type=local_path, metavar="FILE", help="write all figures as JSON")
    parser.add_argument("--output", type=local_path, metavar="FILE", help="write a dated report to keep, Markdown")
    parser.add_argument(
        "--errors",
        type=local_path,
        metavar="FILE",
        help="write a line for each error with its context, .tsv or .html: HOLDS TEXT, mode 0600; keep it in out/; "
        "none of synthetic notes but with --split train",
    )


def run(args: argparse.Namespace) -> int:
    """Do what the arguments say; see compare_run.py, which `--help` does not load."""
    from deid_core.cli.compare_run import run

    return run(args)
