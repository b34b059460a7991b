"""A note as one sequence for a CRF: its tokens, and a line break where a line or a cell ends between two of them.

Seed 000 (section 5.2) takes a note as one sequence, since no splitter of sentences survives it. What a letter has
instead of sentences are lines, so a line's end is a word of its own: LINE, one for a run of them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deid_core.sequence.compiled import FIRST_ROW, LINE_ROW
from deid_core.sequence.features import LINE
from deid_core.tokens import Tokens, Vocabulary

NO_TOKEN = -1
"""In place of a token's number, for a line break."""


def sequence_types(text: str, tokens: Tokens) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The rows of a note's sequence (compiled.py) and the number of the token for each, NO_TOKEN for a line break.

    Both int32, of one shape (tokens + line breaks,). There is none before the first token or behind the last.
    """
    count = len(tokens)
    characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    # Tab, newline and what texts from elsewhere may have instead: vertical tab, form feed, carriage return.
    breaks = np.flatnonzero((characters >= 0x09) & (characters <= 0x0D))
    before = np.unique(np.searchsorted(tokens.starts, breaks))
    before = before[(before > 0) & (before < count)]
    types = np.insert(tokens.types + np.int32(FIRST_ROW), before, np.int32(LINE_ROW))
    numbers = np.insert(np.arange(count, dtype=np.int32), before, np.int32(NO_TOKEN))
    return types, numbers


def sequence_words(text: str, tokens: Tokens, vocabulary: Vocabulary) -> list[str]:
    """The words of the same sequence, for CRFsuite's own training and tagging."""
    words = vocabulary.words
    return [LINE if row == LINE_ROW else words[row - FIRST_ROW] for row in sequence_types(text, tokens)[0].tolist()]
