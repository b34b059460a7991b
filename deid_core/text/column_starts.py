"""Find where a column or a table cell begins within a line: at which token, in compiled code.

Columns stand next to each other with blanks between them: signatures, the values of several days. So wide a gap
separates two names as a line end does, and the numbers after it are no groups of one telephone number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.text.tokens import JOINED, Tokens

_Array = npt.NDArray[Any]
COLUMN, CELL = 1, 2
_COLUMN_GAP = 3
"""Least number of characters between two columns of a line."""
_NEW_LINE = ord("\n")
_JOINED = ord(JOINED)


def column_starts(codes: npt.NDArray[np.uint32], tokens: Tokens) -> npt.NDArray[np.int64]:
    """Return for each token COLUMN if one begins with it, CELL if it follows a cell of the same row, else 0.

    codes: the text's code points.
    """
    found = np.zeros(len(tokens), np.int64)
    _find(codes, tokens.starts, tokens.ends, tokens.breaks, found)
    return found


@jit("void(u4[::1], i4[::1], i4[::1], b1[::1], i8[::1])")
def _find(codes: _Array, starts: _Array, ends: _Array, breaks: _Array, found: _Array) -> None:
    for token in range(1, len(starts)):
        if breaks[token]:
            found[token], excluded = CELL, _NEW_LINE
        elif starts[token] - ends[token - 1] >= _COLUMN_GAP:
            found[token], excluded = COLUMN, _JOINED
        else:
            continue
        for at in range(ends[token - 1], starts[token]):
            if codes[at] == excluded:
                found[token] = 0
                break
