"""Where a column or a table's cell begins within a line: before which token, in numba.

Columns stand beside each other with blanks between them: signatures, the values of several days. So wide a gap parts
two names as a line's end does, and the numbers behind it are no groups of one telephone number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.text.arrays import code_points
from deid_core.text.tokens import JOINED, Tokens

_Array = npt.NDArray[Any]
COLUMN, CELL = 1, 2
_COLUMN_GAP = 3
"""Characters between two columns of a line, at least."""
_NEW_LINE = ord("\n")
_JOINED = ord(JOINED)


def column_starts(text: str, tokens: Tokens) -> npt.NDArray[np.int64]:
    """Of each token COLUMN if one begins with it, CELL if it is behind the end of another in its row, 0 otherwise."""
    found = np.zeros(len(tokens), np.int64)
    _find(code_points(text), tokens.starts, tokens.ends, tokens.breaks, found)
    return found


@jit("void(u4[::1], i4[::1], i4[::1], b1[::1], i8[::1])")
def _find(codes: _Array, starts: _Array, ends: _Array, breaks: _Array, found: _Array) -> None:
    for token in range(1, len(starts)):
        if breaks[token]:
            found[token], unless = CELL, _NEW_LINE
        elif starts[token] - ends[token - 1] >= _COLUMN_GAP:
            found[token], unless = COLUMN, _JOINED
        else:
            continue
        for at in range(ends[token - 1], starts[token]):
            if codes[at] == unless:
                found[token] = 0
                break
