"""Bounds: against Clopper and Pearson, and how often they hold, computed or drawn."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("scipy", reason="needs the extra sign")

from scipy import stats

from deid_core.certify.bounds import StratumCount, estimated_share, notes_to_draw, of_10_000, upper_bound

SIZES = [
    ((900, 100), (45, 15)),
    ((9000, 1000), (270, 90)),
    ((500, 500), (20, 60)),
    ((270, 30), (27, 9)),
    ((9, 300), (3, 60)),
]
"""Notes and drawn notes of two strata."""
RATES = (0.0005, 0.002, 0.01, 0.05)


def counts(sizes: Sequence[int], drawn: Sequence[int], leaking: Sequence[int]) -> list[StratumCount]:
    return [StratumCount(*row) for row in zip(sizes, drawn, leaking, strict=True)]


def outcomes(
    sizes: tuple[int, ...], drawn: tuple[int, ...], leaking: tuple[int, ...]
) -> list[tuple[list[StratumCount], float]]:
    """Return what may be found in a corpus of which so many notes of each stratum leak, with its probability.

    What is found in less than one of a million draws is left out.
    """
    ways = []
    for size, n, k in zip(sizes, drawn, leaking, strict=True):
        x = np.arange(min(n, k) + 1)
        ways.append(list(zip(x.tolist(), stats.hypergeom.pmf(x, size, k, n).tolist(), strict=True)))
    found = []
    for outcome in itertools.product(*ways):
        if (p := float(np.prod([p for _, p in outcome]))) > 1e-6:
            found.append((counts(sizes, drawn, tuple(x for x, _ in outcome)), p))
    return found


CORPORA = [
    (sizes, drawn, (round(rate * sum(sizes)) - inside, inside))
    for sizes, drawn in SIZES
    for rate in RATES
    for share in (0, 0.5, 1)
    if (inside := min(round(rate * sum(sizes) * share), sizes[1])) <= round(rate * sum(sizes)) <= inside + sizes[0]
    if round(rate * sum(sizes))
]
"""Notes and drawn notes of two strata, and how many leak: rarely and often, in either stratum or both."""


def test_there_are_rare_leaks_among_the_corpora() -> None:
    assert len(CORPORA) > 40
    assert sum(sum(leaking) == 1 for _, _, leaking in CORPORA) >= 2


@pytest.mark.parametrize(("sizes", "drawn", "leaking"), CORPORA)
def test_in_95_of_100_draws_the_true_share_is_below_the_bound(
    sizes: tuple[int, ...], drawn: tuple[int, ...], leaking: tuple[int, ...]
) -> None:
    """The probability is computed over all that may be found, not drawn."""
    share = sum(leaking) / sum(sizes)
    found = outcomes(sizes, drawn, leaking)
    assert sum(p for _, p in found) > 0.999
    assert sum(p for rows, p in found if upper_bound(rows) >= share - 1e-12) >= 0.95


@pytest.mark.parametrize(("sizes", "drawn", "leaking"), CORPORA[::7])
def test_the_estimate_is_unbiased(sizes: tuple[int, ...], drawn: tuple[int, ...], leaking: tuple[int, ...]) -> None:
    found = outcomes(sizes, drawn, leaking)
    assert sum(p * estimated_share(rows) for rows, p in found) == pytest.approx(sum(leaking) / sum(sizes), rel=0.01)


@pytest.mark.parametrize("rate", [0.0003, 0.001, 0.004])
def test_many_strata(rate: float) -> None:
    """26 strata, as an archive of 13 years has them; leaks are likelier in doubtful notes. 2,000 draws."""
    random = np.random.default_rng(7)
    sizes, drawn = np.array([1400, 12600] * 13), np.array([7, 21] * 13)
    leaking = random.binomial(sizes, rate * np.array([4, 0.7] * 13))
    share = leaking.sum() / sizes.sum()
    x = random.hypergeometric(leaking, sizes - leaking, drawn, size=(2000, len(sizes)))
    found, times = np.unique(x, axis=0, return_counts=True)
    holds = [upper_bound(counts(sizes.tolist(), drawn.tolist(), row)) >= share for row in found.tolist()]
    assert times[holds].sum() >= 0.95 * 2000


@given(st.integers(1, 400), st.integers(0, 400))
def test_equal_weights_give_clopper_and_pearson(drawn: int, leaking: int) -> None:
    leaking = min(leaking, drawn)
    exact = stats.binomtest(leaking, drawn, alternative="less").proportion_ci(0.95, method="exact").high
    # Two strata with the same weight, and one.
    rows = [StratumCount(10 * drawn, drawn, leaking), StratumCount(20 * drawn, 2 * drawn, 0)]
    assert upper_bound(rows[:1]) == pytest.approx(exact)
    pooled = stats.binomtest(leaking, 3 * drawn, alternative="less").proportion_ci(0.95, method="exact").high
    assert upper_bound(rows) == pytest.approx(pooled)


_STRATA = st.lists(
    st.tuples(st.integers(1, 500), st.integers(1, 500), st.integers(0, 500)).map(
        lambda row: StratumCount(row[0], min(row[:2]), min(row))
    ),
    min_size=1,
    max_size=5,
)


@given(_STRATA, st.integers(0, 4))
def test_the_bound_is_above_the_estimate_and_rises_with_what_is_found(rows: list[StratumCount], at: int) -> None:
    bound = upper_bound(rows)
    assert estimated_share(rows) - 1e-9 <= bound <= 1
    row = rows[at % len(rows)]
    if row.leaking < row.drawn:
        more = [*rows]
        more[at % len(rows)] = row._replace(leaking=row.leaking + 1)
        assert upper_bound(more) >= bound - 1e-9


def test_what_was_read_as_a_whole_is_known() -> None:
    assert upper_bound([StratumCount(10, 10, 1), StratumCount(30, 30, 1)]) == 0.05
    known, sampled = StratumCount(100, 100, 10), StratumCount(900, 300, 0)
    assert upper_bound([known, sampled]) == pytest.approx(0.01 + 0.9 * upper_bound([sampled]))


def test_nothing_is_known_of_what_was_not_read() -> None:
    assert upper_bound([StratumCount(10, 0), StratumCount(30, 30)]) == 1
    with pytest.raises(ValueError, match="no notes"):
        upper_bound([])


def test_sizes_are_those_of_the_rule_of_three() -> None:
    assert notes_to_draw(0.01, 0) == 300
    assert upper_bound([StratumCount(100_000, 300)]) <= 0.01 < upper_bound([StratumCount(100_000, 290)])
    assert upper_bound([StratumCount(100_000, notes_to_draw(0.01, 2), 2)]) <= 0.01
    assert (of_10_000(0.00981), of_10_000(0.0098), of_10_000(0.0)) == (99, 98, 0)
