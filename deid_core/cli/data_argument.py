"""What commands that read annotated corpora share: --data, the folder that conf/corpora.yaml's files lie in."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

DATA_VARIABLE = "DEID_CORPORA_DIR"


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """Declares --data."""
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help=f"folder that conf/corpora.yaml's files lie in (else {DATA_VARIABLE})"
    )


def data_folder(args: argparse.Namespace) -> Path | None:
    """The folder that was asked for, else the environment's, else None."""
    named: Path | None = args.data
    if named is None and os.environ.get(DATA_VARIABLE):
        named = Path(os.environ[DATA_VARIABLE])
    return named
