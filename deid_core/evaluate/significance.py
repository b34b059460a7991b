"""Whether two systems differ by more than chance: McNemar's test on paired tokens, the z-test of two proportions.

McNemar as in seed 000 (section 6.2, Table 11, equation 6), for PHI or not and, with "right" meaning the gold label, for
labels ("multiclass", section 6.4.2). It takes tokens to be independent, which the tokens of one name are not: its p is
too small rather than too large. `randomisation` does not assume that. The z-test is seed 001's (section 8.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from deid_core.evaluate.extra import statistics_library

SMALL = 25
"""Below this many decisions that differ, the chi² of McNemar's test is no approximation to rely on."""


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test of b tokens that only the first and c that only the second system decided rightly.

    chi² has one degree of freedom; the corrected one is that of the seed.
    """

    b: int
    c: int

    def __post_init__(self) -> None:
        if min(self.b, self.c) < 0:
            raise ValueError(f"{self.b} and {self.c} are no counts")

    @property
    def chi2(self) -> float:
        """With continuity correction: (|b - c| - 1)² / (b + c)."""
        return self._chi2(1)

    @property
    def p(self) -> float:
        """Of the corrected chi²."""
        return _chi2_tail(self.chi2)

    @property
    def chi2_uncorrected(self) -> float:
        """Without continuity correction: (b - c)² / (b + c)."""
        return self._chi2(0)

    @property
    def p_uncorrected(self) -> float:
        """Of the uncorrected chi²."""
        return _chi2_tail(self.chi2_uncorrected)

    @property
    def p_exact(self) -> float:
        """Two-sided binomial, exact for any b and c; needs the extra (scipy)."""
        if not self.b + self.c:
            return 1.0
        return float(statistics_library("scipy.stats").binomtest(self.b, self.b + self.c, 0.5).pvalue)

    @property
    def small(self) -> bool:
        """Whether only the exact p should be quoted."""
        return self.b + self.c < SMALL

    def _chi2(self, correction: int) -> float:
        if not self.b + self.c:
            return 0.0
        return float(max(abs(self.b - self.c) - correction, 0) ** 2 / (self.b + self.c))


@dataclass(frozen=True, slots=True)
class ZTest:
    """A z statistic and its two-sided p-value."""

    z: float
    p: float


def two_proportions(p1: float, n1: int, p2: float, n2: int) -> ZTest:
    """Seed 001's z-test of two proportions with the pooled variance (section 8.2, equations 6 and 7), from statsmodels.

    p1, p2: proportions, 0 to 1; n1, n2: sample sizes. The seed takes F-measures for proportions and the number of a
    class's words for the sample size. Proportions that are both 0 or both 1 do not differ: z is 0.
    Raises ValueError for proportions outside [0, 1] or empty samples.
    """
    if not (0 <= p1 <= 1 and 0 <= p2 <= 1 and n1 > 0 and n2 > 0):
        raise ValueError("proportions are within 0 and 1, samples not empty")
    if p1 == p2:
        return ZTest(0.0, 1.0)
    proportion = statistics_library("statsmodels.stats.proportion")
    z, p = proportion.proportions_ztest([p1 * n1, p2 * n2], [n1, n2])
    return ZTest(float(z), float(p))


def _chi2_tail(chi2: float) -> float:
    # With one degree of freedom chi² is the square of a standard normal variable.
    return math.erfc(math.sqrt(chi2 / 2))
