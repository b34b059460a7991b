"""Character n-grams of a word, hashed, in numba: what name-likeness is learned from and scored by.

The hash is FNV-1a over code points, its high bits folded down, modulo the number of buckets.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from deid_core.jit import jit

SHORTEST, LONGEST = 2, 5


@jit("i8(u4[::1], i8, i4[::1])")
def ngram_buckets(codes: npt.NDArray[Any], count: int, buckets: npt.NDArray[Any]) -> int:
    """Writes the buckets, below `count`, of all n-grams of the code points; how many. One that stands twice is two.

    buckets: int32, with room for (LONGEST - SHORTEST + 1) times as many as there are code points.
    """
    found = 0
    for start in range(len(codes)):
        value = 2166136261
        for at in range(start, min(start + LONGEST, len(codes))):
            value = ((value ^ codes[at]) * 16777619) & 0xFFFFFFFF
            if at - start + 1 >= SHORTEST:
                buckets[found] = (value ^ (value >> 15)) % count
                found += 1
    return found


@jit("void(i4[::1], i1[:,::1], i8[::1])")
def add_rows(buckets: npt.NDArray[Any], weights: npt.NDArray[Any], totals: npt.NDArray[Any]) -> None:
    """Adds the rows of these buckets up; weights: int8 (buckets, classes), totals: int64 (classes,), added to."""
    for bucket in buckets:
        for number in range(len(totals)):
            totals[number] += weights[bucket, number]
