"""Where rules are tried: one pass over a note's tokens, in compiled code, that asks what stands around each.

What a word opens is a number whose bits are gates, one for each expression that some rule asks a neighbour to match; a
rule's entry has for each of its places the gate that must be open. Rules fail there for the price of a comparison
instead of a call and a match.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.recognisers.pattern.rule import AFTER, DIRECT, NEAR, NEAR_BY, NEXT, OPEN, RULE, THEN

_Array = npt.NDArray[Any]


@jit("i8(i4[::1], i4[::1], i4[::1], b1[::1], u4[::1], i8[::1], i4, i8, i8, i8[::1], i8[:, ::1], i4[::1], i4[::1])")
def tries(
    starts: _Array,
    ends: _Array,
    types: _Array,
    breaks: _Array,
    sets: _Array,
    opened: _Array,
    full_stop: int,
    opened_by_break: int,
    near_gates: int,
    bounds: _Array,
    entries: _Array,
    tokens: _Array,
    rules: _Array,
) -> int:
    """Sets token and rule of each try, ascending, and gives their count.

    sets, opened: of each token. bounds: set n has entries[bounds[n]:bounds[n + 1]], ascending by rule.
    near_gates: those that stay open for NEAR characters behind the word that opens them.
    """
    count, last = 0, len(types) - 1
    near_ends = np.full(64, -NEAR - 1)
    for at in range(len(types)):
        if sets[at] != 0:
            direct = opened[at + 1] if at < last else OPEN
            behind = at + 1
            if at < last and types[behind] == full_stop:
                behind += 1
            following = opened[behind] if behind <= last else OPEN
            then = opened[behind + 1] if behind < last else OPEN | opened_by_break
            if behind < last and breaks[behind + 1]:
                then |= opened_by_break
            after = opened[at - 1] if at > 0 else OPEN
            near = OPEN
            for bit in range(1, 63):
                gate = 1 << bit
                if gate > near_gates:
                    break
                if near_gates & gate and starts[at] - near_ends[bit] <= NEAR:
                    near |= gate
            for entry in range(bounds[sets[at]], bounds[sets[at] + 1]):
                if (
                    entries[entry, NEXT] & following
                    and entries[entry, DIRECT] & direct
                    and entries[entry, THEN] & then
                    and entries[entry, AFTER] & after
                    and entries[entry, NEAR_BY] & near
                ):
                    tokens[count], rules[count] = at, entries[entry, RULE]
                    count += 1
        if opened[at] & near_gates:
            for bit in range(1, 63):
                if opened[at] & near_gates & (1 << bit):
                    near_ends[bit] = ends[at]
    return count
