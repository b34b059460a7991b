"""Two systems on the same notes: what differs, by how much, and whether by more than chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from deid_core.lab.evaluate.bootstrap import RESAMPLES, Interval, difference_interval
from deid_core.lab.evaluate.evaluation import Evaluation, Level
from deid_core.lab.evaluate.randomisation import ROUNDS, SEED, Randomisation, approximate_randomisation
from deid_core.lab.evaluate.scores import FN, FP, STATISTICS, TP, Counts
from deid_core.lab.evaluate.significance import McNemar, TwoProportions
from deid_core.lab.evaluate.token_scores import TokenEvaluation, mcnemar_counts

Measure = tuple[Level, str]
"""A level and the name of a statistic, e.g. (Level.TOKEN, "f2")."""

PHI, OTHER = "PHI", "other"
"""The two sorts of tokens in `Comparison.proportions`."""
PROPORTIONS = ("precision", "recall", "f1")
"""The statistics that seed 001 takes for proportions (section 8.2)."""

MEASURES: tuple[Measure, ...] = tuple((level, statistic) for level in Level for statistic in STATISTICS)


@dataclass(frozen=True, slots=True)
class Comparison:
    """First against second; differences are first - second.

    mcnemar_binary: tokens decided rightly, PHI or not; mcnemar_by_label: tokens with their gold label.
    proportions: by sort of tokens and statistic, for the z-test; the sample size is the number of the sort's gold
    tokens (seed 001, section 8.2 and Table 1), and a sort without one is left out.
    """

    mcnemar_binary: McNemar
    mcnemar_by_label: McNemar
    randomisation: Mapping[Measure, Randomisation]
    differences: Mapping[Measure, Interval]
    proportions: Mapping[tuple[str, str], TwoProportions]


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
        _proportions(a, b),
    )


def _proportions(first: TokenEvaluation, second: TokenEvaluation) -> dict[tuple[str, str], TwoProportions]:
    found: dict[tuple[str, str], TwoProportions] = {}
    for (name, ours), theirs in zip(_phi_and_other(first).items(), _phi_and_other(second).values(), strict=True):
        if gold := int(ours[TP] + ours[FN]):
            for statistic in PROPORTIONS:
                score = STATISTICS[statistic]
                found[name, statistic] = TwoProportions(float(score(ours)), gold, float(score(theirs)), gold)
    return found


def _phi_and_other(tokens: TokenEvaluation) -> dict[str, Counts]:
    """(true positive, false positive, false negative) of PHI and of the other tokens."""
    phi = tokens.counts.sum(0)
    # A false positive of PHI is a token of the other sort that was missed, and the other way round.
    return {PHI: phi, OTHER: np.array((tokens.tokens - phi.sum(), phi[FN], phi[FP]))}
