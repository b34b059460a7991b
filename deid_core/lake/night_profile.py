"""What the notes of a run are like: how many notes fall into each class of each measure. For drift.py; no text.

A measure is a number of a note, as the names in it or its spans of a label for each 1,000 tokens. Classes are fixed
intervals of it. So a run is described by counts of notes, which few notes with other figures change more than a mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

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
"""Notes by class, in the order of BOUNDS of the measure."""


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
"""Where the classes of a measure begin; each ends where the next begins."""
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

        notes: the columns NIGHT_COLUMNS of schemas.REDACTED.
        """
        ids = notes["note_id"].to_pylist()
        notes = notes.filter(pa.array([note_id not in self._known for note_id in ids], pa.bool_()))
        self._known.update(ids)
        self.notes += len(notes)
        for (measure, value), values in note_values(notes).items():
            counts = np.bincount(classes_of(measure, values), minlength=len(BOUNDS[measure]))
            self._counts[measure, value] = self._counts.get((measure, value), 0) + counts

    def profile(self) -> Profile:
        """Return the notes by class."""
        found = {key: in_all_notes(counts, self.notes) for key, counts in self._counts.items()}
        failed = self.refused.total()
        for reason, count in {ANY: failed, **self.refused}.items():
            found[Measure.QUARANTINE.value, reason] = np.array([self.notes + failed - count, count], np.int64)
        return found


def in_all_notes(counts: Counts, notes: int) -> Counts:
    """Return the counts with the notes that they lack in the first class: those without such spans."""
    found = counts.copy()
    found[0] += notes - counts.sum()
    return found


def note_values(notes: pa.RecordBatch) -> dict[Key, Values]:
    """Return a number for each note, by measure and value. A value that no note has is missing: it is 0 for all.

    notes: as for `NightProfile.add`.
    """
    tokens = _numbers(notes["tokens"])
    of_note, spans = _items(notes["spans"])
    labels, recognisers = _texts(spans["label"]), _texts(spans["recogniser"])
    types = np.array([f"{label}.{type_}" for label, type_ in zip(labels, _texts(spans["type"]), strict=True)], object)
    is_name = labels == Label.PER.value

    def per_note(where: npt.NDArray[np.bool_]) -> Values:
        return np.bincount(of_note[where], minlength=len(notes)).astype(float)

    spans_of_note = per_note(np.ones(len(labels), bool))
    found: dict[Key, Values] = {
        (Measure.NOTE_TOKENS.value, ""): tokens,
        (Measure.NAMES.value, Label.PER.value): per_note(is_name),
        (Measure.LOW_SCORES.value, ""): per_note(_numbers(spans["score"]) < LOW_SCORE),
    }
    for measure, names in ((Measure.LABEL, labels), (Measure.TYPE, types), (Measure.RECOGNISER, recognisers)):
        for name in set(names):
            found[measure.value, name] = 1000 * per_note(names == name) / np.maximum(tokens, 1)
    for name in set(types[is_name]):
        found[Measure.NAMES.value, name] = per_note(types == name)
    chars = np.bincount(of_note, weights=_numbers(spans["end"]) - _numbers(spans["start"]), minlength=len(notes))
    found[Measure.SPAN_CHARS.value, ""] = chars / np.maximum(spans_of_note, 1)
    in_letterhead = recognisers == _LETTERHEAD
    fields = set(zip(of_note[in_letterhead], _texts(spans["rule"])[in_letterhead], strict=True))
    notes_of_fields = np.array([note for note, _ in fields], np.int64)
    found[Measure.LETTERHEAD_FIELDS.value, ""] = np.bincount(notes_of_fields, minlength=len(notes)).astype(float)
    for measure, column, field in (
        (Measure.DROPPED, "dropped", "reason"),
        (Measure.PATIENT_EVIDENCE, "patient_evidence", "kind"),
    ):
        of_note, items = _items(notes[column])
        names = _texts(items[field])
        for name in set(names):
            found[measure.value, name] = per_note(names == name)
    return found


def classes_of(measure: str, values: Values) -> Counts:
    """Return the class of each value of a measure."""
    return np.searchsorted(BOUNDS[measure], values, side="right") - 1


def _items(lists: pa.Array) -> tuple[Counts, Mapping[str, pa.Array]]:
    """Return the note of each item of a list column, and the items' fields."""
    items = pc.list_flatten(lists)
    fields = zip([field.name for field in items.type], items.flatten(), strict=True)
    return pc.list_parent_indices(lists).to_numpy(zero_copy_only=False), dict(fields)


def _numbers(column: pa.Array) -> Values:
    return np.asarray(column.to_numpy(zero_copy_only=False), float)


def _texts(column: pa.Array) -> npt.NDArray[np.object_]:
    return np.array(column.to_pylist(), object)
