"""Spelling variants: words whose edit distance to a search term is small against their length.

R = d / min(|n|, |w|), d the Levenshtein distance of search term n and word w; a variant has R below a threshold,
0.333 in seed 000 (section 4.3, equation 1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

_MAX_CELLS = 1_000_000
"""Pairs compared at once; a table of them takes some 30 bytes a pair."""


def ratios(terms: Sequence[str], words: Sequence[str], max_ratio: float) -> npt.NDArray[np.float64]:
    """R of every pair, shape (terms, words); infinity where R is not below `max_ratio`.

    Terms and words must not be empty strings.
    """
    if not terms or not words:
        return np.full((len(terms), len(words)), np.inf)
    shorter = np.minimum.outer([len(t) for t in terms], [len(w) for w in words])
    # No pair can be a variant with a larger distance than this; rapidfuzz stops counting there.
    cutoff = int(max_ratio * shorter.max())
    distances = cdist(terms, words, scorer=Levenshtein.distance, score_cutoff=cutoff, dtype=np.uint32)
    found = distances / shorter
    found[~(found < max_ratio)] = np.inf
    return found


def closest(
    terms: Sequence[str], words: Sequence[str], max_ratio: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """For each word the number of the closest term (the first of equals) and its R; -1 and infinity without one.

    Both arrays have shape (words,). Terms are compared in slices, so that memory stays bounded.
    """
    best = np.full(len(words), -1, np.int64)
    ratio = np.full(len(words), np.inf)
    step = max(1, _MAX_CELLS // max(1, len(words)))
    for first in range(0, len(terms) if words else 0, step):
        table = ratios(terms[first : first + step], words, max_ratio)
        row = table.argmin(axis=0)
        found = table[row, np.arange(len(words))]
        better = found < ratio
        best[better] = row[better] + first
        ratio[better] = found[better]
    return best, ratio
