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
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deid_core.core.errors import ConfigurationError, DamageFoundError, TryAgainError, no_such_lake
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.columns import text_columns

_INT, _TEXT = pa.int64(), pa.string()
_COLUMNS = ["note_id", "year", "note_date", "patient_key", "patient_source", "text"]
_DIGITS = 15
"""Hexadecimal digits of an id that its number keeps: of a million notes, two share one in 1 of 2 million exports."""
_UNKNOWN = 0
"""OMOP's concept "no matching concept"."""
_NO_YEAR = 1970
"""Of note_date, which OMOP needs, if nothing tells it."""


def _column(name: str, kind: pa.DataType, comment: str, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable, {"comment": comment})


def _later(name: str, kind: pa.DataType = _INT) -> pa.Field:
    return _column(name, kind, "Null: not known here.", nullable=True)


def _concept(name: str) -> pa.Field:
    return _column(name, _INT, "0, no matching concept: for whoever loads the table.")


OMOP_NOTE_SCHEMA = pa.schema(
    [
        _column("note_id", _INT, f"The first {_DIGITS} hexadecimal digits of note_source_value as a number."),
        _column(
            "person_id",
            _INT,
            f"The first {_DIGITS} hexadecimal digits of the patient_key of other exports as a number.",
        ),
        _column(
            "note_date",
            pa.date32(),
            "The date of the note as the policy leaves it. Where note_datetime is null nothing tells it: then 1 "
            f"January of the note's year, or of {_NO_YEAR} where the policy moves dates.",
        ),
        _column(
            "note_datetime", pa.timestamp("us"), "note_date at 00:00; null where nothing tells the date.", nullable=True
        ),
        _concept("note_type_concept_id"),
        _concept("note_class_concept_id"),
        _later("note_title", _TEXT),
        _column("note_text", _TEXT, "The note after the policy."),
        _concept("encoding_concept_id"),
        _concept("language_concept_id"),
        _later("provider_id"),
        _later("visit_occurrence_id"),
        _later("visit_detail_id"),
        _column("note_source_value", _TEXT, "The note_id of other exports and of releases."),
        _later("note_event_id"),
        _later("note_event_field_concept_id"),
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


def columns_of(table: Path, form: ExportFormat, *, has_years: bool = True) -> pa.Schema:
    """Return the columns of an export, with comments. has_years: whether each note's year goes with it."""
    if form is ExportFormat.OMOP:
        return OMOP_NOTE_SCHEMA
    columns = [text_columns(table.name).field(name) for name in _stored(has_years)]
    if form is ExportFormat.JSONL:
        columns[0] = columns[0].with_name("id")
    return pa.schema(columns)


def _stored(has_years: bool) -> list[str]:
    """Return the columns of the table that are exported."""
    return [column for column in _COLUMNS if has_years or column != "year"]


def export_texts(table: Path, form: ExportFormat, folder: Path, *, has_years: bool = True) -> tuple[Path, int]:
    """Write the texts of a table into one file of a folder. Return the file and the number of notes.

    has_years: whether each note's year goes with it.

    Raises ConfigurationError if it is of an older version, TryAgainError if a run replaced the table meanwhile,
    DamageFoundError if it is damaged, OSError.
    """
    name, write = _WRITERS[form]
    version = delta_reader.version(table)
    stored = _stored(has_years)
    if lacking := delta_reader.lacking(table, stored):
        raise ConfigurationError(lacking)
    columns = columns_of(table, form, has_years=has_years)
    try:
        with delta_reader.damage_named(table):
            return folder / name, write(delta_reader.stream(table, stored), columns, folder / name)
    except DamageFoundError:
        if delta_reader.version(table) != version:
            raise TryAgainError(f"{table}: a run replaced texts meanwhile; start again when it has ended") from None
        raise


def _write_json_lines(texts: pa.RecordBatchReader, columns: pa.Schema, file: Path) -> int:
    notes = 0
    with file.open("w", encoding="utf-8") as lines:
        for batch in texts:
            for row in batch.rename_columns(columns.names).to_pylist():
                lines.write(json.dumps(row, ensure_ascii=False, default=date.isoformat) + "\n")
            notes += len(batch)
    return notes


def _write_parquet(texts: pa.RecordBatchReader, columns: pa.Schema, file: Path) -> int:
    return _write_batches((batch.cast(columns) for batch in texts), columns, file)


def _write_omop(texts: pa.RecordBatchReader, columns: pa.Schema, file: Path) -> int:
    return _write_batches(map(_omop, texts), columns, file)


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
        "note_datetime": pc.cast(texts["note_date"], pa.timestamp("us")),
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


_WRITERS: dict[ExportFormat, tuple[str, Callable[[pa.RecordBatchReader, pa.Schema, Path], int]]] = {
    ExportFormat.JSONL: ("notes.jsonl", _write_json_lines),
    ExportFormat.OMOP: ("note.parquet", _write_omop),
    ExportFormat.PARQUET: ("notes.parquet", _write_parquet),
}
