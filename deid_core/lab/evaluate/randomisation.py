"""Two-sided approximate randomisation, stratified by note (seed 000, section 6.2, equation 7; seed 003, section 4.5).

If two systems were the same, it would not matter which of them a note's counts come from. So each round swaps the
counts of the two systems in every note with probability 1/2, and p says how often chance alone parts them as far as
they are, in either direction: p = (rounds that do + 1) / (rounds + 1). A note is a stratum, swapped as a whole, as in
the seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deid_core.lab.evaluate.scores import Counts, Statistic

ROUNDS = 9_999
"""Seed 003's N; seed 000 took 1,000."""
SEED = 2018
_CHUNK_CELLS = 4_000_000
_TIE = 1e-12
"""Two tables may give the same score with another last bit; such a round counts as one that parts them as far."""


@dataclass(frozen=True, slots=True)
class Randomisation:
    """The outcome: difference = statistic(first) - statistic(second); reached counts rounds at least as far apart."""

    difference: float
    reached: int
    rounds: int

    @property
    def p(self) -> float:
        """The chance of such a difference between equal systems; never below 1 / (rounds + 1)."""
        return (self.reached + 1) / (self.rounds + 1)


def approximate_randomisation(
    first: Counts, second: Counts, statistic: Statistic, *, rounds: int = ROUNDS, seed: int = SEED
) -> Randomisation:
    """Tests whether a statistic of two systems' summed counts differs by more than chance.

    first, second: counts of the same notes, shape (notes, …); statistic: from counts of shape (rounds, …) to (rounds,).
    The same counts and seed give the same p. Raises ValueError if the shapes differ.
    """
    if first.shape != second.shape:
        raise ValueError(f"counts of shape {first.shape} against {second.shape}: not the same notes or labels")
    difference = float(statistic(first.sum(0)) - statistic(second.sum(0)))
    shape = first.shape[1:]
    total_first, total_second = (counts.sum(0, dtype=np.float64).ravel() for counts in (first, second))
    moved = (second.astype(np.float64) - first).reshape(len(first), -1)
    moved = moved[moved.any(1)]  # Swapping equal counts changes nothing.
    random = np.random.default_rng(seed)
    reached = 0
    step = max(1, _CHUNK_CELLS // max(1, len(moved)))
    for start in range(0, rounds, step):
        rows = min(step, rounds - start)
        swaps = random.integers(2, size=(rows, len(moved)), dtype=np.int8).astype(np.float64)
        shift = swaps @ moved
        a = statistic((total_first + shift).reshape(rows, *shape))
        b = statistic((total_second - shift).reshape(rows, *shape))
        reached += int((np.abs(a - b) >= abs(difference) - _TIE).sum())
    return Randomisation(difference, reached, rounds)
