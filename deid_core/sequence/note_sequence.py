"""A note as one sequence for a CRF: its tokens, and a line break where a line or a cell ends between two of them.

Seed 000 (section 5.2) takes a note as one sequence, since no splitter of sentences survives it. What a letter has
instead of sentences are lines, so a line's end is a word of its own: LINE, one for a run of them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deid_core.sequence.compiled import FIRST_TYPE, LINE_TYPE
from deid_core.sequence.features import LINE
from deid_core.tokens import Tokens, Vocabulary

NO_TOKEN = -1
"""In place of a token's number, for a line break."""


def sequence_types(tokens: Tokens) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The rows of a note's sequence (compiled.py) and the number of the token for each, NO_TOKEN for a line break.

    Both int32, of one shape (tokens + line breaks,). There is none before the first token or behind the last.
    """
    count = len(tokens)
    breaks = np.flatnonzero(tokens.breaks[1:]) + 1
    # Each token moves by the line breaks before it.
    places = np.arange(count) + np.searchsorted(breaks, np.arange(count), side="right")
    types = np.full(count + len(breaks), LINE_TYPE, np.int32)
    numbers = np.full(count + len(breaks), NO_TOKEN, np.int32)
    types[places] = tokens.types + np.int32(FIRST_TYPE)
    numbers[places] = np.arange(count)
    return types, numbers


def sequence_words(tokens: Tokens, vocabulary: Vocabulary) -> list[str]:
    """The words of the same sequence, for CRFsuite's own training and tagging."""
    words = vocabulary.words
    return [LINE if row == LINE_TYPE else words[row - FIRST_TYPE] for row in sequence_types(tokens)[0].tolist()]
