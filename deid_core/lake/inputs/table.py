"""A Parquet or Delta table as source: each row is a note.

The driver reads the table: once to list it, since only its content tells which rows changed, and once more for those
that are to be read. So executors need not see the table, and they get a few rows at a time however large its row groups
are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import MAXYEAR, MINYEAR
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from deid_core.core.errors import ConfigurationError, Reason, quoted
from deid_core.core.s3_url import S3Url
from deid_core.lake.inputs.content_readers import ListedRows
from deid_core.lake.inputs.plan import SourceStat, ToRead
from deid_core.lake.inputs.source import Chunk, ListedNotes
from deid_core.lake.inputs.table_files import changed, errors_named, open_table
from deid_core.lake.notes.ids import NoteIds
from deid_core.lake.tables import task_schemas
from deid_core.lake.tables.arrow_codec import record_batch

_CHUNK_BYTES = 16_000_000
"""Content after which a chunk is handed on, however few notes it has."""


@dataclass(frozen=True, slots=True)
class NoteColumns:
    """Which columns of a table hold a note's id, its text, its patient's id, and its date or year; None: no column."""

    id: str
    text: str
    patient: str | None = None
    year: str | None = None


OMOP_NOTE = NoteColumns("note_id", "note_text", "person_id", "note_date")
"""Of the table NOTE of the OMOP Common Data Model 5.4."""


class _Row(NamedTuple):
    """A row of the table. id: "" for none. content: None for null."""

    id: str
    content: bytes | None
    patient: str | None
    year: int | None

    def sha256(self) -> str:
        """Return a hash of all but the id, hexadecimal: another patient or year is a change too."""
        rest = f"\0{self.patient or ''}\0{'' if self.year is None else self.year}\0{self.content is None}"
        return hashlib.sha256((self.content or b"") + rest.encode()).hexdigest()


class InputTable:
    """The rows of a table. Rows that are equal count once; rows that differ and have one id, or none, are no note."""

    def __init__(self, path: Path | S3Url, columns: NoteColumns) -> None:
        """Open the table. Raises ConfigurationError if it is none, or is of a kind that cannot be read."""
        self.contents = ListedRows()
        self._path = path
        self._asked = columns
        self._unclear: dict[str, int] = {}
        """Number of rows by id, where the id tells no note."""
        self._table = open_table(path)

    def check(self, *, first_run: bool) -> None:
        """Raise ConfigurationError with all columns that are missing or of a wrong type, or for an empty table."""
        problems = []
        for option, name, wanted in self._named:
            kind = self._type_of(name)
            if kind is None:
                has = ", ".join(self._table.schema.names)
                problems.append(f"--{option} {name}: the table has no such column; it has {has}")
            elif not _FITS[option](kind):
                problems.append(f"--{option} {name}: is of type {kind}; it must be {wanted}, so cast it")
        if not problems and first_run:
            with errors_named(self._path, self._table.has_changed):
                if not self._table.count():
                    problems.append(f"--input {quoted(self._path)}: the table has no rows")
        if problems:
            raise ConfigurationError(problems)

    def list_notes(self, ids: NoteIds) -> ListedNotes:
        """List the rows with their hashes. Reads the whole content.

        Raises ConfigurationError if the table is damaged, TryAgainError if files of it disappear.
        """
        found: dict[str, SourceStat] = {}
        hashes: dict[str, set[str]] = {}
        rows: dict[str, int] = {}
        for row in self._rows():
            stat = SourceStat(
                ids.id_of(row.id), b"", row.id, len(row.content or b""), self._table.modified_ns, row.sha256()
            )
            if row.id in found or not row.id:
                first = found.setdefault(row.id, stat)
                hashes.setdefault(row.id, {first.sha256}).add(stat.sha256)
                rows[row.id] = rows.get(row.id, int(first is not stat)) + 1
            else:
                found[row.id] = stat
        self._unclear = {name: rows[name] for name, each in hashes.items() if len(each) > 1 or not name}
        for name in self._unclear:
            together = hashlib.sha256("".join(sorted(hashes[name])).encode()).hexdigest()
            found[name] = replace(found[name], size_bytes=0, sha256=together)
        return ListedNotes(sorted(found.values(), key=lambda stat: stat.source), {})

    def chunks(self, to_read: Sequence[ToRead], size: int) -> Iterator[Chunk]:
        """Yield the rows that are still there, in the order of the table. Raises as `list_notes` does."""
        wanted = {note.stat.source: note for note in to_read}
        chunk: list[tuple[ToRead, dict[str, Any]]] = []
        held = 0
        for note, row in self._wanted_rows(wanted):
            chunk.append((note, asdict(note.stat) | {"known_sha256": ""} | row))
            held += len(row.get("content") or b"")
            if len(chunk) == size or held >= _CHUNK_BYTES:
                yield _chunk(chunk)
                chunk, held = [], 0
        if chunk:
            yield _chunk(chunk)

    def check_available(self, unread: Sequence[bytes], allowed_share: float) -> None:
        """Do nothing: executors get the rows from the driver, so none can be out of their reach."""

    def _wanted_rows(self, wanted: dict[str, ToRead]) -> Iterator[tuple[ToRead, dict[str, Any]]]:
        """Yield what the listing holds of each wanted row. Removes it from `wanted`."""
        for name in wanted.keys() & self._unclear.keys():
            detail = f"{self._unclear[name]} rows " + ("with the same id" if name else "without an id")
            yield wanted.pop(name), {"reason": Reason.AMBIGUOUS, "detail": detail}
        text = self._type_of(self._column("text"))
        is_text = not _is_binary(text)
        for row in self._rows() if wanted else ():
            if note := wanted.pop(row.id, None):
                content = {"content": row.content, "is_text": is_text, "year": row.year, "patient": row.patient}
                yield note, content | {"sha256": row.sha256()}

    def _rows(self) -> Iterator[_Row]:
        names = {option: name for option, name, _ in self._named}
        with errors_named(self._path, self._table.has_changed):
            for batch in self._table.batches([*dict.fromkeys(names.values())]):
                columns = {option: batch.column(batch.schema.get_field_index(name)) for option, name in names.items()}
                nothing = [None] * len(batch)
                yield from map(
                    _Row,
                    [name or "" for name in _texts(columns["id"])],
                    _bytes(columns["text"]),
                    _texts(columns["patient"]) if "patient" in columns else nothing,
                    _years(columns["year"]) if "year" in columns else nothing,
                )
        if self._table.has_changed():
            raise changed(self._path)

    @cached_property
    def _named(self) -> list[tuple[str, str, str]]:
        """The options that name a column, the column, and what it must hold."""
        return [
            (field.name, self._column(field.name), _WANTED[field.name])
            for field in fields(self._asked)
            if getattr(self._asked, field.name) is not None
        ]

    def _column(self, option: str) -> str:
        """Return the table's column that an option names: if none has just this name, one that differs in case."""
        asked = str(getattr(self._asked, option))
        names = self._table.schema.names
        same = [name for name in names if name.lower() == asked.lower()]
        return same[0] if asked not in names and len(same) == 1 else asked

    def _type_of(self, name: str) -> pa.DataType | None:
        index = self._table.schema.get_field_index(name)
        kind = None if index < 0 else self._table.schema.field(index).type
        return kind.value_type if kind is not None and pt.is_dictionary(kind) else kind


def _chunk(rows: Sequence[tuple[ToRead, dict[str, Any]]]) -> Chunk:
    listing = record_batch([row for _, row in rows], task_schemas.LISTING)
    return Chunk([note for note, _ in rows], pa.Table.from_batches([listing]))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind))


def _is_binary(kind: pa.DataType | None) -> bool:
    return bool(pt.is_binary(kind) or pt.is_large_binary(kind) or pt.is_binary_view(kind))


def _is_id(kind: pa.DataType) -> bool:
    return bool(_is_text(kind) or pt.is_integer(kind) or (pt.is_decimal(kind) and kind.scale == 0))


def _is_year(kind: pa.DataType) -> bool:
    return bool(pt.is_integer(kind) or pt.is_date(kind) or pt.is_timestamp(kind))


_FITS: dict[str, Callable[[pa.DataType], bool]] = {
    "id": _is_id,
    "text": lambda kind: _is_text(kind) or _is_binary(kind),
    "patient": _is_id,
    "year": _is_year,
}
_WANTED = {
    "id": "text or a whole number",
    "text": "text, or binary with files in it",
    "patient": "text or a whole number",
    "year": "a date or a whole number",
}


def _plain(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pt.is_dictionary(column.type) else column


def _texts(column: pa.Array) -> list[str | None]:
    """Return ids in the form of `readers.sources.printable`."""
    column = _plain(column)
    if not _is_text(column.type):
        found: list[str | None] = column.cast(pa.string()).to_pylist()
        return found
    escaped = (None if value is None else value.replace(b"\\", rb"\\") for value in _bytes(column))
    return [None if value is None else value.decode("utf-8", "backslashreplace") for value in escaped]


def _bytes(column: pa.Array) -> list[bytes | None]:
    column = _plain(column)
    kind = pa.large_string() if _is_text(column.type) else pa.large_binary()
    found: list[bytes | None] = column.cast(kind).view(pa.large_binary()).to_pylist()
    return found


def _years(column: pa.Array) -> list[int | None]:
    """Return the years; None for null and for what is no year of four digits."""
    column = _plain(column)
    years = column if pt.is_integer(column.type) else pc.year(column)
    return [year if year is not None and MINYEAR <= year <= MAXYEAR else None for year in years.to_pylist()]
