"""The automaton's steps over the tokens of a note, in compiled code: `matcher.py` says what they match."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit

_Array = npt.NDArray[Any]


@jit("i8(i4[::1], b1[::1], u4[::1], i8[::1], i8[::1], i8, u4[::1], b1[::1], i8[:, ::1], b1[::1])")
def longest_matches(
    keys: _Array,
    as_listed: _Array,
    of_doubles: _Array,
    from_root: _Array,
    edges: _Array,
    words: int,
    accept: _Array,
    accept_exact: _Array,
    found: _Array,
    exact: _Array,
) -> int:
    """Sets first, last and lists of the longest match at each token that has one, ascending, and gives their count.

    keys, as_listed, of_doubles: the matcher's columns of each token; a key below 0 is of no word. from_root: the state
    behind each word. edges: state * words + word, ascending; place + 1 is the next state. accept, accept_exact: of each
    state. found: shape (tokens, 3). exact: shape (tokens,), of each match.
    """
    total, count = len(keys), 0
    for first in range(total):
        last, lists, is_exact = first + 1, of_doubles[first], False
        state = from_root[keys[first]] if keys[first] >= 0 else 0
        at, unbroken = first, True
        while state != 0:
            unbroken = unbroken and as_listed[at]
            at += 1
            if accept[state] != 0:
                last, lists, is_exact = at, accept[state], unbroken and accept_exact[state]
            if at == total or keys[at] < 0:
                break
            wanted = state * words + keys[at]
            edge = np.searchsorted(edges, wanted)
            if edge == len(edges) or edges[edge] != wanted:
                break
            state = edge + 1
        if lists != 0:
            found[count, 0], found[count, 1], found[count, 2] = first, last, lists
            exact[count] = is_exact
            count += 1
    return count
