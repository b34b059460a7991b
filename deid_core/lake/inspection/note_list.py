"""Which notes of a lake are of a year, state or reason, or doubtful. Reads no text and needs no Spark."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from deid_core.core.errors import ConfigurationError, no_such_lake
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.pipeline.sweep import KIND as SWEEP


@dataclass(frozen=True, slots=True)
class NoteChoice:
    """What is asked for; a note has to meet all that is not None or False.

    years: (first, last), both included. score_below: a removed span has a lower score. without_spans: nothing was
    removed from its text. swept: the sweep removed something.
    """

    years: tuple[int, int] | None = None
    state: str | None = None
    reason: str | None = None
    year_source: str | None = None
    score_below: float | None = None
    without_spans: bool = False
    swept: bool = False


class ListedNote(NamedTuple):
    """A note. spans, swept: removed spans, and those of the sweep. lowest_score: of a span; None if there is none.

    detail: more on the reason, without text. path: below the input folder; file names hold names.
    """

    note_id: str
    year: int | None
    year_source: str | None
    state: str
    reason: str | None
    spans: int
    lowest_score: float | None
    swept: int
    detail: str | None
    path: str


class _Spans(NamedTuple):
    removed: int = 0
    lowest: float | None = None
    swept: int = 0


def find_notes(lake: Lake, choice: NoteChoice) -> list[ListedNote]:
    """Return the notes that meet the choice, those with the lowest score first if it asks for scores, else by year.

    Raises ConfigurationError if there is no such lake or this account may not read it, DamageFoundError if a file of a
    table is damaged.
    """
    if not delta_reader.exists(lake.ledger):
        raise ConfigurationError(no_such_lake(lake.root))
    columns = ["note_id", "year", "year_source", "state", "reason", "detail", "path"]
    rows = delta_reader.read(lake.ledger, columns, where=_where(choice)).to_pylist()
    if choice.score_below is not None or choice.without_spans or choice.swept:
        with_text = delta_reader.distinct(lake.deidentified, "note_id")
        rows = [row for row in rows if row["note_id"] in with_text]
    spans = _spans(lake, choice)
    found = []
    for row in rows:
        of_note = spans.get(row["note_id"], _Spans())
        if _meets(choice, of_note):
            found.append(ListedNote(**row, spans=of_note.removed, lowest_score=of_note.lowest, swept=of_note.swept))
    by_score = choice.score_below is not None
    return sorted(
        found,
        key=lambda note: ((note.lowest_score or 0) if by_score else 0, note.year is None, note.year or 0, note.note_id),
    )


def _where(choice: NoteChoice) -> pc.Expression | None:
    """Return what the ledger has to say."""
    wanted = [
        pc.field(name) == value
        for name in ("state", "reason", "year_source")
        if (value := getattr(choice, name)) is not None
    ]
    if choice.years is not None:
        first, last = choice.years
        wanted += [pc.field("year") >= first, pc.field("year") <= last]
    return reduce(and_, wanted) if wanted else None


def _meets(choice: NoteChoice, spans: _Spans) -> bool:
    low = choice.score_below is None or (spans.lowest is not None and spans.lowest < choice.score_below)
    return low and not (choice.without_spans and spans.removed) and (bool(spans.swept) or not choice.swept)


def _spans(lake: Lake, choice: NoteChoice) -> dict[str, _Spans]:
    """Return the removed spans of each note of the years, from a stream of them."""
    where = None
    if choice.years is not None:
        where = (pc.field("year") >= choice.years[0]) & (pc.field("year") <= choice.years[1])
    found: dict[str, _Spans] = {}
    if not delta_reader.exists(lake.phi_audit):
        return found
    with delta_reader.damage_named(lake.phi_audit):
        for batch in delta_reader.stream(lake.phi_audit, ["note_id", "score", "recogniser"], where=where):
            for row in _of_batch(batch):
                before = found.get(row["note_id"], _Spans())
                lowest = row["score_min"] if before.lowest is None else min(before.lowest, row["score_min"])
                count, swept = before.removed + row["score_count"], before.swept + row["swept_sum"]
                found[row["note_id"]] = _Spans(count, lowest, swept)
    return found


def _of_batch(batch: pa.RecordBatch) -> list[dict[str, Any]]:
    is_swept = pc.equal(batch["recogniser"].cast(pa.string()), SWEEP).cast(pa.int64())
    table = pa.table({"note_id": batch["note_id"].cast(pa.string()), "score": batch["score"], "swept": is_swept})
    rows: list[dict[str, Any]] = (
        table.group_by("note_id").aggregate([("score", "min"), ("score", "count"), ("swept", "sum")]).to_pylist()
    )
    return rows
