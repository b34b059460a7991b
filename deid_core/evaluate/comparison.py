"""Two systems on the same notes: what differs, by how much, and whether by more than chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from deid_core.evaluate.bootstrap import RESAMPLES, Interval, difference_interval
from deid_core.evaluate.evaluation import Evaluation, Level
from deid_core.evaluate.randomisation import ROUNDS, SEED, Randomisation, approximate_randomisation
from deid_core.evaluate.scores import STATISTICS
from deid_core.evaluate.significance import McNemar
from deid_core.evaluate.token_scores import mcnemar_counts

Measure = tuple[Level, str]
"""A level and the name of a statistic, e.g. (Level.TOKEN, "f2")."""

MEASURES: tuple[Measure, ...] = tuple((level, statistic) for level in Level for statistic in STATISTICS)


@dataclass(frozen=True, slots=True)
class Comparison:
    """First against second; differences are first - second.

    mcnemar_binary: tokens decided rightly, PHI or not; mcnemar_by_label: tokens with their gold label.
    """

    mcnemar_binary: McNemar
    mcnemar_by_label: McNemar
    randomisation: Mapping[Measure, Randomisation]
    differences: Mapping[Measure, Interval]


def compare(
    first: Evaluation,
    second: Evaluation,
    measures: Iterable[Measure] = MEASURES,
    *,
    rounds: int = ROUNDS,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Comparison:
    """Sets two evaluations of the same notes, added in the same order, against each other.

    Raises ValueError if notes, tokens or gold labels are not the same, or if there are no notes.
    """
    if first.notes != second.notes or not np.array_equal(first.tokens.gold_labels, second.tokens.gold_labels):
        raise ValueError("the evaluations are not of the same notes with the same gold spans in the same order")
    randomisation: dict[Measure, Randomisation] = {}
    differences: dict[Measure, Interval] = {}
    for level, name in measures:
        counts, statistic = (first.counts(level), second.counts(level)), STATISTICS[name]
        randomisation[level, name] = approximate_randomisation(*counts, statistic, rounds=rounds, seed=seed)
        differences[level, name] = difference_interval(*counts, statistic, resamples=resamples, seed=seed)
    a, b = first.tokens, second.tokens
    return Comparison(
        McNemar(*mcnemar_counts(a.right_binary, b.right_binary)),
        McNemar(*mcnemar_counts(a.right_by_label, b.right_by_label)),
        randomisation,
        differences,
    )
