"""Sentences as the sequence models of the papers see them: what a line, a cell or a final mark ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from deid_core.text.tokens import Tokens

END_MARKS = (".", "?", "!")


def sentences(tokens: Tokens, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield [start, end) of the sentences: the end of a line, of a cell, or after a final mark."""
    begins = tokens.breaks.copy()
    begins[1:] |= np.array([word in END_MARKS for word in words[:-1]], bool)
    bounds = [0, *np.flatnonzero(begins)[np.flatnonzero(begins) > 0].tolist(), len(words)]
    yield from ((start, end) for start, end in pairwise(bounds) if start < end)
