"""Make a note one sequence for a CRF: its tokens, and a line break where a line or a cell ends between two of them.

Seed 000 (section 5.2) takes a note as one sequence, since sentence splitters fail on it. A letter has lines instead of
sentences, so one or more line ends are a word of their own, LINE.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.text.tokens import LINE, Tokens
from deid_core.text.vocabulary import Vocabulary

EDGE_TYPE, LINE_TYPE, FIRST_TYPE = 0, 1, 2
"""The types of EDGE and LINE, and of the vocabulary's first word type."""
NO_TOKEN = -1
"""Stands for the token's number at a line break."""


def sequence_types(tokens: Tokens) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the types of a note's sequence and the token of each, NO_TOKEN for a line break.

    Both int32 (tokens + line breaks,). There is no line break before the first token or after the last.
    """
    length = len(tokens) + int(np.count_nonzero(tokens.breaks[1:]))
    types, numbers = np.empty(length, np.int32), np.empty(length, np.int32)
    _lay_out(tokens.types, tokens.breaks, types, numbers)
    return types, numbers


@jit("void(i4[::1], b1[::1], i4[::1], i4[::1])")
def _lay_out(
    of_tokens: npt.NDArray[Any], breaks: npt.NDArray[Any], types: npt.NDArray[Any], numbers: npt.NDArray[Any]
) -> None:
    at = 0
    for token in range(len(of_tokens)):
        if token and breaks[token]:
            types[at], numbers[at] = LINE_TYPE, NO_TOKEN
            at += 1
        types[at], numbers[at] = of_tokens[token] + FIRST_TYPE, token
        at += 1


def sequence_words(tokens: Tokens, vocabulary: Vocabulary) -> list[str]:
    """Return the words of the same sequence, for training and tagging by CRFsuite."""
    words = vocabulary.words
    return [LINE if row == LINE_TYPE else words[row - FIRST_TYPE] for row in sequence_types(tokens)[0].tolist()]
