"""Leaks: names that redaction would leave legible, counted as a reader of the clean corpus would find them.

A recall of 99 % of tokens may still show a name in every tenth note. So here a name counts once a note, however often
it is marked there, and is safe only if every letter and digit of every gold span that is it lies in a predicted span,
whatever its label: one mark that is left gives the name away. Marks with other labels than `NAMES` and text without a
mark are not searched for the name, be it part of a longer one or of an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.core.uncovered_text import covered_characters, is_legible
from deid_core.lab.evaluate.optional_dependency import statistics_library
from deid_core.lab.evaluate.scores import LabelledRange
from deid_core.text.divided_words import HYPHENS, LINE_BREAK

NAMES = frozenset({"PER"})
"""Labels whose spans are names."""
_HYPHEN = re.compile(rf"(?<=[^\W\d_])[{HYPHENS}](?:{LINE_BREAK})?")
"""In a word; in a number it tells two from one ("3-5" and "35")."""

LEAKED_NAMES, NAMES_IN_ALL, LEAKY = 0, 1, 2
"""Columns of `LeakEvaluation.counts`."""


@dataclass(frozen=True, slots=True)
class LeakShare:
    """So many of so many."""

    count: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.count <= self.total:
            raise ValueError(f"{self.count} of {self.total} is no share")

    @property
    def share(self) -> float:
        """The observed share, 0 of nothing."""
        return self.count / self.total if self.total else 0.0

    def upper(self, confidence: float = 0.95) -> float:
        """The one-sided Clopper-Pearson bound, from scipy: the highest share that is not refuted; 1 of no trial at all.

        None of n gives 1 - (1 - confidence)^(1/n), at 95 % about 3 / n, the rule of three. It takes trials to be
        independent. Notes nearly are; names within a note are not, so their bound is the weaker statement.
        Raises ConfigurationError without the extra.
        """
        if not self.total:
            return 1.0
        test = statistics_library("scipy.stats").binomtest(self.count, self.total, alternative="less")
        return float(test.proportion_ci(confidence, method="exact").high)


class LeakEvaluation:
    """Adds up notes; `labels` says whose spans are names, None takes the spans of every label."""

    def __init__(self, labels: frozenset[str] | None = NAMES) -> None:
        self.labels = labels
        self._notes: list[tuple[int, int, int]] = []

    def add(self, text: str, gold: Iterable[LabelledRange], predicted: Iterable[LabelledRange]) -> None:
        """Counts one note's distinct names: without regard to case, runs of blanks and hyphens after letters.

        So a word that a line end divides in one place is the same in another.
        """
        covered = covered_characters(text, predicted)
        leaked: dict[str, bool] = {}
        for span in gold:
            if self.labels is None or str(span.label) in self.labels:
                name = " ".join(_HYPHEN.sub("", text[span.start : span.end]).casefold().split())
                leaked[name] = leaked.get(name, False) or is_legible(text, span, covered)
        names = sum(leaked.values())
        self._notes.append((names, len(leaked), int(names > 0)))

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """(leaked names, distinct names, 1 if any leaked) of each note, shape (notes, 3)."""
        return np.array(self._notes, np.int64).reshape(-1, 3)

    def names(self) -> LeakShare:
        """The share of distinct names that leak."""
        total = self.counts.sum(0)
        return LeakShare(int(total[LEAKED_NAMES]), int(total[NAMES_IN_ALL]))

    def notes(self) -> LeakShare:
        """The share of notes in which at least one name leaks."""
        return LeakShare(int(self.counts.sum(0)[LEAKY]), len(self._notes))
