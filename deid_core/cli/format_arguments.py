"""The arguments of commands that read marked letters: --format, --scheme, --layer and --feature."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from deid_core.cli.choices import MARK_FORMATS
from deid_core.core.labels import Scheme

if TYPE_CHECKING:
    from deid_core.lab.corpora.marked_letters import MarkedFormat


def add_format_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    add = parser.add_argument
    add("--format", choices=MARK_FORMATS, help="of all files; else by the endings, jsonl for unknown ones")
    add(
        "--scheme",
        choices=tuple(Scheme),
        default=Scheme.OWN,
        help="label scheme of all files; own labels may be among it",
    )
    add("--layer", help="type of the annotations in CAS and WebAnno files (default: DKPro Core's NamedEntity)")
    add("--feature", help="their feature that holds the label (default: value)")


def marked_format(args: argparse.Namespace) -> MarkedFormat:
    """Return how the files are marked, as the arguments say."""
    from deid_core.lab.corpora.marked_letters import MarkedFormat

    return MarkedFormat(args.format, Scheme(args.scheme), args.layer, args.feature)
