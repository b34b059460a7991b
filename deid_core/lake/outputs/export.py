"""Write the texts of a lake as one file that other programs load: JSON lines, Parquet, or the table NOTE of OMOP.

The table is read as a stream, so memory does not grow with it. A note's id and patient are those of the lake. Beside
shifted dates the year is left out, since it would tell the shift.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date
from enum import StrEnum
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.core.errors import ConfigurationError, DamageFoundError, TryAgainError, no_such_lake
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader

_COLUMNS = ["note_id", "year", "note_date", "patient_key", "patient_source", "text"]
_INT, _TEXT = pa.int64(), pa.string()
_DIGITS = 15
"""Hexadecimal digits of an id that its number keeps: of a million notes, two share one in 1 of 2 million exports."""
_UNKNOWN = 0
"""OMOP's concept "no matching concept"."""
_NO_YEAR = 1970
"""Of note_date, which OMOP needs, if nothing tells it."""

OMOP_NOTE_SCHEMA = pa.schema(
    [
        pa.field("note_id", _INT, nullable=False),
        pa.field("person_id", _INT, nullable=False),
        pa.field("note_date", pa.date32(), nullable=False),
        pa.field("note_datetime", pa.timestamp("us")),
        pa.field("note_type_concept_id", _INT, nullable=False),
        pa.field("note_class_concept_id", _INT, nullable=False),
        pa.field("note_title", _TEXT),
        pa.field("note_text", _TEXT, nullable=False),
        pa.field("encoding_concept_id", _INT, nullable=False),
        pa.field("language_concept_id", _INT, nullable=False),
        pa.field("provider_id", _INT),
        pa.field("visit_occurrence_id", _INT),
        pa.field("visit_detail_id", _INT),
        pa.field("note_source_value", _TEXT),
        pa.field("note_event_id", _INT),
        pa.field("note_event_field_concept_id", _INT),
    ]
)
"""The table NOTE of the OMOP Common Data Model 5.4, with 64-bit ids."""


class ExportFormat(StrEnum):
    """What `export_texts` writes."""

    JSONL = "jsonl"
    OMOP = "omop"
    PARQUET = "parquet"


def texts_of(lake: Lake, policy: str | None) -> Path:
    """Return the table with the texts of a policy; None: with the pipeline's placeholders.

    Raises ConfigurationError if the lake does not have them.
    """
    if not delta_reader.exists(lake.deidentified):
        raise ConfigurationError(no_such_lake(lake.root))
    if policy is None:
        return lake.deidentified
    if delta_reader.exists(table := lake.output(policy)):
        return table
    there = ", ".join(lake.outputs()) or "none"
    raise ConfigurationError(
        f"--policy {policy}: the lake has no texts of this policy (it has: {there}); "
        f"a run with --output-policy {policy} makes them"
    )


def export_texts(table: Path, form: ExportFormat, folder: Path, *, has_years: bool = True) -> tuple[Path, int]:
    """Write the texts of a table into one file of a folder. Return the file and the number of notes.

    has_years: whether each note's year goes with it.

    Raises ConfigurationError if it is of an older version, TryAgainError if a run replaced the table meanwhile,
    DamageFoundError if it is damaged, OSError.
    """
    name, write = _WRITERS[form]
    version = delta_reader.version(table)
    columns = [column for column in _COLUMNS if has_years or column != "year"]
    if lacking := delta_reader.lacking(table, columns):
        raise ConfigurationError(lacking)
    try:
        with delta_reader.damage_named(table):
            return folder / name, write(delta_reader.stream(table, columns), folder / name)
    except DamageFoundError:
        if delta_reader.version(table) != version:
            raise TryAgainError(f"{table}: a run replaced texts meanwhile; start again when it has ended") from None
        raise


def _write_json_lines(texts: pa.RecordBatchReader, file: Path) -> int:
    notes = 0
    with file.open("w", encoding="utf-8") as lines:
        for batch in texts:
            for row in batch.to_pylist():
                lines.write(
                    json.dumps({"id": row.pop("note_id")} | row, ensure_ascii=False, default=date.isoformat) + "\n"
                )
            notes += len(batch)
    return notes


def _write_parquet(texts: pa.RecordBatchReader, file: Path) -> int:
    return _write_batches(texts, texts.schema, file)


def _write_omop(texts: pa.RecordBatchReader, file: Path) -> int:
    return _write_batches(map(_omop, texts), OMOP_NOTE_SCHEMA, file)


def _write_batches(batches: Iterator[pa.RecordBatch], schema: pa.Schema, file: Path) -> int:
    notes = 0
    with pq.ParquetWriter(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
            notes += len(batch)
    return notes


def _omop(texts: pa.RecordBatch) -> pa.RecordBatch:
    """Return the rows of NOTE. Concepts, and what the lake does not know, are for whoever loads it to fill in."""
    years = texts["year"].to_pylist() if "year" in texts.schema.names else [_NO_YEAR] * len(texts)
    columns = {
        "note_id": [_number(note_id) for note_id in texts["note_id"].to_pylist()],
        "person_id": [_number(patient) for patient in texts["patient_key"].to_pylist()],
        "note_date": [day or date(year, 1, 1) for day, year in zip(texts["note_date"].to_pylist(), years, strict=True)],
        "note_text": texts["text"],
        "note_source_value": texts["note_id"],
    }
    known = [field.name for field in OMOP_NOTE_SCHEMA if not field.nullable]
    columns |= {name: [_UNKNOWN] * len(texts) for name in known if name not in columns}
    nothing = [None] * len(texts)
    arrays = [pa.array(columns.get(field.name, nothing), field.type) for field in OMOP_NOTE_SCHEMA]
    return pa.RecordBatch.from_arrays(arrays, schema=OMOP_NOTE_SCHEMA)


def _number(identifier: str) -> int:
    return int(identifier[:_DIGITS], 16)


_WRITERS: dict[ExportFormat, tuple[str, Callable[[pa.RecordBatchReader, Path], int]]] = {
    ExportFormat.JSONL: ("notes.jsonl", _write_json_lines),
    ExportFormat.OMOP: ("note.parquet", _write_omop),
    ExportFormat.PARQUET: ("notes.parquet", _write_parquet),
}
