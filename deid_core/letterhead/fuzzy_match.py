"""Spelling variants: words whose edit distance to a search term is small relative to their length.

R = d / min(|n|, |w|), with d the Levenshtein distance of search term n and word w. A variant has R below a threshold,
0.333 in seed 000 (section 4.3, equation 1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deid_core.text.arrays import StringPool


def closest(
    terms: Sequence[str], words: Sequence[str], max_ratio: float
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return for each word the index of the closest term (the first of equals) and its R; -1 and infinity without one.

    Both arrays have shape (words,). Terms and words must not be empty strings.
    """
    # Imported here: pipelines that look for no variants need no numba for it.
    from deid_core.letterhead.fuzzy_match_kernel import closest_terms, letter_bits

    count = len(words)
    found, ratio = np.empty(count, np.int32), np.full(count, np.inf)
    searched, wanted = StringPool(), StringPool()
    searched.extend(words)
    wanted.extend(terms)
    letters = np.zeros(count, np.uint64)
    letter_bits(searched.codes, searched.bounds, 0, letters)
    exact, seen, hits = np.zeros(count, np.bool_), np.zeros(count, np.int32), np.empty(count, np.int32)
    # Each word is a word type with one piece.
    types, piece_bounds = np.arange(count, dtype=np.int32), np.arange(count + 1)
    closest_terms(
        types, piece_bounds, searched.bounds, searched.codes, letters, exact,
        wanted.bounds[: len(terms) + 1], wanted.codes, max_ratio, seen, hits, found, ratio,
    )  # fmt: skip
    return found, ratio
