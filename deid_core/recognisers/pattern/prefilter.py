"""Finds the candidates of pattern rules: one compiled pass over a note's tokens that tests each rule's neighbours.

Each expression that some rule asks of a neighbouring token is a condition with a bit of its own. A word type has a mask
of the conditions that it meets. A rule costs a few comparisons where its neighbours do not fit, instead of a match.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.recognisers.pattern.rule import ALWAYS

RULE, NEXT_OF_PAIR, NEXT_TOKEN, SECOND_NEXT = range(4)
"""Columns of the rule table: the number of the rule, then the bit of the condition on each neighbour."""

_Array = npt.NDArray[Any]


@jit("i8(i4[::1], b1[::1], u4[::1], i8[::1], i4, i8, i8[::1], i8[:, ::1], i4[::1], i4[::1])")
def find_candidates(
    types: _Array,
    breaks: _Array,
    rule_sets: _Array,
    masks: _Array,
    full_stop: int,
    break_mask: int,
    set_starts: _Array,
    rule_table: _Array,
    candidate_tokens: _Array,
    candidate_rules: _Array,
) -> int:
    """Fill candidate_tokens and candidate_rules, ascending by token and then by rule, and return their number.

    types, breaks: of the note's tokens; a break is the end of a line or cell before the token.
    rule_sets, masks: of each token the set of rules that may match at it, 0 for none, and the conditions that it meets.
    full_stop: the word type that token_pair skips. break_mask: the conditions that the end of a line meets.
    set_starts: set n has rule_table[set_starts[n]:set_starts[n + 1]], ascending by rule.
    """
    count, last = 0, len(types) - 1
    for token in range(len(types)):
        if rule_sets[token] != 0:
            next_token = masks[token + 1] if token < last else ALWAYS
            other = token + 1
            if token < last and types[other] == full_stop:
                other += 1
            next_of_pair = masks[other] if other <= last else ALWAYS
            second_next = masks[other + 1] if other < last else ALWAYS | break_mask
            if other < last and breaks[other + 1]:
                second_next |= break_mask
            for row in range(set_starts[rule_sets[token]], set_starts[rule_sets[token] + 1]):
                if (
                    rule_table[row, NEXT_OF_PAIR] & next_of_pair
                    and rule_table[row, NEXT_TOKEN] & next_token
                    and rule_table[row, SECOND_NEXT] & second_next
                ):
                    candidate_tokens[count], candidate_rules[count] = token, rule_table[row, RULE]
                    count += 1
    return count
