"""Character n-grams of words, in numba: hashed n-grams for name-likeness, and look-up of affixes that a model knows.

The hash is FNV-1a over code points, its high bits folded down, modulo the number of buckets. Affixes are not hashed but
packed: the n-grams of a model have so few distinct letters that six of them fit into an integer.

Strings are code points, one string after another: string n is codes[bounds[n]:bounds[n + 1]].
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.text.hash_table import place_of

SHORTEST, LONGEST = 2, 5


@jit("i8(u4[::1], i8, i4[::1])")
def ngram_buckets(codes: npt.NDArray[Any], count: int, buckets: npt.NDArray[Any]) -> int:
    """Write the buckets, below `count`, of all n-grams of the code points, and return their number with repetitions.

    buckets: int32, (LONGEST - SHORTEST + 1) times as long as `codes`.
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
    """Add up the rows of these buckets; weights: int8 (buckets, classes), totals: int64 (classes,), added to."""
    for bucket in buckets:
        for number in range(len(totals)):
            totals[number] += weights[bucket, number]


@jit("void(u4[::1], i8[::1], i1[:,::1], i8[:,::1], i8[::1])")
def add_ngrams(
    codes: npt.NDArray[Any],
    bounds: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    totals: npt.NDArray[Any],
    counts: npt.NDArray[Any],
) -> None:
    """Add up the rows of each string's n-grams; totals: int64 (strings, classes), counts: their number, int64."""
    longest = 0
    for number in range(len(counts)):
        longest = max(longest, bounds[number + 1] - bounds[number])
    buckets = np.empty(longest * (LONGEST - SHORTEST + 1), np.int32)
    for number in range(len(counts)):
        found = ngram_buckets(codes[bounds[number] : bounds[number + 1]], len(weights), buckets)
        add_rows(buckets[:found], weights, totals[number])
        counts[number] = found


@jit("void(u4[::1], i8[::1], i4[::1], i8, i8[::1], i4[::1], i4[:,::1])")
def edge_ngram_numbers(
    codes: npt.NDArray[Any],
    bounds: npt.NDArray[Any],
    letters: npt.NDArray[Any],
    bits: int,
    keys: npt.NDArray[Any],
    numbers: npt.NDArray[Any],
    found: npt.NDArray[Any],
) -> None:
    """Look up the n-grams at the beginning and at the end of strings, from one letter to `limit`.

    letters: of each code point its number with `bits` bits, 0 if no n-gram contains it. keys: a hash table
    (text/hash_table.py) of packed n-grams, each from the string's edge inwards; the lowest bit is 1 at the end of a
    string. numbers: the value at each place. found: int32 (strings, 2 * limit), all 0, gets the values at the beginning
    by length, then those at the end.
    """
    limit = found.shape[1] // 2
    for word in range(len(found)):
        first, last = bounds[word], bounds[word + 1] - 1
        for side in range(2):
            packed = 0
            for size in range(min(limit, last + 1 - first)):
                code = codes[last - size] if side else codes[first + size]
                letter = letters[code] if code < len(letters) else 0
                if letter == 0:
                    break
                packed = packed << bits | letter
                key = packed << 1 | side
                place = place_of(key, len(keys))
                while keys[place] != 0:
                    if keys[place] == key:
                        found[word, side * limit + size] = numbers[place]
                        break
                    place = (place + 1) & (len(keys) - 1)
