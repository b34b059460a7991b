"""Find possible chains of initials, in compiled code. chains.py defines chains and decides which of these are one.

A third of a note's tokens are short words that can be part of a chain. Only the tokens around them distinguish the two.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from deid_core.core.jit import inlined, jit
from deid_core.recognisers.person_names.name_line import COLUMN_GAP
from deid_core.recognisers.staff_initials.flags import InitialsFlag

_Array = npt.NDArray[Any]

_CHAIN_PART = InitialsFlag.CHAIN_PART.value
_WHOLE_CHAIN = InitialsFlag.WHOLE_CHAIN.value
_CANDIDATE_OR_CHAIN = (InitialsFlag.CANDIDATE | InitialsFlag.WHOLE_CHAIN).value
_REFERENCE_LABEL = InitialsFlag.REFERENCE_LABEL.value
_BEFORE_CHAIN = InitialsFlag.BEFORE_CHAIN.value
_AFTER_CHAIN = InitialsFlag.AFTER_CHAIN.value
_CHAIN_JOINT = InitialsFlag.CHAIN_JOINT.value
_COLON = InitialsFlag.COLON.value

_MAX_PARTS = 4
_MAX_BLANKS = 2
"""Maximum number of blanks next to a slash or hyphen that joins initials."""


@inlined
def _is_joined(starts: _Array, ends: _Array, breaks: _Array, flags: _Array, index: Any) -> Any:
    """Whether a colon joins the token to the one before, or a slash or hyphen with at most two blanks next to it."""
    if index < 2 or flags[index - 1] & _CHAIN_JOINT == 0 or breaks[index] or breaks[index - 1]:
        return False
    blanks = 0 if flags[index - 1] & _COLON else _MAX_BLANKS
    return starts[index] - ends[index - 1] <= blanks and starts[index - 1] - ends[index - 2] <= blanks


@jit("i8(i4[::1], i4[::1], b1[::1], u4[::1], i4[:, ::1])")
def possible_chains(starts: _Array, ends: _Array, breaks: _Array, flags: _Array, found: _Array) -> int:
    """Write (start_token, end_token, labelled) of each possible chain and return their count.

    flags: chain_flags, position_flags and candidate_flags of each token. found: shape (tokens, 3).
    labelled is 1 after the label of a reference, else 0.
    """
    count, tokens = 0, len(starts)
    for last in range(tokens):
        # A single word is a chain only after one of these.
        introduced = last > 0 and flags[last] & _CHAIN_PART and flags[last - 1] & _BEFORE_CHAIN
        if not (flags[last] & _WHOLE_CHAIN or introduced):
            continue
        # After a chain, a column, bracket or clause ends.
        if (
            last + 1 < tokens
            and flags[last + 1] & _AFTER_CHAIN == 0
            and not breaks[last + 1]
            and starts[last + 1] - ends[last] < COLUMN_GAP
        ):
            continue
        start_token, parts = last, 1
        signed = flags[last] & _CANDIDATE_OR_CHAIN
        while (
            parts < _MAX_PARTS
            and _is_joined(starts, ends, breaks, flags, start_token)
            and flags[start_token - 2] & _CHAIN_PART
        ):
            start_token, parts = start_token - 2, parts + 1
            signed |= flags[start_token] & _CANDIDATE_OR_CHAIN
        # "Unser Zeichen: Mu/kb"
        labelled = (
            start_token > 1
            and flags[start_token - 1] & _COLON
            and flags[start_token - 2] & _REFERENCE_LABEL
            and not breaks[start_token]
        )
        if labelled or signed:
            # Without either, "g/dl".
            found[count, 0], found[count, 1], found[count, 2] = start_token, last + 1, 1 if labelled else 0
            count += 1
    return count
