"""Which tokens stand in a place of signs, and in which, in compiled code: `places.py` says what the places are."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from deid_core.core.jit import inlined, jit
from deid_core.recognisers.staff_initials.flags import (
    BRACKET,
    CLOSES,
    COLON,
    COMMA,
    DATING,
    DIGIT,
    ENDS_SENTENCE,
    ENTRY,
    HEAD,
    INNER,
    JOINS,
    LETTER,
    OPENS,
    SHORT,
    STOP,
    TAIL,
)

_Array = npt.NDArray[Any]

_NEWLINE = 10
_WIDE = 2
"""Blanks that part an entry from the sign behind it."""
_MAX_OTHERS = 2
"""Signers before or behind one, joined by slashes."""
_MAX_DATING = 9


@inlined
def _begins_line(codes: _Array, starts: _Array, ends: _Array, breaks: _Array, index: Any) -> Any:
    """Whether a newline stands before the token, or the text ends there; a table's cells are columns."""
    if index >= len(starts):
        return True
    if not breaks[index]:
        return False
    for at in range(ends[index - 1] if index > 0 else 0, starts[index]):
        if codes[at] == _NEWLINE:
            return True
    return False


@inlined
def _has_stop(starts: _Array, ends: _Array, bits: _Array, index: Any) -> Any:
    """Whether a full stop that is a token of its own stands at the token's end: "Mu."."""
    return index + 1 < len(starts) and bits[index + 1] & STOP != 0 and starts[index + 1] == ends[index]


@inlined
def _is_wide(starts: _Array, ends: _Array, index: Any) -> Any:
    return index >= len(starts) or starts[index] - ends[index - 1] >= _WIDE


@inlined
def _is_dated(codes: _Array, starts: _Array, ends: _Array, breaks: _Array, bits: _Array, first: Any) -> Any:
    """Whether a date or time, and nothing else, stands between the line's beginning and the token."""
    if first == 0 or _begins_line(codes, starts, ends, breaks, first):
        return False
    numbers = 0
    for at in range(first - 1, max(-1, first - _MAX_DATING), -1):
        if bits[at] & DATING == 0:
            return False
        if bits[at] & DIGIT:
            numbers += 1
        if at == 0 or _begins_line(codes, starts, ends, breaks, at):
            return numbers > 0
    return False


@inlined
def _place(codes: _Array, starts: _Array, ends: _Array, breaks: _Array, bits: _Array, index: Any) -> Any:
    """The place of the token, 0 if it stands in none."""
    count = len(starts)
    if _has_stop(starts, ends, bits, index) and not _begins_line(codes, starts, ends, breaks, index + 2):
        return 0
    # Those who sign together: "bk/Wg".
    first, last = index, index
    while last < index + 2 * _MAX_OTHERS and last + 2 < count and bits[last + 1] & JOINS and not breaks[last + 1]:
        if bits[last + 2] & LETTER == 0 or _begins_line(codes, starts, ends, breaks, last + 2):
            break
        last += 2
    while first > max(1, index - 2 * _MAX_OTHERS) and bits[first - 1] & JOINS and not breaks[first]:
        if bits[first - 2] & LETTER == 0 or _begins_line(codes, starts, ends, breaks, first - 2):
            break
        first -= 2
    before = bits[first - 1] if first > 0 else 0
    after = bits[last + 1] if last + 1 < count else 0
    if before & OPENS and not breaks[first]:
        if after & CLOSES and not breaks[last + 1]:
            ended = _begins_line(codes, starts, ends, breaks, last + 2) or bits[last + 2] & (STOP | COLON) != 0
            return BRACKET if ended else INNER
        return INNER if after & COMMA else 0
    if after & CLOSES:
        return INNER if before & COMMA else 0
    stopped = _has_stop(starts, ends, bits, last)
    ends_line = _begins_line(codes, starts, ends, breaks, last + 2 if stopped else last + 1)
    if (ends_line or after & COLON or _is_wide(starts, ends, last + 1)) and _is_dated(
        codes, starts, ends, breaks, bits, first
    ):
        return HEAD
    if not ends_line or first == 0 or starts[first] == ends[first - 1]:
        return 0
    if breaks[first] and (stopped or _begins_line(codes, starts, ends, breaks, first)):
        return 0
    parted = (breaks[first] or _is_wide(starts, ends, first)) and before & DIGIT == 0
    if parted or before & (ENDS_SENTENCE | SHORT):
        return ENTRY
    return 0 if stopped else TAIL


@jit("i8(u4[::1], i4[::1], i4[::1], b1[::1], u4[::1], b1[::1], i4[:, ::1])")
def sign_places(
    codes: _Array,
    starts: _Array,
    ends: _Array,
    breaks: _Array,
    bits: _Array,
    may_sign: _Array,
    found: _Array,
) -> int:
    """Sets token and place of all that may sign and stand in a place, ascending, and gives their count.

    codes: the text's code points. bits: place_bits of each token. found: shape (tokens, 2).
    """
    count = 0
    for index in range(len(starts)):
        if may_sign[index]:
            place = _place(codes, starts, ends, breaks, bits, index)
            if place != 0:
                found[count, 0], found[count, 1] = index, place
                count += 1
    return count
