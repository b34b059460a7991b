"""How far annotators agree: Cohen's kappa, Krippendorff's alpha, and the F1 of one annotator against another.

Kappa and alpha compare the labels of the same tokens. Most tokens are no PHI, and all annotators agree on those, which
raises both; seeds 002 (Evaluation) and 003 (section 3.3, footnote 2) therefore give F1 as well, which knows no true
negatives. F1 is the same whichever of two annotators counts as gold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.lab.evaluate.entity_scores import EntityEvaluation
from deid_core.lab.evaluate.optional_dependency import statistics_library
from deid_core.lab.evaluate.scores import LabelledRange, cohen_kappa
from deid_core.lab.evaluate.token_scores import OUTSIDE

Labels = Sequence[str] | npt.NDArray[np.str_]
"""The label of each token, the same tokens for all annotators."""


@dataclass(frozen=True, slots=True)
class PairwiseF1:
    """Entity-level F1 of annotators against each other, exact spans: the mean over pairs of two."""

    micro: float
    by_label: Mapping[str, float]
    """Only pairs of which one at least used the label."""


_AMOUNTS = ((0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"), (0.0, "slight"))


def amount_of_agreement(value: float) -> str:
    """Return Landis and Koch's word for a kappa (seed 000, Table 10), "none" for 0 and less."""
    return next((word for above, word in _AMOUNTS if value > above), "none")


def kappa(first: Labels, second: Labels) -> float:
    """Cohen's kappa of two annotators; 1 where both used one and the same label only."""
    _same_length((first, second))
    used, numbers = np.unique(np.array([np.asarray(first), np.asarray(second)]), return_inverse=True)
    codes = numbers.reshape(2, -1)
    pairs = np.bincount(codes[0] * len(used) + codes[1], minlength=len(used) ** 2)
    return cohen_kappa(pairs.reshape(len(used), len(used)))


def kappa_by_label(annotators: Sequence[Labels]) -> dict[str, float]:
    """Cohen's kappa for each label against all others, the mean over pairs of annotators that used it.

    Labels are sorted; a token without one has OUTSIDE, which is left out. Raises ValueError for fewer than two.
    """
    if len(annotators) < 2:
        raise ValueError("agreement needs two annotators")
    _same_length(annotators)
    arrays = [np.asarray(labels) for labels in annotators]
    values: dict[str, list[float]] = {}
    for first, second in combinations(arrays, 2):
        for label in np.unique([*np.unique(first), *np.unique(second)]).tolist():
            values.setdefault(label, []).append(kappa((first == label).astype(str), (second == label).astype(str)))
    return {label: fmean(of_label) for label, of_label in sorted(values.items()) if label != OUTSIDE}


def alpha(annotators: Sequence[Labels]) -> float:
    """Krippendorff's alpha of two annotators or more, nominal, from `krippendorff`; 1 where only one label was used.

    1 - observed / expected disagreement (seed 002, Evaluation). Raises ValueError for fewer than two annotators.
    """
    if len(annotators) < 2:
        raise ValueError("agreement needs two annotators")
    _same_length(annotators)
    used, numbers = np.unique(np.array([np.asarray(labels) for labels in annotators]), return_inverse=True)
    if len(used) < 2:
        return 1.0
    table = numbers.reshape(len(annotators), -1)
    return float(statistics_library("krippendorff").alpha(reliability_data=table, level_of_measurement="nominal"))


def pairwise_f1(annotators: Sequence[Sequence[Iterable[LabelledRange]]]) -> PairwiseF1:
    """The mean F1 over all pairs of annotators (seeds 002 and 003).

    annotators: for each the spans of each note, the notes in the same order. Raises ValueError for fewer than two.
    """
    if len(annotators) < 2:
        raise ValueError("agreement needs two annotators")
    micro: list[float] = []
    by_label: dict[str, list[float]] = {}
    for first, second in combinations(annotators, 2):
        evaluation = EntityEvaluation()
        for gold, found in zip(first, second, strict=True):
            evaluation.add(gold, found)
        micro.append(evaluation.micro.f(1))
        for label, scores in evaluation.by_label.items():
            by_label.setdefault(label, []).append(scores.f(1))
    return PairwiseF1(fmean(micro), {label: fmean(values) for label, values in sorted(by_label.items())})


def _same_length(annotators: Sequence[Labels]) -> None:
    lengths: set[Any] = {len(labels) for labels in annotators}
    if len(lengths) > 1:
        raise ValueError(f"annotators with {', '.join(map(str, sorted(lengths)))} tokens: not the same text")
