"""Where chains of signs may stand, in compiled code; `chains.py` says what a chain is and which of these are one.

A third of a note's tokens are short words that may be a link, so only what stands around them keeps them apart.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from deid_core.core.jit import inlined, jit
from deid_core.recognisers.person_names.layout import COLUMN_GAP
from deid_core.recognisers.staff_initials.flags import AFTER, COLON, JOINT, LABEL, LEADS, LINK, SEVERAL
from deid_core.recognisers.staff_initials.words import MAY_SIGN

_Array = npt.NDArray[Any]

_MOST_LINKS = 4
_NEAR = 2
"""Blanks beside a slash or hyphen that joins signs, at most."""


@inlined
def _is_joined(starts: _Array, ends: _Array, breaks: _Array, bits: _Array, index: Any) -> Any:
    """Whether a colon joins the token to the one before it, or a slash or hyphen with two blanks at most beside it."""
    if index < 2 or bits[index - 1] & JOINT == 0 or breaks[index] or breaks[index - 1]:
        return False
    near = 0 if bits[index - 1] & COLON else _NEAR
    return starts[index] - ends[index - 1] <= near and starts[index - 1] - ends[index - 2] <= near


@jit("i8(i4[::1], i4[::1], b1[::1], u4[::1], i4[:, ::1])")
def possible_chains(starts: _Array, ends: _Array, breaks: _Array, bits: _Array, found: _Array) -> int:
    """Sets of each chain that may be one its first and last token and whether a label stands before; gives their count.

    bits: chain_bits, place_bits and sign_shape of each token. found: shape (tokens, 3).
    """
    count, tokens = 0, len(starts)
    for last in range(tokens):
        # Without one of these before it, no single word is a chain.
        led = last > 0 and bits[last] & LINK and bits[last - 1] & LEADS
        if not (bits[last] & SEVERAL or led):
            continue
        # Behind it a column, bracket or clause ends.
        if (
            last + 1 < tokens
            and bits[last + 1] & AFTER == 0
            and not breaks[last + 1]
            and starts[last + 1] - ends[last] < COLUMN_GAP
        ):
            continue
        first, links = last, 1
        signed = bits[last] & (MAY_SIGN | SEVERAL)
        while links < _MOST_LINKS and _is_joined(starts, ends, breaks, bits, first) and bits[first - 2] & LINK:
            first, links = first - 2, links + 1
            signed |= bits[first] & (MAY_SIGN | SEVERAL)
        # "Unser Zeichen: Mu/kb"
        labelled = first > 1 and bits[first - 1] & COLON and bits[first - 2] & LABEL and not breaks[first]
        if labelled or signed:
            # Without either, "g/dl".
            found[count, 0], found[count, 1], found[count, 2] = first, last, 1 if labelled else 0
            count += 1
    return count
