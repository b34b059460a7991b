"""What the notes of a run are like: how many notes fall into each bin of each measure. For drift.py; no text.

A measure is a number of a note, as the names in it or its spans of a label for each 1,000 tokens. Bins are fixed
intervals of it. So a run is described by counts of notes, which few notes with other figures change more than a mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from deid_core.core.labels import Label
from deid_core.core.spans import LOW_SCORE

_LETTERHEAD = "letterhead"

Counts = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]
Key = tuple[str, str]
"""A measure and its value, as ("label", "PER"); the value is "" if the measure has one figure a note."""
Profile = Mapping[Key, Counts]
"""Notes by bin, in the order of BOUNDS of the measure."""


class Measure(StrEnum):
    """What is counted in a note; the column `measure` of clean/run_profiles. The comments say what its `value` is."""

    NOTE_TOKENS = "note_tokens"
    LABEL = "label"
    """Spans of a label for each 1,000 tokens of the note."""
    TYPE = "type"
    """Spans of a type for each 1,000 tokens; LABEL.type."""
    RECOGNISER = "recogniser"
    """Spans that a recogniser found, for each 1,000 tokens."""
    NAMES = "names"
    """Names: all (PER), and by type (PER.patient)."""
    LETTERHEAD_FIELDS = "letterhead_fields"
    """Rules of recogniser `letterhead` that found something."""
    PATIENT_EVIDENCE = "patient_evidence"
    """Pieces of a kind that the note says about its patient: id, person, name, birth_date."""
    SPAN_CHARS = "span_chars"
    """Characters of a span, the mean of the note."""
    LOW_SCORES = "low_scores"
    """Spans with a score below LOW_SCORE."""
    DROPPED = "dropped"
    """Dropped detections, by reason."""
    QUARANTINE = "quarantine"
    """1 if the note went into quarantine: for any reason, and by reason. The only one that counts these notes."""


_HALF_OCTAVES = tuple(round(0.5 * 2 ** (step / 2), 2) for step in range(17))
_COUNTS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30)
_BOUNDS = {
    Measure.NOTE_TOKENS: (0, *(round(25 * 2 ** (step / 2)) for step in range(16))),
    Measure.LABEL: (0, *_HALF_OCTAVES),
    Measure.TYPE: (0, *_HALF_OCTAVES),
    Measure.RECOGNISER: (0, *_HALF_OCTAVES),
    Measure.NAMES: _COUNTS,
    Measure.LETTERHEAD_FIELDS: _COUNTS[:9],
    Measure.PATIENT_EVIDENCE: (0, 1),
    Measure.SPAN_CHARS: (0, 4, 6, 8, 9, 10, 11, 12, 13, 14, 16, 20),
    Measure.LOW_SCORES: _COUNTS,
    Measure.DROPPED: _COUNTS,
    Measure.QUARANTINE: (0, 1),
}
BOUNDS: Mapping[str, Values] = {measure.value: np.array(bounds, float) for measure, bounds in _BOUNDS.items()}
"""Where the bins of a measure begin; each ends where the next begins."""
NIGHT_COLUMNS = ("note_id", "tokens", "spans", "dropped", "patient_evidence")
ANY = "any"
"""The value of QUARANTINE for all reasons together."""


class NightProfile:
    """Adds up the notes of a run."""

    def __init__(self) -> None:
        self.notes = 0
        """Notes with a text."""
        self.refused: Counter[str] = Counter()
        """Notes that went into quarantine, by reason; not those that were there before."""
        self._counts: dict[Key, Counts] = {}
        self._known: set[str] = set()

    def add(self, notes: pa.RecordBatch) -> None:
        """Count notes; one that was counted before is left out.

        notes: the columns NIGHT_COLUMNS of task_schemas.REDACTED.
        """
        ids = notes["note_id"].to_pylist()
        notes = notes.filter(pa.array([note_id not in self._known for note_id in ids], pa.bool_()))
        self._known.update(ids)
        self.notes += len(notes)
        for (measure, value), values in note_values(notes).items():
            counts = np.bincount(bins_of(measure, values), minlength=len(BOUNDS[measure]))
            self._counts[measure, value] = self._counts.get((measure, value), 0) + counts

    def profile(self) -> Profile:
        """Return the notes by bin."""
        found = {key: in_all_notes(counts, self.notes) for key, counts in self._counts.items()}
        failed = self.refused.total()
        for reason, count in {ANY: failed, **self.refused}.items():
            found[Measure.QUARANTINE.value, reason] = np.array([self.notes + failed - count, count], np.int64)
        return found


def in_all_notes(counts: Counts, notes: int) -> Counts:
    """Return the counts with the notes that they lack in the first bin: those without such spans."""
    found = counts.copy()
    found[0] += notes - counts.sum()
    return found


def note_values(notes: pa.RecordBatch) -> dict[Key, Values]:
    """Return a number for each note, by measure and value. A value that no note has is missing: it is 0 for all.

    notes: as for `NightProfile.add`.
    """
    tokens = _numbers(notes["tokens"])
    of_note, spans = _items(notes["spans"])
    per_note = partial(_counts_per_note, len(notes))
    labels, recognisers = per_note(of_note, spans["label"]), per_note(of_note, spans["recogniser"])
    types = per_note(of_note, pc.binary_join_element_wise(spans["label"], spans["type"], "."))
    spans_of_note = np.bincount(of_note, minlength=len(notes))
    low_scores = of_note[_numbers(spans["score"]) < LOW_SCORE]
    found: dict[Key, Values] = {
        (Measure.NOTE_TOKENS.value, ""): tokens,
        (Measure.NAMES.value, Label.PER.value): labels.get(Label.PER.value, np.zeros(len(notes))),
        (Measure.LOW_SCORES.value, ""): np.bincount(low_scores, minlength=len(notes)).astype(float),
    }
    for measure, counts in ((Measure.LABEL, labels), (Measure.TYPE, types), (Measure.RECOGNISER, recognisers)):
        for name, count in counts.items():
            found[measure.value, name] = 1000 * count / np.maximum(tokens, 1)
    for name, count in types.items():
        if name.startswith(f"{Label.PER.value}."):
            found[Measure.NAMES.value, name] = count
    chars = np.bincount(of_note, weights=_numbers(spans["end"]) - _numbers(spans["start"]), minlength=len(notes))
    found[Measure.SPAN_CHARS.value, ""] = chars / np.maximum(spans_of_note, 1)
    in_letterhead = pc.equal(spans["recogniser"], _LETTERHEAD)
    rules = per_note(of_note[_booleans(in_letterhead)], spans["rule"].filter(in_letterhead))
    found[Measure.LETTERHEAD_FIELDS.value, ""] = sum(
        (np.minimum(count, 1) for count in rules.values()), np.zeros(len(notes))
    )
    for measure, column, field in (
        (Measure.DROPPED, "dropped", "reason"),
        (Measure.PATIENT_EVIDENCE, "patient_evidence", "kind"),
    ):
        of_item, items = _items(notes[column])
        for name, count in per_note(of_item, items[field]).items():
            found[measure.value, name] = count
    return found


def _counts_per_note(notes: int, of_note: Counts, names: pa.Array) -> dict[str, Values]:
    """Return for each name how many items with it each note has. of_note: the note of each item."""
    encoded = names.dictionary_encode()
    found = encoded.dictionary.to_pylist()
    places = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64) * notes + of_note
    counts = np.bincount(places, minlength=len(found) * notes).astype(float)
    return dict(zip(found, counts.reshape(len(found), notes), strict=True))


def bins_of(measure: str, values: Values) -> Counts:
    """Return the bin of each value of a measure."""
    return np.searchsorted(BOUNDS[measure], values, side="right") - 1


def _items(lists: pa.Array) -> tuple[Counts, Mapping[str, pa.Array]]:
    """Return the note of each item of a list column, and the items' fields."""
    items = pc.list_flatten(lists)
    fields = zip([field.name for field in items.type], items.flatten(), strict=True)
    return pc.list_parent_indices(lists).to_numpy(zero_copy_only=False), dict(fields)


def _numbers(column: pa.Array) -> Values:
    return np.asarray(column.to_numpy(zero_copy_only=False), float)


def _booleans(column: pa.Array) -> npt.NDArray[np.bool_]:
    return np.asarray(column.to_numpy(zero_copy_only=False), bool)
