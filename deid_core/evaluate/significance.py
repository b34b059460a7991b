"""Whether two systems differ by more than chance."""

from __future__ import annotations

import math


def mcnemar(b: int, c: int) -> tuple[float, float]:
    """McNemar's chi² with continuity correction and its p-value (seed 000, equation 6; one degree of freedom).

    b, c: tokens that only the first, only the second system decided rightly. Equal systems give (0.0, 1.0).
    """
    if b + c == 0:
        return 0.0, 1.0
    chi2 = max(abs(b - c) - 1, 0) ** 2 / (b + c)
    return chi2, math.erfc(math.sqrt(chi2 / 2))
