"""Tokens of a document: of some types, within ranges of the text, or that overlap one; and a detection of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.text.document import Document


def tokens_of_types(document: Document, types: Sequence[int] | npt.NDArray[np.int32]) -> Iterator[tuple[int, int]]:
    """Yield (token, type) of all tokens of these types, ascending."""
    # Several times faster than `np.isin`, or a loop over the tokens.
    is_wanted = np.zeros(len(document.vocabulary), np.bool_)
    is_wanted[types] = True
    hits = is_wanted.take(document.tokens.types).nonzero()[0]
    yield from zip(hits.tolist(), document.tokens.types[hits].tolist(), strict=True)


def detection_of(
    document: Document, start_token: int, end_token: int, phi: PhiType, recogniser: str, rule: str, score: float
) -> Detection:
    """Return a detection of the tokens [start_token, end_token)."""
    start, end = int(document.tokens.starts[start_token]), int(document.tokens.ends[end_token - 1])
    return Detection(start, end, label_of(phi), phi, recogniser, rule, round(score, 3))


def is_within(document: Document, ranges: Sequence[tuple[int, int]]) -> npt.NDArray[np.bool_]:
    """Return for each token whether it lies entirely in one of the ranges; shape (tokens,)."""
    mask = np.zeros(len(document.tokens), bool)
    for start_token, end_token in token_ranges(document, ranges):
        mask[start_token:end_token] = True
    return mask


def token_ranges(document: Document, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return (start_token, end_token) of the tokens that lie entirely in each range of the text."""
    start_tokens = document.tokens.starts.searchsorted(np.array([r[0] for r in ranges], np.int32))
    end_tokens = document.tokens.ends.searchsorted(np.array([r[1] for r in ranges], np.int32), side="right")
    return list(zip(start_tokens.tolist(), end_tokens.tolist(), strict=True))


def overlapping_tokens(
    document: Document, starts: npt.NDArray[np.int32], ends: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Return start_token and end_token of the tokens that overlap each range [start, end); int64 (ranges, 2)."""
    found = np.empty((len(starts), 2), np.int64)
    found[:, 0] = document.tokens.ends.searchsorted(starts, side="right")
    found[:, 1] = document.tokens.starts.searchsorted(ends, side="left")
    return found
