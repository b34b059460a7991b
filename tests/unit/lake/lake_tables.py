"""Tables with three notes, as Parquet and Delta."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import write_deltalake

from deid_core.core.s3_url import S3Url
from deid_core.lake.inputs.plan import SourceStat
from deid_core.lake.inputs.table import InputTable, NoteColumns
from deid_core.lake.notes.ids import NoteIds

IDS = NoteIds(b"k")
COLUMNS = NoteColumns("id", "text", "patient", "year")
ROWS = [
    {"id": "a", "text": "Herr Weber kam.", "patient": "0047", "year": 2012},
    {"id": "b", "text": None, "patient": None, "year": None},
    {"id": "c", "text": "Frau Müller kam.\r\n", "patient": "48", "year": 2013},
]
SCHEMA = pa.schema([("id", pa.string()), ("text", pa.string()), ("patient", pa.string()), ("year", pa.int64())])


def parquet(folder: Path, rows: list[dict[str, Any]], schema: pa.Schema = SCHEMA) -> Path:
    """Write a folder of two Parquet files."""
    (folder / "table").mkdir(exist_ok=True)
    table = pa.Table.from_pylist(rows, schema=schema)
    for number, part in enumerate((table.slice(0, 1), table.slice(1))):
        pq.write_table(part, folder / "table" / f"part-{number}.parquet")
    (folder / "table" / "_SUCCESS").touch()
    return folder / "table"


def delta(folder: Path, rows: list[dict[str, Any]], schema: pa.Schema = SCHEMA) -> Path:
    """Write a Delta table."""
    write_deltalake(str(folder / "table"), pa.Table.from_pylist(rows, schema=schema), mode="overwrite")
    return folder / "table"


def listed(place: Path | S3Url, columns: NoteColumns = COLUMNS) -> dict[str, SourceStat]:
    """Return the notes of a table by id."""
    return {stat.source: stat for stat in InputTable(place, columns).list_notes(IDS).notes}
