"""How doubtful each note is, from the tables alone: which notes are worth reading first.

A note has one point for each removed span with a low score, one for each detection that the stacking model dropped, and
`WITHOUT_SPANS` if nothing was removed from it, since a letter names somebody almost always.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import pyarrow.compute as pc

from deid_core.core.spans import DropReason
from deid_core.lake import delta_reader
from deid_core.lake.layout import Lake

LOW_SCORE = 0.5
"""Of a span: one with a lower score is doubtful. The same as on the audit page."""
WITHOUT_SPANS = 20


class NoteDoubt(NamedTuple):
    """A note of the corpus, its year and its points."""

    note_id: str
    year: int
    points: int


def note_doubts(lake: Lake) -> list[NoteDoubt]:
    """Return all notes of clean/deidentified, sorted by id.

    Raises ConfigurationError if this account may not read a table, DamageFoundError if a file of one is damaged.
    """
    notes = delta_reader.read(lake.deidentified, ["note_id", "year"])
    points: Counter[str] = Counter()
    removed: set[str] = set()
    if delta_reader.exists(lake.phi_audit):
        with delta_reader.damage_named(lake.phi_audit):
            for batch in delta_reader.stream(lake.phi_audit, ["note_id", "score"]):
                removed.update(pc.unique(batch["note_id"]).to_pylist())
                points.update(batch["note_id"].filter(pc.less(batch["score"], LOW_SCORE)).to_pylist())
    is_undecided = pc.field("reason") == DropReason.DROP_ABOVE
    points.update(delta_reader.read(lake.dropped, ["note_id"], where=is_undecided)["note_id"].to_pylist())
    rows = zip(notes["note_id"].to_pylist(), notes["year"].to_pylist(), strict=True)
    return sorted(
        NoteDoubt(note_id, year, points[note_id] + (0 if note_id in removed else WITHOUT_SPANS))
        for note_id, year in rows
    )
