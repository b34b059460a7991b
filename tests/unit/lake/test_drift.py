"""Comparison of a night's notes with those of earlier nights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_core.lake.checks.drift import (
    MIN_NIGHTS,
    NIGHTS,
    WEEK,
    alarms,
    compare,
    look_for_drift,
    population_stability_index,
)
from deid_core.lake.checks.drift import _holm as holm
from deid_core.lake.checks.drift import _two_sided as two_sided
from deid_core.lake.checks.night_profile import BOUNDS, Measure, Profile

NAMES, TOKENS = ("names", "PER"), ("note_tokens", "")
SHARES = np.array([0.001, 0.004, 0.015, 0.06, 0.12, 0.2, 0.2, 0.15, 0.12, 0.08, 0.04, 0.01, 0, 0])
FEW = np.array([0.2, 0.3, 0.3, 0.2, *([0] * 10)])


def profile(names: np.ndarray) -> Profile:
    """Return a night with these notes by number of names, all of one length."""
    tokens = np.zeros(len(BOUNDS["note_tokens"]), np.int64)
    tokens[5] = names.sum()
    return {NAMES: names, TOKENS: tokens}


def nights(count: int, notes: int, seed: int, shares: np.ndarray = SHARES) -> list[Profile]:
    rng = np.random.default_rng(seed)
    return [profile(rng.multinomial(notes, shares / shares.sum())) for _ in range(count)]


@given(counts=st.lists(st.integers(0, 400), min_size=14, max_size=14).filter(any), count=st.integers(MIN_NIGHTS, 40))
@settings(max_examples=50)
def test_nights_that_are_alike_never_give_an_alarm(counts: list[int], count: int) -> None:
    assert alarms(look_for_drift([profile(np.array(counts))] * (count + 1))) == []


@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)), min_size=2, max_size=20))
def test_the_stability_index_is_not_negative_and_the_same_in_both_directions(pairs: list[tuple[int, int]]) -> None:
    before, after = np.array(pairs).T
    index = population_stability_index(before, after)
    assert index >= 0
    assert index == pytest.approx(population_stability_index(after, before))
    assert population_stability_index(before, before) == 0


def test_the_stability_index_is_that_of_the_definition() -> None:
    before, after = np.array([49_999.5, 49_999.5]), np.array([79_999.5, 19_999.5])
    expected = 0.3 * np.log(0.8 / 0.5) - 0.3 * np.log(0.2 / 0.5)
    assert population_stability_index(before, after) == pytest.approx(expected, rel=1e-4)


def test_notes_that_lost_their_names_are_reported() -> None:
    earlier = nights(NIGHTS, 2_000, seed=1)
    rng = np.random.default_rng(2)
    lost = rng.multinomial(1_960, SHARES / SHARES.sum()) + rng.multinomial(40, FEW)
    [shift] = compare(profile(lost), earlier).shifts
    assert (shift.measure, shift.value, shift.below) == (*NAMES, True)
    assert shift.notes == lost[: int(shift.bound)].sum() > 1.5 * shift.expected
    assert shift.of == 2_000
    assert str(shift).startswith(f"names PER: {shift.notes} of 2,000 notes are below {shift.bound:g}, expected ")
    # The other side of a bound is as much a change: letters in which more is removed than before.
    many = compare(profile(np.array([0] * 10 + [500, 500, 500, 500])), earlier).shifts[0]
    assert not many.below
    assert many.notes > many.expected


def test_nights_by_chance_give_hardly_an_alarm() -> None:
    drawn = nights(NIGHTS + 200, 300, seed=3)
    reported = [bool(compare(drawn[n], drawn[n - NIGHTS : n]).shifts) for n in range(NIGHTS, len(drawn))]
    assert sum(reported) <= 2


def test_what_nights_differ_in_among_each_other_is_no_alarm() -> None:
    """Each night has a share of short letters of its own: by chance alone its notes would be out of the question."""
    rng = np.random.default_rng(4)
    drawn = [
        profile(rng.multinomial(3_000, (1 - part) * SHARES / SHARES.sum() + part * FEW))
        for part in [*rng.uniform(0, 0.1, NIGHTS), 0.09]
    ]
    assert compare(drawn[-1], drawn[:-1]).shifts == ()
    pooled = sum(night[NAMES] for night in drawn[:-1])
    alike = [profile(np.round(pooled / NIGHTS).astype(int))] * NIGHTS
    assert compare(drawn[-1], alike).shifts


def test_a_large_night_is_not_judged_by_what_small_ones_cannot_tell() -> None:
    """Thirty nights of 50 notes are compatible with nights that differ by a few hundredths."""
    earlier = nights(NIGHTS, 50, seed=5)
    slightly = SHARES / SHARES.sum() + np.eye(14)[5] * 0.02 - np.eye(14)[7] * 0.02
    large = np.round(100_000 * slightly).astype(int)
    assert compare(profile(large), earlier).shifts == ()
    # By chance alone 100,000 notes would never differ so much.
    assert abs(large[:7].sum() / large.sum() - SHARES[:7].sum()) > 10 * 0.5 / np.sqrt(large.sum())


def test_a_small_change_is_reported_when_it_lasts_a_week() -> None:
    rng = np.random.default_rng(6)
    changed = 0.97 * SHARES / SHARES.sum() + 0.03 * FEW
    week = [profile(rng.multinomial(180, changed)) for _ in range(WEEK)]
    [tonight, together] = look_for_drift([*nights(NIGHTS, 180, seed=7), *week])
    assert tonight.shifts == ()
    [shift] = together.shifts
    assert (shift.nights, shift.of) == (WEEK, WEEK * 180)
    assert "of the last 7 runs are below" in str(shift)


def test_a_value_that_is_new_counts_as_none_before() -> None:
    earlier = nights(NIGHTS, 500, seed=8)
    new = {**earlier[0], (Measure.QUARANTINE.value, "corrupt"): np.array([480, 20])}
    [shift] = compare(new, earlier).shifts
    assert (shift.measure, shift.value, shift.notes) == ("quarantine", "corrupt", 20)


def test_few_earlier_nights_are_not_compared() -> None:
    drawn = nights(MIN_NIGHTS + WEEK, 100, seed=9)
    assert [c.nights for c in look_for_drift(drawn)] == [MIN_NIGHTS + WEEK - 1, MIN_NIGHTS]
    assert [c.nights for c in look_for_drift(drawn[: MIN_NIGHTS + 1])] == [MIN_NIGHTS]
    assert look_for_drift(drawn[:MIN_NIGHTS]) == []
    assert look_for_drift([]) == []


@given(n=st.integers(1, 500), share=st.floats(0.001, 0.999), concentration=st.floats(2, 1e5), data=st.data())
def test_the_tails_are_those_of_scipy(n: int, share: float, concentration: float, data: st.DataObject) -> None:
    betabinom = pytest.importorskip("scipy.stats", reason="needs the extra evaluate").betabinom
    x = data.draw(st.integers(0, n))
    found = two_sided(x, n, share, concentration)
    law = betabinom(n, share * concentration, (1 - share) * concentration)
    tail = law.cdf(x) if x < n * share else law.sf(x - 1)
    assert found in (1.0, pytest.approx(min(1, 2 * tail), rel=1e-6, abs=1e-7))
    assert found < 1 or abs(x - n * share) <= 2.5001 * law.std() or tail >= 0.5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_correction_is_that_of_statsmodels(p_values: list[float]) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="needs the extra evaluate")
    expected = multitest.multipletests(p_values, method="holm")[1]
    assert holm(np.array(p_values)) == pytest.approx(expected)
