"""Spelling variants: words whose edit distance to a search term is small relative to their length.

R = d / min(|n|, |w|), with d the Levenshtein distance of search term n and word w. A variant has R below a threshold,
0.333 in seed 000 (section 4.3, equation 1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deid_core.text.arrays import StringPool, bounds_of, code_points, with_room

MIN_VARIANT = 5
"""Shorter words must equal the term: one letter makes another word of them (Groß, Gruß)."""

_Ints = npt.NDArray[np.int32]
_Floats = npt.NDArray[np.float64]


class WordPieces:
    """The pieces of numbered words, and the search for words with a piece that is like a search term.

    A piece is a word itself or a part of it; a word without pieces is like no term. Words are added as a vocabulary
    grows.
    """

    def __init__(self) -> None:
        # Imported here: pipelines that look for no variants need no numba for it.
        from deid_core.letterhead.fuzzy_match_kernel import closest_terms, letter_bits

        self._closest_terms, self._letter_bits = closest_terms, letter_bits
        self._count = 0
        self._pieces = StringPool()
        self._bounds = np.zeros(1024, np.int64)
        """The pieces of word w are bounds[w] to bounds[w + 1]."""
        self._letters = np.zeros(1024, np.uint64)
        self._exact = np.zeros(1024, np.bool_)
        self._seen = np.zeros(1024, np.int32)

    def __len__(self) -> int:
        """Return the number of words."""
        return self._count

    def extend(self, pieces: Sequence[Sequence[str]], exact: Sequence[bool]) -> None:
        """Add the pieces of the next words; exact: for each of these pieces whether it must equal the term."""
        known, before = self._count + len(pieces), len(self._pieces)
        self._bounds = with_room(self._bounds, known + 1)
        self._bounds[self._count : known + 1] = before + bounds_of(pieces)
        self._seen = with_room(self._seen, known)
        self._exact = with_room(self._exact, before + len(exact))
        self._exact[before : before + len(exact)] = exact
        self._pieces.extend(piece for of_word in pieces for piece in of_word)
        self._letters = with_room(self._letters, len(self._pieces))
        self._letter_bits(self._pieces.codes, self._pieces.bounds, before, self._letters[: len(self._pieces)])
        self._count = known

    def closest(self, words: _Ints, terms: Sequence[str], max_ratio: float) -> tuple[_Ints, _Ints, _Floats]:
        """Find the words that have a piece with R below `max_ratio`.

        words: the numbers of words, as often as they occur. terms: no empty strings.

        Returns three arrays, a place for each word found: its place in `words`, ascending; the index of the closest
        term, the first of equals; their R.
        """
        hits, found, ratios = np.empty(len(words), np.int32), np.empty(len(words), np.int32), np.empty(len(words))
        count = self._closest_terms(
            words, self._bounds, self._pieces.bounds, self._pieces.codes, self._letters, self._exact,
            bounds_of(terms), code_points("".join(terms)), max_ratio, self._seen, hits, found, ratios,
        )  # fmt: skip
        hits = hits[:count]
        return hits, found[hits], ratios[hits]


def closest(terms: Sequence[str], words: Sequence[str], max_ratio: float) -> tuple[_Ints, _Floats]:
    """Return for each word the index of the closest term (the first of equals) and its R; -1 and infinity without one.

    Both arrays have shape (words,). Terms and words must not be empty strings.
    """
    pieces = WordPieces()
    pieces.extend([(word,) for word in words], [False] * len(words))
    hits, terms_of_hits, ratios_of_hits = pieces.closest(np.arange(len(words), dtype=np.int32), terms, max_ratio)
    found, ratios = np.full(len(words), -1, np.int32), np.full(len(words), np.inf)
    found[hits], ratios[hits] = terms_of_hits, ratios_of_hits
    return found, ratios
