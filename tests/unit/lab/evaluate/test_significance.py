"""McNemar's test and the z-test, held against statsmodels, scipy and arithmetic."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.lab.evaluate.significance import SMALL, McNemar, TwoProportions, ZTest, wilson

tables = pytest.importorskip("statsmodels.stats.contingency_tables")
stats = pytest.importorskip("scipy.stats")

COUNT = st.integers(0, 15) | st.integers(0, 300)


@given(COUNT, COUNT.map(lambda count: count + 1))
def test_mcnemar_is_that_of_statsmodels(b: int, c: int) -> None:
    test = McNemar(b, c)
    table = [[0, b], [c, 0]]
    exact = tables.mcnemar(table, exact=True)
    uncorrected = tables.mcnemar(table, exact=False, correction=False)
    assert test.p_exact == pytest.approx(exact.pvalue)
    assert (test.chi2_uncorrected, test.p_uncorrected) == pytest.approx((uncorrected.statistic, uncorrected.pvalue))
    if b != c:  # statsmodels corrects even |b - c| = 0, which makes equal systems differ
        corrected = tables.mcnemar(table, exact=False, correction=True)
        assert (test.chi2, test.p) == pytest.approx((corrected.statistic, corrected.pvalue))


@given(COUNT, COUNT.map(lambda count: count + 1))
def test_the_exact_p_is_binomial(b: int, c: int) -> None:
    n, few = b + c, min(b, c)
    tail = sum(math.comb(n, k) for k in range(few + 1)) / 2**n
    assert McNemar(b, c).p_exact == pytest.approx(min(1.0, 2 * tail))
    assert McNemar(b, c).p_exact == pytest.approx(stats.binomtest(b, n).pvalue)


def test_equal_systems_do_not_differ() -> None:
    for test in (McNemar(0, 0), McNemar(9, 9)):
        assert (test.chi2, test.p, test.p_uncorrected, test.p_exact) == (0.0, 1.0, 1.0, 1.0)


def test_few_differences_call_for_the_exact_test() -> None:
    few, many = McNemar(5, 19), McNemar(5, 20)
    assert few.small and few.b + few.c == SMALL - 1 and few.p_quoted == few.p_exact != few.p
    assert not many.small and many.p_quoted == many.p != many.p_exact
    with pytest.raises(ValueError, match="no counts"):
        McNemar(-1, 3)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.integers(2, 5000), st.integers(2, 5000))
def test_z_is_the_seeds_formula(p1: float, p2: float, n1: int, n2: int) -> None:
    pooled = (n1 * p1 + n2 * p2) / (n1 + n2)
    expected = (p1 - p2) / math.sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2))
    test = TwoProportions(p1, n1, p2, n2).test()
    assert test.z == pytest.approx(expected, abs=1e-9)
    assert test.p == pytest.approx(math.erfc(abs(expected) / math.sqrt(2)), abs=1e-9)


def test_proportions_that_are_the_same_do_not_differ() -> None:
    for same in (0.0, 0.4, 1.0):
        assert TwoProportions(same, 10, same, 20).test() == ZTest(0.0, 1.0)
    for wrong in ((1.1, 10, 0.5, 10), (0.5, 0, 0.5, 10)):
        with pytest.raises(ValueError, match="within 0 and 1"):
            TwoProportions(*wrong)


def test_wilsons_interval_of_a_share() -> None:
    low, high = wilson(32, 40)
    assert (round(low, 3), round(high, 3)) == (0.652, 0.895)
    assert wilson(0, 40)[0] == 0.0
