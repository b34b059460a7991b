"""Whether two systems differ by more than chance: McNemar's test on paired tokens, the z-test of two proportions.

McNemar as in seed 000 (section 6.2, Table 11, equation 6), for PHI or not and, with "right" meaning the gold label, for
labels ("multiclass", section 6.4.2). It takes tokens to be independent, which the tokens of one name are not: its p is
too small rather than too large. `randomisation` does not assume that. The z-test is seed 001's (section 8.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from deid_core.lab.evaluate.optional_dependency import statistics_library

SMALL = 25
"""Below this many decisions that differ, the chi² of McNemar's test is no approximation to rely on: p is counted."""


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
        """Two-sided binomial, exact for any b and c; unless they are `small`, it needs the extra (scipy)."""
        n = self.b + self.c
        if self.small:
            # Counted, so that no p of the chi² need be quoted where scipy is missing.
            ways = sum(math.comb(n, k) for k in range(min(self.b, self.c) + 1))
            return float(min(1.0, 2 * ways / 2**n))
        return float(statistics_library("scipy.stats").binomtest(self.b, n, 0.5).pvalue)

    @property
    def p_quoted(self) -> float:
        """The p to quote: exact where b and c are `small`, else of the corrected chi²."""
        return self.p_exact if self.small else self.p

    @property
    def small(self) -> bool:
        """Whether only the exact p should be quoted."""
        return self.b + self.c < SMALL

    def _chi2(self, correction: int) -> float:
        if not self.b + self.c:
            return 0.0
        return float(max(abs(self.b - self.c) - correction, 0) ** 2 / (self.b + self.c))


@dataclass(frozen=True, slots=True)
class TwoProportions:
    """Seed 001's z-test of two proportions with the pooled variance (section 8.2, equations 6 and 7), from statsmodels.

    p1, p2: proportions, 0 to 1; n1, n2: sample sizes. The seed takes precision, recall and F-measure for proportions
    and the number of the gold words for the sample size. It takes the samples to be independent: two systems on the
    same words are not, which the paired tests know.
    """

    p1: float
    n1: int
    p2: float
    n2: int

    def __post_init__(self) -> None:
        if not (0 <= self.p1 <= 1 and 0 <= self.p2 <= 1 and self.n1 > 0 and self.n2 > 0):
            raise ValueError("proportions are within 0 and 1, samples not empty")

    def test(self) -> ZTest:
        """Equal proportions do not differ, both 0 or both 1 among them: z is 0. Needs the extra (statsmodels)."""
        if self.p1 == self.p2:
            return ZTest(0.0, 1.0)
        library = statistics_library("statsmodels.stats.proportion")
        z, p = library.proportions_ztest([self.p1 * self.n1, self.p2 * self.n2], [self.n1, self.n2])
        return ZTest(float(z), float(p))


def wilson(count: int, total: int) -> tuple[float, float]:
    """Return Wilson's interval of 95 % for a share (1927), from statsmodels. Needs the extra."""
    library = statistics_library("statsmodels.stats.proportion")
    low, high = library.proportion_confint(count, total, method="wilson")
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class ZTest:
    """A z statistic and its two-sided p-value."""

    z: float
    p: float


def _chi2_tail(chi2: float) -> float:
    # With one degree of freedom chi² is the square of a standard normal variable.
    return math.erfc(math.sqrt(chi2 / 2))
