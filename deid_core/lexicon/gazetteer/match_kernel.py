"""Step the automaton of names over the tokens of a note, in compiled code; used by matcher.py."""

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
    """Set start_token, end_token and lists of the longest match at each token that has one; return their number.

    keys, as_listed, of_doubles: the matcher's features of each token; a key below 0 means no known word. from_root: the
    state after each word. edges: state * words + word, ascending; the next state is the edge's index + 1. accept,
    accept_exact: of each state. found: int64 (tokens, 3), the result. exact: bool (tokens,), the result per match.
    """
    total, count = len(keys), 0
    for start_token in range(total):
        end_token, lists, is_exact = start_token + 1, of_doubles[start_token], False
        state = from_root[keys[start_token]] if keys[start_token] >= 0 else 0
        at, unbroken = start_token, True
        while state != 0:
            unbroken = unbroken and as_listed[at]
            at += 1
            if accept[state] != 0:
                end_token, lists, is_exact = at, accept[state], unbroken and accept_exact[state]
            if at == total or keys[at] < 0:
                break
            wanted = state * words + keys[at]
            edge = np.searchsorted(edges, wanted)
            if edge == len(edges) or edges[edge] != wanted:
                break
            state = edge + 1
        if lists != 0:
            found[count, 0], found[count, 1], found[count, 2] = start_token, end_token, lists
            exact[count] = is_exact
            count += 1
    return count
