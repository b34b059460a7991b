"""Which tokens of a document have a type, lie in a range of its text or are touched by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from deid_core.text.document import Document


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
