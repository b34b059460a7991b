"""Seed 000's tables give its figures. Where its own table does not give what it prints, the test says so.

- Table 15 prints kappa 0.726 for the full model; Table 14, its confusion table, gives 0.776.
- Tables 14 and 17 are of the same model and the same 14,134 tokens, yet Table 17 joined to PHI or not has 595, 319 and
  83 where Table 14 has 605, 251 and 75 true positives, false positives and false negatives.
- Table 16 prints F2 0.57 LOC, 0.73 PHONE, 0.97 TITLE for the full model; Table 17 gives 0.58, 0.63, 0.96.
- Tables 19 and 22 have baseline and full model in each other's place: by Tables 14 and 20 the baseline decided 283
  tokens wrongly and the full model 326, by Table 17 the full model gave 418 tokens a wrong label. chi² and p do not
  change with that, but the seed's conclusion does: the baseline had the lower error rate (6.4.1, 6.4.2).
- p 0.0009 of the approximate randomisation is (0 + 1) / (1000 + 1) cut, not rounded: the smallest p of 1,000 rounds.
  Over all 2^16 swaps p is 0.00027.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from deid_core.lab.evaluate.randomisation import approximate_randomisation
from deid_core.lab.evaluate.scores import STATISTICS, Scores, cohen_kappa, f_score
from deid_core.lab.evaluate.significance import McNemar

TOKENS = 14_134

TABLE_14 = np.array([[605, 75], [251, 13_203]])
"""Rows: gold PHI, gold other; columns: found PHI, found other."""

LABELS = ("DATE", "LOC", "O", "PER", "PHONE", "PLZ", "SALUTE", "TITLE")
TABLE_17 = np.array(
    [
        [225, 0, 16, 0, 0, 0, 0, 0],
        [0, 58, 38, 8, 0, 0, 0, 0],
        [9, 26, 13_137, 284, 0, 0, 0, 0],
        [0, 4, 17, 144, 0, 0, 0, 0],
        [0, 0, 9, 0, 15, 2, 0, 0],
        [0, 0, 0, 0, 0, 15, 0, 0],
        [0, 0, 1, 0, 0, 0, 51, 0],
        [0, 0, 2, 2, 0, 0, 0, 71],
    ]
)
"""Rows: gold; columns: found by the full model."""

# True positives, all that was found, all gold tokens of each of the 16 notes.
TABLE_20 = """6 8 7|29 40 36|24 31 31|45 54 61|37 53 51|32 41 41|27 32 30|32 39 43|35 48 48|48 58 59|40 45 46|20 30 29
|32 34 40|29 35 37|44 54 61|50 61 60"""
TABLE_21 = """7 9 7|35 56 36|29 40 31|51 66 61|45 75 51|41 59 41|27 39 30|36 51 43|39 56 48|54 76 59|43 51 46|26 38 29
|33 36 40|31 46 37|54 78 61|54 80 60"""


def counts(printed: str) -> np.ndarray:
    """(true positive, false positive, false negative) by note, from the seed's three columns."""
    tp, found, gold = np.array([row.split() for row in printed.split("|")], np.int64).T
    return np.stack([tp, found - tp, gold - tp], axis=1)


BASELINE, FULL = counts(TABLE_20), counts(TABLE_21)


def of_label(label: str) -> Scores:
    at = LABELS.index(label)
    right = int(TABLE_17[at, at])
    return Scores(right, int(TABLE_17[:, at].sum()) - right, int(TABLE_17[at].sum()) - right)


def test_table_14_gives_precision_recall_and_table_13s_f2() -> None:
    anonymised, kept = Scores(605, 251, 75), Scores(13_203, 75, 251)
    assert round(anonymised.precision, 2) == 0.71
    assert round(anonymised.recall, 2) == 0.89
    assert round(anonymised.f(2), 2) == 0.85
    assert round(kept.f(2), 2) == 0.98


def test_table_14_gives_another_kappa_than_table_15() -> None:
    assert TABLE_14.sum() == TOKENS
    assert round(cohen_kappa(TABLE_14), 3) == 0.776  # printed: 0.726


def test_table_20_gives_the_baselines_f2_and_kappa() -> None:
    tp, fp, fn = (int(n) for n in BASELINE.sum(0))
    baseline = Scores(tp, fp, fn)
    assert (round(baseline.precision, 2), round(baseline.recall, 2), round(baseline.f(2), 2)) == (0.80, 0.78, 0.78)
    kappa = cohen_kappa(np.array([[tp, fn], [fp, TOKENS - tp - fp - fn]]))
    assert round(kappa, 3) == 0.779


def test_table_21_is_table_14_by_note() -> None:
    assert FULL.sum(0).tolist() == [605, 251, 75]


def test_table_17_gives_table_18s_kappa() -> None:
    assert TABLE_17.sum() == TOKENS
    assert round(cohen_kappa(TABLE_17), 3) == 0.728


@pytest.mark.parametrize(("label", "f2"), [("DATE", 0.94), ("PER", 0.66), ("PLZ", 0.97), ("SALUTE", 0.98)])
def test_table_17_gives_table_16(label: str, f2: float) -> None:
    assert round(of_label(label).f(2), 2) == f2


@pytest.mark.parametrize(("label", "f2"), [("LOC", 0.58), ("PHONE", 0.63), ("TITLE", 0.96)])
def test_table_17_gives_other_scores_than_table_16(label: str, f2: float) -> None:
    assert round(of_label(label).f(2), 2) == f2  # printed: 0.57, 0.73, 0.97


def test_table_17_gives_the_summarys_precision_and_recall() -> None:
    person, place = of_label("PER"), of_label("LOC")
    assert (round(person.precision, 2), round(person.recall, 2)) == (0.33, 0.87)
    assert (round(place.precision, 2), round(place.recall, 2)) == (0.66, 0.56)
    assert (of_label("PHONE").precision, round(of_label("PHONE").recall, 2)) == (1.0, 0.58)


def test_table_17_as_phi_or_not_is_not_table_14() -> None:
    other = LABELS.index("O")
    phi = np.arange(len(LABELS)) != other
    joined = (TABLE_17[np.ix_(phi, phi)].sum(), TABLE_17[other, phi].sum(), TABLE_17[phi, other].sum())
    assert joined == (595, 319, 83)


def test_table_19_gives_chi2_and_p() -> None:
    test = McNemar(82, 125)
    assert test.chi2 == pytest.approx(8.52173913043)
    assert round(test.p, 4) == 0.0035
    assert round(test.chi2_uncorrected, 2) == 8.93
    assert round(test.p_exact, 4) == 0.0034


def test_table_22_gives_chi2_and_p() -> None:
    test = McNemar(73, 106)
    assert test.chi2 == pytest.approx(5.72067039106)
    assert round(test.p, 3) == 0.017


def test_tables_19_and_22_have_the_systems_in_each_others_place() -> None:
    wrong_baseline, wrong_full = (int(by_note[:, 1:].sum()) for by_note in (BASELINE, FULL))
    assert (wrong_baseline, wrong_full) == (82 + 201, 125 + 201)  # Table 19: baseline 125 + 201, full 82 + 201
    assert TABLE_17.sum() - np.trace(TABLE_17) == 106 + 312  # Table 22: full 73 + 312


def test_tables_20_and_21_give_the_p_of_1000_rounds() -> None:
    found = approximate_randomisation(FULL, BASELINE, STATISTICS["f2"], rounds=1000)
    assert found.difference == pytest.approx(0.8459 - 0.7833, abs=5e-5)
    assert found.reached == 0
    assert int(found.p * 10_000) / 10_000 == 0.0009


def test_tables_20_and_21_give_the_p_of_all_swaps() -> None:
    f2 = f_score(2)
    swaps = np.array(list(product((0, 1), repeat=16)))
    moved = swaps @ (FULL - BASELINE)
    apart = np.abs(f2(BASELINE.sum(0) + moved) - f2(FULL.sum(0) - moved))
    exact = float((apart >= abs(f2(FULL.sum(0)) - f2(BASELINE.sum(0))) - 1e-12).mean())
    assert round(exact, 5) == 0.00027
    assert approximate_randomisation(FULL, BASELINE, f2).p == pytest.approx(exact, abs=6e-4)


def test_f1_of_the_two_does_not_differ() -> None:
    # What the full model gains in recall it loses in precision; only F2 prefers it.
    assert approximate_randomisation(FULL, BASELINE, STATISTICS["f1"]).p > 0.8
