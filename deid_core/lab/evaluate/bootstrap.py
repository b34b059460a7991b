"""Bootstrap intervals over notes: how far a score would move had other notes of the same sort been drawn.

Notes are resampled, not tokens or entities, since the parts of one note depend on each other (one letterhead missed is
twenty tokens missed). A score is a function of counts summed over notes, so a resample is a row of weights and all
resamples are one matrix product.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deid_core.lab.evaluate.scores import Counts, Scored, Statistic

RESAMPLES = 2_000
SEED = 2018
_CHUNK_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A score and its percentile interval."""

    value: float
    low: float
    high: float
    confidence: float
    resamples: int


def interval(
    counts: Counts, statistic: Statistic, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """The percentile interval of statistic(counts summed over notes); counts have shape (notes, …).

    The same counts, seed and number of resamples give the same interval. Raises ValueError without notes.
    """
    value = float(statistic(counts.sum(0)))
    low, high = _percentiles(resampled(counts, statistic, resamples=resamples, seed=seed), confidence)
    return Interval(value, low, high, confidence, resamples)


def difference_interval(
    first: Counts,
    second: Counts,
    statistic: Statistic,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """The interval of statistic(first) - statistic(second), both resampled by the same notes.

    Raises ValueError if the counts are not of as many notes.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} notes against {len(second)}: not the same notes")
    # The same seed draws the same notes for both: the difference is paired.
    scores = [resampled(counts, statistic, resamples=resamples, seed=seed) for counts in (first, second)]
    low, high = _percentiles(scores[0] - scores[1], confidence)
    value = float(statistic(first.sum(0)) - statistic(second.sum(0)))
    return Interval(value, low, high, confidence, resamples)


def resampled(counts: Counts, statistic: Statistic, *, resamples: int, seed: int) -> Scored:
    """The statistic of each resample, shape (resamples,)."""
    notes = len(counts)
    if not notes:
        raise ValueError("there are no notes to resample")
    random = np.random.default_rng(seed)
    flat = counts.reshape(notes, -1).astype(np.float64)
    scores = np.empty(resamples, np.float64)
    step = max(1, _CHUNK_CELLS // notes)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = random.integers(notes, size=(rows, notes)) + np.arange(rows)[:, None] * notes
        weights = np.bincount(drawn.ravel(), minlength=rows * notes).reshape(rows, notes)
        sums = (weights.astype(np.float64) @ flat).reshape(rows, *counts.shape[1:])
        scores[start : start + rows] = statistic(sums)
    return scores


def _percentiles(scores: Scored, confidence: float) -> tuple[float, float]:
    tail = 100 * (1 - confidence) / 2
    low, high = np.percentile(scores, (tail, 100 - tail))
    return float(low), float(high)
