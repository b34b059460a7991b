"""Search terms: how words are folded and taken apart, and which tokens lie in a range or have a type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from deid_core.recognise.base import Document

_FOLD = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e", "á": "a", "ı": "i", "ş": "s", "ç": "c"}
)
_MIN_PART = 3
"""Shorter parts of a hyphenated word are no search terms of their own."""


@lru_cache(100_000)
def folded(word: str) -> str:
    """Lower case, umlauts and accents written out: Müller and MUELLER are the same name."""
    return word.lower().translate(_FOLD)


def parts(word: str) -> list[str]:
    """The word and, if it is hyphenated, its parts of three letters and more."""
    if "-" not in word:
        return [word]
    return [word, *(part for part in word.split("-") if len(part) >= _MIN_PART and part[0].isalpha())]


def having(document: Document, types: npt.NDArray[np.int32]) -> Iterator[tuple[int, int]]:
    """(token index, type) of all tokens of these types, ascending."""
    hits = np.flatnonzero(np.isin(document.tokens.types, types))
    yield from zip(hits.tolist(), document.tokens.types[hits].tolist(), strict=True)


def inside(document: Document, ranges: Sequence[tuple[int, int]]) -> npt.NDArray[np.bool_]:
    """Which tokens lie wholly in one of the ranges; shape (tokens,)."""
    mask = np.zeros(len(document.tokens), bool)
    for first, behind in token_ranges(document, ranges):
        mask[first:behind] = True
    return mask


def token_ranges(document: Document, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """For each range of the text the tokens that lie wholly in it: the first, and the one behind the last."""
    firsts = document.tokens.starts.searchsorted(np.array([r[0] for r in ranges], np.int32))
    behind = document.tokens.ends.searchsorted(np.array([r[1] for r in ranges], np.int32), side="right")
    return list(zip(firsts.tolist(), behind.tolist(), strict=True))


def touched_tokens(
    document: Document, starts: npt.NDArray[np.int32], ends: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """The tokens that each range [start, end) covers or cuts, int64 (ranges, 2): the first, the one behind the last."""
    touched = np.empty((len(starts), 2), np.int64)
    touched[:, 0] = document.tokens.ends.searchsorted(starts, side="right")
    touched[:, 1] = document.tokens.starts.searchsorted(ends, side="left")
    return touched
