"""How doubtful each note is, from the tables alone: which notes are worth reading first.

A note has one point for each removed span with a low score, each detection that the stacking model dropped, each edge
that it cut, and each common word that the sweep left. It has `BY_SWEEP` for each span that only the sweep removed, and
`WITHOUT_SPANS` if nothing was removed from it, since a letter names somebody almost always.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import pyarrow.compute as pc

from deid_core.core.spans import LOW_SCORE, DropReason
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.pipeline.sweep import KIND as SWEEP

BY_SWEEP = 5
"""The recognisers missed it, so they may have missed more of this note, which nobody knew to look for."""
WITHOUT_SPANS = 20
_UNDECIDED = (DropReason.DROP_ABOVE.value, DropReason.CUT_ABOVE.value, DropReason.COMMON.value)


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
            for batch in delta_reader.stream(lake.phi_audit, ["note_id", "score", "recogniser"]):
                removed.update(pc.unique(batch["note_id"]).to_pylist())
                points.update(batch["note_id"].filter(pc.less(batch["score"], LOW_SCORE)).to_pylist())
                for note_id in batch["note_id"].filter(pc.equal(batch["recogniser"], SWEEP)).to_pylist():
                    points[note_id] += BY_SWEEP
    is_undecided = pc.field("reason").isin(_UNDECIDED)
    points.update(delta_reader.read(lake.dropped, ["note_id"], where=is_undecided)["note_id"].to_pylist())
    rows = zip(notes["note_id"].to_pylist(), notes["year"].to_pylist(), strict=True)
    return sorted(
        NoteDoubt(note_id, year, points[note_id] + (0 if note_id in removed else WITHOUT_SPANS))
        for note_id, year in rows
    )
