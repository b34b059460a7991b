"""Count the removed spans of a lake in one pass over clean/phi_audit, a few batches at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader

TENTHS = 10
"""Scores are counted in tenths: 0 to 0.1, 0.1 to 0.2, ..., 0.9 to 1."""
_KEYS = ("year", "label", "type", "recogniser")


@dataclass(frozen=True, slots=True)
class SpanCounts:
    """The removed spans.

    by_key: by (year, label, type, recogniser). by_score: by (label, recogniser, tenth of the score).
    note_ids: the notes with at least one span, each once, unordered.
    """

    by_key: Counter[tuple[int, str, str, str]] = field(default_factory=Counter)
    by_score: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    note_ids: pa.ChunkedArray = field(default_factory=lambda: pa.chunked_array([], pa.string()))


def count_spans(lake: Lake) -> SpanCounts:
    """Return the counts of clean/phi_audit; memory grows with the number of notes, not of spans.

    Raises DamageFoundError if a file of the table is damaged.
    """
    found = SpanCounts()
    if not delta_reader.exists(lake.phi_audit):
        return found
    note_ids: list[pa.Array] = []
    with delta_reader.damage_named(lake.phi_audit):
        for batch in delta_reader.stream(lake.phi_audit, ["note_id", *_KEYS, "score"]):
            tenths = pc.min_element_wise(pc.floor(pc.multiply(batch["score"], TENTHS)), TENTHS - 1)
            rows = pa.table([*(batch[key] for key in _KEYS), tenths.cast(pa.int32())], [*_KEYS, "tenth"])
            for row in rows.group_by([*_KEYS, "tenth"]).aggregate([([], "count_all")]).to_pylist():
                spans = row["count_all"]
                found.by_key[row["year"], row["label"], row["type"], row["recogniser"]] += spans
                found.by_score[row["label"], row["recogniser"], row["tenth"]] += spans
            note_ids.append(pc.unique(batch["note_id"]))
    distinct = pc.unique(pa.chunked_array(note_ids, pa.string()))
    return SpanCounts(found.by_key, found.by_score, pa.chunked_array([distinct]))
