"""How many notes of a corpus leak at most, from the notes of a sample that do. One-sided, with a confidence.

Equal weights (the same share drawn in every stratum): the exact bound of Clopper and Pearson (1934). Strata and drawing
without replacement only make it more cautious, since the number of leaking notes drawn is then a sum of independent
trials, which varies less than a binomial one (Hoeffding 1956).

Unequal weights: the gamma bound of Fay and Feuer (Statistics in Medicine 16, 1997, pages 791 to 801). It counts
as if the next leak were found where a note stands for most notes. With no leak found it is that largest weight times
3.0 at 95 %. Nobody has proved that it always holds; no case is known in which it does not, and the tests compute how
often it holds. Strata of which every note was read are known, and add no uncertainty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from scipy import stats

CONFIDENCE = 0.95
PER = 10_000
"""Shares are given as notes of so many."""


class StratumCount(NamedTuple):
    """A stratum: its notes, how many of them were drawn, and how many of these leak."""

    notes: int
    drawn: int
    leaking: int = 0

    @property
    def weight(self) -> Fraction:
        """How many notes one that was drawn stands for."""
        return Fraction(self.notes, self.drawn)


def estimated_share(strata: Sequence[StratumCount]) -> float:
    """Return the unbiased estimate of the share of leaking notes: each counts as often as its stratum's weight."""
    return float(sum(s.weight * s.leaking for s in strata if s.leaking) / sum(s.notes for s in strata))


def upper_bound(strata: Sequence[StratumCount]) -> float:
    """Return the share of leaking notes that is not exceeded with CONFIDENCE.

    strata: of the notes that the share is of; 1 if of one of them nothing was drawn.
    Raises ValueError without notes.
    """
    notes = sum(stratum.notes for stratum in strata)
    if not notes:
        raise ValueError("there are no notes")
    if any(not stratum.drawn for stratum in strata if stratum.notes):
        return 1.0
    known = float(Fraction(sum(s.leaking for s in strata if s.notes == s.drawn), notes))
    sampled = [stratum for stratum in strata if stratum.drawn < stratum.notes]
    if not sampled:
        return known
    if len({stratum.weight for stratum in sampled}) == 1:
        drawn, leaking = sum(s.drawn for s in sampled), sum(s.leaking for s in sampled)
        share = stats.beta.ppf(CONFIDENCE, leaking + 1, drawn - leaking) if leaking < drawn else 1.0
        bound = share * sum(s.notes for s in sampled) / notes
    else:
        weights = [float(stratum.weight / notes) for stratum in sampled]
        largest = max(weights)
        mean = sum(w * s.leaking for w, s in zip(weights, sampled, strict=True)) + largest
        variance = sum(w * w * s.leaking for w, s in zip(weights, sampled, strict=True)) + largest**2
        bound = stats.gamma.ppf(CONFIDENCE, mean**2 / variance, scale=variance / mean)
    return min(1.0, known + float(bound))


def notes_to_draw(share: float, leaking: int) -> int:
    """Return of how many notes, drawn with equal weights, `leaking` may leak for the bound to be at most `share`."""
    return math.ceil(float(stats.gamma.ppf(CONFIDENCE, leaking + 1)) / share)


def of_10_000(share: float) -> int:
    """Return a bound as notes of 10,000, rounded up."""
    return math.ceil(share * PER - 1e-9)
