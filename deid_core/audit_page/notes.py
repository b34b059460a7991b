"""What ledger and texts say of the notes of a lake. Reads no text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deid_core.audit_page.spans import SpanCounts
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ids import pipeline_of
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader


@dataclass(frozen=True, slots=True)
class Notes:
    """What the tables say of the notes.

    received: files that were neither deleted nor withdrawn, by year, None if it is unknown. quarantined: those of them
    in quarantine, by (reason, year). year_sources: notes that were read, by the source of their year. deleted: files
    that are gone. withdrawn: files of patients who are withdrawn.
    texts, tokens, without_spans: notes of clean/deidentified, their tokens, and notes of which nothing was removed, by
    year. fingerprints: notes by the pipeline's fingerprint. waiting: notes that were read and have no text.
    leftover: texts of notes that are deleted or in quarantine. stray: notes with spans and without a text.
    """

    received: Counter[int | None]
    quarantined: Counter[tuple[str, int | None]]
    year_sources: Counter[str]
    deleted: int
    withdrawn: int
    texts: Counter[int]
    tokens: Counter[int]
    without_spans: Counter[int]
    fingerprints: Counter[str]
    waiting: int
    leftover: int
    stray: int


def read_notes(lake: Lake, spans: SpanCounts) -> Notes:
    """Return what the ledger and clean/deidentified say. spans: of the same lake.

    Raises ConfigurationError if this account may not read a table, DamageFoundError if a file of one is damaged.
    """
    ledger = delta_reader.read(lake.ledger, ["note_id", "state", "reason", "year", "year_source"])
    texts = delta_reader.read(lake.deidentified, ["note_id", "year", "tokens", "fingerprint"])
    converted = ledger.filter(pc.equal(ledger["state"], State.CONVERTED))
    quarantined = ledger.filter(pc.equal(ledger["state"], State.QUARANTINED))
    states: Counter[str] = _counter(ledger["state"])
    received = pa.concat_tables([converted, quarantined])
    empty = texts.filter(pc.invert(_is_in(texts["note_id"], spans.note_ids)))
    of_years = texts.group_by("year").aggregate([("tokens", "sum")]).to_pylist()
    return Notes(
        received=_counter(received["year"]),
        quarantined=Counter(zip(quarantined["reason"].to_pylist(), quarantined["year"].to_pylist(), strict=True)),
        year_sources=_counter(converted["year_source"]),
        deleted=states[State.DELETED],
        withdrawn=states[State.WITHDRAWN],
        texts=_counter(texts["year"]),
        tokens=Counter({row["year"]: row["tokens_sum"] for row in of_years}),
        without_spans=_counter(empty["year"]),
        fingerprints=Counter(map(pipeline_of, texts["fingerprint"].to_pylist())),
        waiting=_missing(converted["note_id"], texts["note_id"]),
        leftover=_missing(texts["note_id"], converted["note_id"]),
        stray=_missing(spans.note_ids, texts["note_id"]),
    )


def _is_in(values: pa.ChunkedArray, known: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.is_in(values.cast(pa.string()), value_set=known.cast(pa.string()))


def _missing(values: pa.ChunkedArray, known: pa.ChunkedArray) -> int:
    """Return how many values are not among the known ones."""
    return len(values) - int(pc.sum(_is_in(values, known), min_count=0).as_py())


def _counter(values: pa.ChunkedArray) -> Counter[Any]:
    return Counter({row["values"]: row["counts"] for row in pc.value_counts(values).to_pylist()})
