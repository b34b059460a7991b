"""One note of a lake before and after, for accounts that may read `restricted`. Needs no Spark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from deid_core.core.errors import ConfigurationError, Reason, no_such_lake
from deid_core.core.labels import Label, PhiType
from deid_core.core.remedies import REMEDIES
from deid_core.core.spans import Span
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ids import note_ids
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.task_schemas import STORED
from deid_core.readers.source_listing import printable

_NOTE_ID = re.compile(r"[0-9a-f]{32}")
_SPAN = ("start", "end", "label", "type", "recogniser", "rule", "score")


@dataclass(frozen=True, slots=True)
class BeforeAndAfter:
    """A note's raw text with the removed spans, and its redacted text with the ranges of the placeholders.

    spans: ascending, offsets into `before`. outputs: (start, end) in `after`, one for each span.
    dropped: rows of restricted/dropped, ascending, without note_id, year and run_id; offsets into `before`.
    """

    note_id: str
    year: int
    before: str
    after: str
    spans: tuple[Span, ...]
    outputs: tuple[tuple[int, int], ...]
    dropped: tuple[dict[str, Any], ...] = ()


def before_and_after(lake: Lake, name: str) -> BeforeAndAfter:
    """Return the note with this id, or at this path below the input folder, which is hashed with the lake's key.

    Raises ConfigurationError if this account may not read the lake, or the note is unknown, quarantined, deleted or not
    yet de-identified, or its raw text is lost; SecretMissingError if the key is missing.
    """
    try:
        return _before_and_after(lake, name)
    except PermissionError:
        raise ConfigurationError(
            f"{lake.restricted}: this account may not read it; raw notes are for accounts that may see PHI"
        ) from None


def _before_and_after(lake: Lake, name: str) -> BeforeAndAfter:
    if not delta_reader.exists(lake.ledger):
        raise ConfigurationError(no_such_lake(lake.root))
    note_id = name if _NOTE_ID.fullmatch(name) else note_ids(lake).id_of(printable(name))
    this_note = pc.field("note_id") == note_id
    row = delta_reader.first(lake.ledger, ["state", "reason", "batch", "year"], where=this_note)
    if row is None:
        raise ConfigurationError("the lake has no note of this id or path below the input folder")
    if row["state"] != State.CONVERTED:
        raise ConfigurationError(f"{note_id}: is {row['state']}" + _why(row["reason"]))
    same_reading = this_note & (pc.field("batch") == row["batch"])
    redacted = delta_reader.read(lake.deidentified, ["text"], where=same_reading)["text"].to_pylist()
    if not redacted:
        raise ConfigurationError(f"{note_id}: is not yet de-identified; the next run will do it")
    raw = _raw_text(lake.notes / f"year={row['year']}" / f"batch={row['batch']}", note_id)
    this_year = this_note & (pc.field("year") == row["year"])
    spans = _by_place(lake.detections, [*_SPAN], this_year)
    outputs = delta_reader.read(lake.phi_audit, ["output_start", "output_end"], where=this_year).to_pylist()
    return BeforeAndAfter(
        note_id=note_id,
        year=row["year"],
        before=raw,
        after=redacted[0],
        spans=tuple(_span(span) for span in spans),
        outputs=tuple(sorted((span["output_start"], span["output_end"]) for span in outputs)),
        dropped=tuple(_by_place(lake.dropped, [*_SPAN, "reason"], this_year)),
    )


def _why(reason: str | None) -> str:
    """Return the reason of a quarantined note and what to do about it, for the end of a message."""
    return f": {reason}; what to do: {REMEDIES[Reason(reason)]}" if reason else ""


def _by_place(table: Path, columns: list[str], where: pc.Expression) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = delta_reader.read(table, columns, where=where).to_pylist()
    return sorted(rows, key=lambda row: (row["start"], row["end"]))


def _raw_text(folder: Path, note_id: str) -> str:
    """Return the note's text from the folder of its batch.

    Raises ConfigurationError if folder or text is lost. A run reads files again whose folder is missing
    (ledger.without_lost_texts), but does not look into existing folders.
    """
    schema = pa.schema([STORED.field("note_id"), STORED.field("text")])
    this_note = pc.field("note_id") == note_id
    try:
        notes = ds.dataset(folder, schema=schema, format="parquet").to_table(filter=this_note)
    except FileNotFoundError:
        raise ConfigurationError(
            f"{note_id}: its raw text is lost: there is no {folder}; restore it, or let the next run with the stage "
            "convert read the files of its notes again"
        ) from None
    if not notes.num_rows:
        raise ConfigurationError(
            f"{note_id}: its raw text is lost: {folder} exists but does not hold it; restore the folder, or let the "
            "next run with the stage convert read the files of its notes again (if it does not, remove the folder)"
        )
    return str(notes["text"][0].as_py())


def _span(row: dict[str, Any]) -> Span:
    start, end, label, phi_type, recogniser, rule, score = (row[name] for name in _SPAN)
    return Span(start, end, Label(label), PhiType(phi_type), recogniser, rule, score)
