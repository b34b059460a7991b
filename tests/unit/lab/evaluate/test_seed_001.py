"""Seed 001's tables give its figures and its stars (z-test of two proportions, section 8.2).

Sample sizes are Table 1's words of a class; for the tables that compare with SNoW only people, locations and hospitals
count as PHI (Table 5), for Table 10 Table 2's ambiguous words. With them every star of Tables 4 to 15 comes out.

What its tables do not give:
- Table 14 prints F 99.86 % for non-PHI of Stat De-id, its precision and recall give 99.87 or 99.88 % (Table 20 has
  99.88 %).
- Table 18 says that all differences on non-PHI are significant; dictionary (96.99 %) against MeSH (96.93 %) gives z
  1.65, and at most 1.92 whatever was rounded away.
- Table 21's heading reads as if its rows were predictions; they are the gold classes, as Table 1's numbers show.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from deid_core.lab.evaluate.scores import Scores
from deid_core.lab.evaluate.significance import TwoProportions

pytest.importorskip("statsmodels")

LABELS = ("Non-PHI", "Patient", "Doctor", "Location", "Hospital", "Date", "ID", "Phone")
TABLE_21 = np.array(
    [
        [112_605, 2, 4, 0, 17, 33, 8, 0],
        [12, 280, 1, 0, 0, 0, 0, 1],
        [24, 1, 711, 0, 2, 0, 0, 0],
        [19, 0, 3, 51, 14, 0, 0, 1],
        [54, 0, 3, 4, 595, 0, 0, 0],
        [58, 0, 0, 0, 4, 1_891, 0, 0],
        [3, 0, 0, 0, 0, 0, 479, 0],
        [11, 0, 0, 0, 0, 1, 1, 19],
    ]
)
TABLE_1_AUTHENTIC = (112_669, 294, 738, 88, 656, 1_953, 482, 32)

# Table 20, authentic corpus: precision, recall, F in percent.
TABLE_20 = {
    "Non-PHI": (99.84, 99.94, 99.89),
    "Patient": (98.94, 95.24, 97.05),
    "Doctor": (98.48, 96.34, 97.40),
    "Location": (92.73, 57.95, 71.33),
    "Hospital": (94.15, 90.70, 92.39),
    "Date": (98.23, 96.83, 97.52),
    "ID": (98.16, 99.38, 98.76),
    "Phone": (90.48, 59.38, 71.70),
}

# Table, words that count, F of Stat De-id and of the others; a number without star stands negative.
PHI_STARS = [
    (4, 2_793, 97.63, (68.35, 77.82, 81.55)),
    (5, 1_983, 97.46, (-96.39,)),
    (6, 4_243, 96.82, (36.80, 84.92, 87.83)),
    (7, 1_776, 96.02, (93.62,)),
    (8, 2_793, 95.31, (54.87, 56.90, 79.92)),
    (9, 1_982, 94.48, (92.24,)),
    (10, 871, 93.04, (57.49, 39.70, 89.77, 72.62)),
    (11, 2_577, 97.44, (53.51, 38.71, 80.32)),
    (12, 1_767, 97.26, (95.78,)),
    (13, 1_767, 96.49, (57.33, 95.08, 11.15, 84.75)),
    (14, 28_188, 98.03, (33.20, 43.95, 85.57)),
    (15, 15_156, 97.96, (96.21,)),
]
OTHER_STARS = [
    (4, 17_874, 99.64, (94.51, 97.14, 98.98)),
    (5, 17_874, 99.73, (99.61,)),
    (6, 112_669, 99.90, (96.38, 99.48, 99.74)),
    (7, 112_669, 99.94, (99.90,)),
    (8, 19_275, 99.34, (91.59, 95.36, 98.45)),
    (9, 19_275, 99.46, (99.24,)),
    (10, 3_787, 98.50, (88.74, 90.52, 97.80)),
    (11, 17_875, 99.64, (93.25, 94.70, 98.72)),
    (12, 17_875, 99.74, (99.60,)),
    (14, 444_127, 99.86, (94.80, 96.29, 99.60)),
    (15, 444_127, 99.93, (99.88,)),
]

FEATURES = ("target", "lexical", "syntactic", "pos", "dictionary", "mesh", "orthographic")
# Table, class, words, F of each feature alone, pairs that the seed calls not significant.
FEATURE_TABLES = [
    (16, 17_874, (95.14, 96.84, 97.83, 96.58, 93.85, 92.75, 92.75), {("lexical", "pos"), ("mesh", "orthographic")}),
    (16, 2_793, (56.52, 77.63, 85.15, 74.73, 33.95, 0, 0), {("mesh", "orthographic")}),
    (
        17,
        112_669,
        (99.36, 99.14, 99.21, 98.78, 98.48, 98.15, 98.12),
        {("lexical", "syntactic"), ("mesh", "orthographic")},
    ),
    (17, 4_243, (79.74, 71.73, 74.17, 57.81, 34.10, 0, 1.19), set()),
]
TABLE_18_OTHER = (98.36, 98.50, 98.61, 97.70, 96.99, 96.93, 97.79)


def of_class(label: str) -> Scores:
    at = LABELS.index(label)
    right = int(TABLE_21[at, at])
    return Scores(right, int(TABLE_21[:, at].sum()) - right, int(TABLE_21[at].sum()) - right)


def z(first: float, second: float, words: int) -> float:
    """Of two F-measures in percent."""
    return TwoProportions(first / 100, words, second / 100, words).test().z


def test_table_21s_rows_are_gold() -> None:
    assert TABLE_21.sum(1).tolist() == list(TABLE_1_AUTHENTIC)


@pytest.mark.parametrize("label", LABELS)
def test_table_21_gives_table_20(label: str) -> None:
    scores = of_class(label)
    assert tuple(round(100 * s, 2) for s in (scores.precision, scores.recall, scores.f(1))) == TABLE_20[label]


def test_table_21_gives_the_shares_of_the_text() -> None:
    location, phone = TABLE_21[LABELS.index("Location")], TABLE_21[LABELS.index("Phone")]
    assert round(location[0] / location.sum(), 2) == 0.22
    assert round(location[LABELS.index("Hospital")] / location.sum(), 2) == 0.16
    assert round(phone[0] / phone.sum(), 2) == 0.34


@pytest.mark.parametrize(("table", "words", "ours", "others"), [*PHI_STARS, *OTHER_STARS])
def test_every_star_comes_out(table: int, words: int, ours: float, others: tuple[float, ...]) -> None:
    assert [abs(z(ours, abs(other), words)) > 1.96 for other in others] == [other > 0 for other in others], table


def test_the_one_difference_without_star_is_a_near_one() -> None:
    assert round(z(97.46, 96.39, 1_983), 2) == 1.95


@pytest.mark.parametrize(("table", "words", "scores", "exceptions"), FEATURE_TABLES)
def test_features_alone_differ_but_for_the_seeds_exceptions(
    table: int, words: int, scores: tuple[float, ...], exceptions: set[tuple[str, str]]
) -> None:
    named = dict(zip(FEATURES, scores, strict=True))
    equal = {(a, b) for a, b in combinations(FEATURES, 2) if abs(z(named[a], named[b], words)) < 1.96}
    assert equal == exceptions, table


def test_table_18_has_an_exception_it_does_not_name() -> None:
    named = dict(zip(FEATURES, TABLE_18_OTHER, strict=True))
    equal = {(a, b) for a, b in combinations(FEATURES, 2) if abs(z(named[a], named[b], 444_127)) < 1.96}
    assert equal == {("dictionary", "mesh")}
    assert round(z(96.99, 96.93, 444_127), 2) == 1.65
    assert z(96.995, 96.925, 444_127) < 1.96


def test_table_14s_f_is_not_that_of_its_precision_and_recall() -> None:
    # Any precision and recall that round to 99.83 and 99.92 % give more than 99.865 %.
    low = 2 * 0.99825 * 0.99915 / (0.99825 + 0.99915)
    assert low > 0.99865
