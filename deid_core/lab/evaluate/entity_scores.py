"""Scores per entity: a predicted span is right or wrong as a whole.

Exact: start, end and label are those of a gold span. That is what seeds 002 (Evaluation: "strict evaluation") and 003
(section 4.5) count; seed 003 reports the micro average, seed 002 the macro average over labels.
Lenient: a predicted and a gold span of one label share a character, and each of them counts once. The seeds do not
print it; between the two lies what is lost by boundaries alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from deid_core.lab.evaluate.scores import FN, FP, STATISTICS, TP, LabelledRange, Scores, macro

Place = tuple[int, int]
"""[start, end) in code points of the note's text."""


class Match(StrEnum):
    """When a predicted span counts as found."""

    EXACT = "exact"
    LENIENT = "lenient"


class EntityEvaluation:
    """Adds up notes; a span that occurs twice in one note with the same label counts once."""

    def __init__(self, match: Match = Match.EXACT) -> None:
        self.match = match
        self._notes: list[dict[str, tuple[int, int, int]]] = []

    def add(self, gold: Iterable[LabelledRange], predicted: Iterable[LabelledRange]) -> None:
        """Counts one note."""
        golden, found = _places(gold), _places(predicted)
        self._notes.append(
            {
                label: self._count(golden.get(label, frozenset()), found.get(label, frozenset()))
                for label in golden.keys() | found.keys()
            }
        )

    @property
    def labels(self) -> list[str]:
        """Labels that gold or prediction has, sorted."""
        return sorted({label for note in self._notes for label in note})

    @property
    def note_counts(self) -> npt.NDArray[np.int64]:
        """(true positive, false positive, false negative) by note and label; shape (notes, labels, 3)."""
        labels = self.labels
        counts = np.zeros((len(self._notes), len(labels), 3), np.int64)
        for row, note in zip(counts, self._notes, strict=True):
            for label, numbers in note.items():
                row[labels.index(label)] = numbers
        return counts

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Counts of each note over all labels (micro), shape (notes, 3)."""
        return np.asarray(self.note_counts.sum(1), np.int64)

    @property
    def micro(self) -> Scores:
        """All entities alike, whatever their label (seed 003, section 4.5)."""
        return Scores.of(self.counts.sum(0))

    @property
    def macro(self) -> Mapping[str, float]:
        """Precision, recall, F1 and F2, each the mean over labels that have gold (seed 002, Tables 5 and 7)."""
        counts = self.note_counts.sum(0)
        return {name: macro(counts, statistic) for name, statistic in STATISTICS.items()}

    @property
    def by_label(self) -> Mapping[str, Scores]:
        """Scores of each label."""
        return {label: Scores.of(row) for label, row in zip(self.labels, self.note_counts.sum(0), strict=True)}

    def _count(self, gold: frozenset[Place], found: frozenset[Place]) -> tuple[int, int, int]:
        right = len(gold & found) if self.match is Match.EXACT else len(overlap_pairs(gold, found))
        numbers = [0, 0, 0]
        numbers[TP], numbers[FP], numbers[FN] = right, len(found) - right, len(gold) - right
        return numbers[0], numbers[1], numbers[2]


def overlap_pairs(gold: Iterable[Place], found: Iterable[Place]) -> list[tuple[Place, Place]]:
    """As many pairs (gold, found) that share a character as there can be, each place in one pair at most.

    Of all places left, the one that ends first takes that one of its partners that ends first. All its partners hold
    its last character, so whatever could pair with the partner it takes could pair with any of the others as well:
    no later pair is lost.
    """
    pairs: list[tuple[Place, Place]] = []
    waiting: tuple[list[Place], list[Place]] = ([], [])
    ordered = [(end, start, 0) for start, end in set(gold)] + [(end, start, 1) for start, end in set(found)]
    for end, start, side in sorted(ordered):
        place = (start, end)
        partner = next((p for p in waiting[1 - side] if p[1] > start), None)
        if partner is None:
            waiting[side].append(place)
        else:
            waiting[1 - side].remove(partner)
            pairs.append((place, partner) if side == 0 else (partner, place))
    return sorted(pairs)


def _places(spans: Iterable[LabelledRange]) -> dict[str, frozenset[Place]]:
    by_label: dict[str, set[Place]] = {}
    for span in spans:
        by_label.setdefault(str(span.label), set()).add((span.start, span.end))
    return {label: frozenset(places) for label, places in by_label.items()}
