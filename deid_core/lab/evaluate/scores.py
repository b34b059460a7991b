"""Precision, recall and F from counts, for one table or for thousands at once.

Counts are (true positive, false positive, false negative) in the last axis of an array; a statistic takes counts of
any shape (..., 3) and gives scores of shape (...). All that measures, resamples or shuffles here works on counts summed
over notes, so a statistic never sees a note. A score without denominator is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from deid_core.core.uncovered_text import TextRange

Counts = npt.NDArray[np.integer[Any]] | npt.NDArray[np.floating[Any]]
"""Whole numbers; as float64 where a matrix product made them, exact below 2**53."""
Scored = npt.NDArray[np.float64]
Statistic = Callable[[Counts], Scored]
TP, FP, FN = 0, 1, 2


class LabelledRange(TextRange, Protocol):
    """A gold span, a span, or anything with a place in code points and a label."""

    @property
    def label(self) -> str:
        """The label."""


def precision(counts: Counts) -> Scored:
    """Share of what was found that is right."""
    return _share(counts[..., TP], counts[..., TP] + counts[..., FP])


def recall(counts: Counts) -> Scored:
    """Share of the gold that was found."""
    return _share(counts[..., TP], counts[..., TP] + counts[..., FN])


def f_score(beta: float) -> Statistic:
    """The F score that weighs recall beta times as much as precision; F2 is seed 000's equation 2."""
    weight = beta * beta

    def score(counts: Counts) -> Scored:
        right = (1 + weight) * counts[..., TP]
        return _share(right, right + weight * counts[..., FN] + counts[..., FP])

    return score


STATISTICS: Mapping[str, Statistic] = MappingProxyType(
    {"precision": precision, "recall": recall, "f1": f_score(1), "f2": f_score(2)}
)
"""By the names that reports use."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Counts of tokens or entities and what follows from them."""

    true_positive: int
    false_positive: int
    false_negative: int

    @staticmethod
    def of(counts: Counts) -> Scores:
        """The scores of one row of counts, shape (3,)."""
        return Scores(*(int(count) for count in counts))

    @property
    def gold(self) -> int:
        """How many there are in the gold standard."""
        return self.true_positive + self.false_negative

    @property
    def found(self) -> int:
        """How many were predicted."""
        return self.true_positive + self.false_positive

    @property
    def precision(self) -> float:
        """Share of what was found that is right."""
        return float(precision(self._counts))

    @property
    def recall(self) -> float:
        """Share of the gold that was found."""
        return float(recall(self._counts))

    def f(self, beta: float) -> float:
        """The F score that weighs recall beta times as much as precision."""
        return float(f_score(beta)(self._counts))

    def to_json(self) -> dict[str, float]:
        """Return counts and scores by name."""
        return {
            "gold": self.gold,
            "found": self.found,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f(1),
            "f2": self.f(2),
        }

    @property
    def _counts(self) -> Counts:
        return np.array((self.true_positive, self.false_positive, self.false_negative), np.int64)


def macro(counts: Counts, statistic: Statistic) -> float:
    """The plain mean of a statistic over labels that have gold (seed 002, Evaluation); counts have shape (labels, 3).

    A label that was only predicted has no recall to average: it costs precision in the micro average alone.
    """
    with_gold = counts[counts[..., TP] + counts[..., FN] > 0]
    return float(statistic(with_gold).mean()) if len(with_gold) else 0.0


def cohen_kappa(confusion: Counts) -> float:
    """Cohen's kappa of a square confusion table (seed 000, equations 3 to 5).

    1 where there is nothing to disagree on: no token at all, or all of them with one label on both sides.
    """
    total = float(confusion.sum())
    if not total:
        return 1.0
    observed = float(np.trace(confusion)) / total
    # In float: products of token counts of a whole archive leave int64's range.
    expected = float(confusion.sum(0, dtype=np.float64) @ confusion.sum(1, dtype=np.float64)) / total**2
    return (observed - expected) / (1 - expected) if expected < 1 else 1.0


def _share(part: Counts, whole: Counts) -> Scored:
    return np.divide(part, whole, out=np.zeros(np.shape(whole), np.float64), where=np.asarray(whole) != 0)
