"""The arguments of `deid run` that say where the notes come from: --input, --input-format, and columns of a table."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from deid_core.cli.local_path import place
from deid_core.core.errors import ConfigurationError
from deid_core.core.file_formats import USUAL_ENDINGS, listed

if TYPE_CHECKING:
    from deid_core.lake.inputs.table import NoteColumns

_FILES, _TABLE, _OMOP = "files", "table", "omop"
_COLUMNS = {
    "id": "the id of a note",
    "text": "the texts",
    "patient": "the patient's id",
    "year": "the note's date or year",
}


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --input, --input-format and an option for each column of a table."""
    parser.add_argument(
        "--input",
        type=place,
        metavar="PLACE",
        help=f"folder of {listed(USUAL_ENDINGS, 'and')} files; or a table: a Parquet file or folder, a Delta folder; "
        "or either on an object store, s3://BUCKET/PREFIX",
    )
    parser.add_argument(
        "--input-format",
        choices=(_FILES, _TABLE, _OMOP),
        help="default: table if a column is named, else files; omop: a table NOTE of OMOP, whose columns are known",
    )
    for name, what in _COLUMNS.items():
        parser.add_argument(f"--{name}", metavar="COLUMN", help=f"column of the input table with {what}")


def note_columns(args: argparse.Namespace) -> NoteColumns | None:
    """Return the columns of the input table; None if the input is a folder of files.

    Raises ConfigurationError with all options that are missing, or that a folder of files has no use for.
    """
    from deid_core.lake.inputs.table import OMOP_NOTE, NoteColumns

    named = {name: value for name in _COLUMNS if (value := getattr(args, name)) is not None}
    form = args.input_format or (_TABLE if named else _FILES)
    if form == _FILES:
        if named:
            raise ConfigurationError([f"--{name}: names a column, but --input-format is {_FILES}" for name in named])
        return None
    columns = (asdict(OMOP_NOTE) if form == _OMOP else {}) | named
    if missing := [name for name in ("id", "text") if name not in columns]:
        raise ConfigurationError([f"--{name}: is needed, the column with {_COLUMNS[name]}" for name in missing])
    return NoteColumns(**columns)
