"""Precision, recall, F and kappa from counts, held against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.lab.evaluate.scores import STATISTICS, Scores, cohen_kappa, f_score, macro

sklearn_metrics = pytest.importorskip("sklearn.metrics")

COUNTS = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


@given(COUNTS)
def test_scores_are_those_of_scikit_learn(counts: tuple[int, int, int]) -> None:
    tp, fp, fn = counts
    gold, found = [1] * tp + [0] * fp + [1] * fn, [1] * tp + [1] * fp + [0] * fn
    scores = Scores(tp, fp, fn)
    if gold:
        precision, recall, f2, _ = sklearn_metrics.precision_recall_fscore_support(
            gold, found, beta=2, pos_label=1, labels=[1], average="binary" if set(gold + found) == {0, 1} else "micro",
            zero_division=0,
        )  # fmt: skip
        assert (scores.precision, scores.recall, scores.f(2)) == pytest.approx((precision, recall, f2))
    assert Scores.of(np.array(counts)) == scores
    assert (scores.gold, scores.found) == (tp + fn, tp + fp)


@given(st.lists(COUNTS, min_size=1, max_size=5))
def test_statistics_of_many_tables_are_those_of_each(tables: list[tuple[int, int, int]]) -> None:
    for name, statistic in STATISTICS.items():
        together = statistic(np.array([tables, tables]))
        alone = [float(statistic(np.array(table))) for table in tables]
        assert together.tolist() == [alone, alone], name


def test_a_score_without_denominator_is_0() -> None:
    nothing = Scores(0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.f(1)) == (0.0, 0.0, 0.0)


def test_macro_is_the_mean_over_labels_with_gold() -> None:
    # F1 of 1 and 0.5, and a label that was only predicted.
    counts = np.array([[4, 0, 0], [1, 1, 1], [0, 7, 0]])
    assert macro(counts, f_score(1)) == pytest.approx(0.75)
    assert macro(np.zeros((0, 3)), f_score(1)) == 0.0


@given(LABELS)
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    table = sklearn_metrics.confusion_matrix(first, second, labels=range(4))
    several = len({*first, *second}) > 1
    assert cohen_kappa(table) == pytest.approx(sklearn_metrics.cohen_kappa_score(first, second) if several else 1.0)


def test_kappa_of_no_token_is_1() -> None:
    assert cohen_kappa(np.zeros((2, 2), np.int64)) == 1.0
