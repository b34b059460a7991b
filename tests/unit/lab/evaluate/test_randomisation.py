"""Approximate randomisation: held against a plain loop with the same draws and against all swaps of a small case."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from deid_core.lab.evaluate import randomisation
from deid_core.lab.evaluate.randomisation import approximate_randomisation
from deid_core.lab.evaluate.scores import STATISTICS, f_score

RANDOM = np.random.default_rng(11)
FIRST = RANDOM.integers(0, 9, size=(10, 3))
SECOND = RANDOM.integers(0, 9, size=(10, 3)) + np.array([3, 0, 0])


@pytest.mark.parametrize("name", STATISTICS)
def test_rounds_are_those_of_a_plain_loop(name: str) -> None:
    statistic = STATISTICS[name]
    swaps = np.random.default_rng(5).integers(2, size=(200, 10), dtype=np.int8)
    observed = abs(float(statistic(FIRST.sum(0))) - float(statistic(SECOND.sum(0))))
    reached = 0
    for swap in swaps:
        a = [SECOND[note] if swapped else FIRST[note] for note, swapped in enumerate(swap)]
        b = [FIRST[note] if swapped else SECOND[note] for note, swapped in enumerate(swap)]
        apart = abs(float(statistic(np.sum(a, axis=0))) - float(statistic(np.sum(b, axis=0))))
        reached += apart >= observed - 1e-12
    found = approximate_randomisation(FIRST, SECOND, statistic, rounds=200, seed=5)
    assert found.reached == reached
    assert found.p == (reached + 1) / 201
    assert abs(found.difference) == pytest.approx(observed)


def test_p_comes_near_that_of_all_swaps() -> None:
    statistic = f_score(1)
    observed = abs(float(statistic(FIRST.sum(0))) - float(statistic(SECOND.sum(0))))
    moved = SECOND - FIRST
    exact = np.mean(
        [
            abs(float(statistic(FIRST.sum(0) + swap @ moved)) - float(statistic(SECOND.sum(0) - swap @ moved)))
            >= observed - 1e-12
            for swap in map(np.array, product((0, 1), repeat=10))
        ]
    )
    found = approximate_randomisation(FIRST, SECOND, statistic)
    # Three standard deviations of 9,999 draws.
    assert found.p == pytest.approx(exact, abs=3 * np.sqrt(exact * (1 - exact) / found.rounds) + 1e-4)


def test_it_is_two_sided() -> None:
    there, back = (approximate_randomisation(a, b, f_score(2)) for a, b in ((FIRST, SECOND), (SECOND, FIRST)))
    assert there.difference == -back.difference
    assert there.p == back.p


def test_equal_systems_never_differ() -> None:
    found = approximate_randomisation(FIRST, FIRST, f_score(2), rounds=99)
    assert (found.difference, found.p) == (0.0, 1.0)


def test_chunks_and_notes_that_agree_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = approximate_randomisation(FIRST, SECOND, f_score(2), rounds=100)
    monkeypatch.setattr(randomisation, "_CHUNK_CELLS", 70)
    assert approximate_randomisation(FIRST, SECOND, f_score(2), rounds=100) == whole
    same = np.array([[5, 1, 1]])
    longer = approximate_randomisation(np.vstack([same, FIRST]), np.vstack([same, SECOND]), f_score(0.5), rounds=100)
    assert 0 < longer.p <= 1


def test_other_notes_are_refused() -> None:
    with pytest.raises(ValueError, match="not the same notes"):
        approximate_randomisation(FIRST, SECOND[1:], f_score(1))
