"""Find the tokens in a position of initials, in compiled code. positions.py defines the positions."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from deid_core.core.jit import inlined, jit
from deid_core.recognisers.staff_initials.flags import InitialsFlag, Position

_Array = npt.NDArray[Any]

_JOINS_SIGNERS = InitialsFlag.JOINS_SIGNERS.value
_OPENS_BRACKET = InitialsFlag.OPENS_BRACKET.value
_CLOSES_BRACKET = InitialsFlag.CLOSES_BRACKET.value
_COMMA = InitialsFlag.COMMA.value
_COLON = InitialsFlag.COLON.value
_FULL_STOP = InitialsFlag.FULL_STOP.value
_DIGIT = InitialsFlag.DIGIT.value
_LETTER = InitialsFlag.LETTER.value
_DATE_PART = InitialsFlag.DATE_PART.value
_FULL_STOP_OR_COLON = _FULL_STOP | _COLON
_SENTENCE_END = (InitialsFlag.ENDS_SENTENCE | InitialsFlag.DOTTED).value

_ENTRY_END = Position.ENTRY_END.value
_BRACKET = Position.BRACKET.value
_ENTRY_START = Position.ENTRY_START.value
_INNER_BRACKET = Position.INNER_BRACKET.value
_LINE_END = Position.LINE_END.value

_NEWLINE = 10
_MIN_GAP = 2
"""Number of blanks that separate an entry from the initials after it."""
_MAX_OTHERS = 2
"""Maximum number of signers before or after one, joined by slashes."""
_MAX_DATE_TOKENS = 9


@inlined
def _begins_line(codes: _Array, starts: _Array, ends: _Array, breaks: _Array, index: Any) -> Any:
    """Whether a newline is before the token, or the text ends there. Cells of a table are columns."""
    if index >= len(starts):
        return True
    if not breaks[index]:
        return False
    for at in range(ends[index - 1] if index > 0 else 0, starts[index]):
        if codes[at] == _NEWLINE:
            return True
    return False


@inlined
def _has_full_stop(starts: _Array, ends: _Array, flags: _Array, index: Any) -> Any:
    """Whether a full stop that is a token of its own follows the token directly: "Mu."."""
    return index + 1 < len(starts) and flags[index + 1] & _FULL_STOP != 0 and starts[index + 1] == ends[index]


@inlined
def _is_after_gap(starts: _Array, ends: _Array, index: Any) -> Any:
    return index >= len(starts) or starts[index] - ends[index - 1] >= _MIN_GAP


@inlined
def _is_after_date(codes: _Array, starts: _Array, ends: _Array, breaks: _Array, flags: _Array, index: Any) -> Any:
    """Whether there is a date or time, and nothing else, between the start of the line and the token."""
    if index == 0 or _begins_line(codes, starts, ends, breaks, index):
        return False
    numbers = 0
    for at in range(index - 1, max(-1, index - _MAX_DATE_TOKENS), -1):
        if flags[at] & _DATE_PART == 0:
            return False
        if flags[at] & _DIGIT:
            numbers += 1
        if at == 0 or _begins_line(codes, starts, ends, breaks, at):
            return numbers > 0
    return False


@inlined
def _position(codes: _Array, starts: _Array, ends: _Array, breaks: _Array, flags: _Array, index: Any) -> Any:
    """Return the position of the token, 0 if it is in none."""
    count = len(starts)
    if _has_full_stop(starts, ends, flags, index) and not _begins_line(codes, starts, ends, breaks, index + 2):
        return 0
    # The tokens `first` to `last`, inclusive, sign together: "bk/Wg".
    first, last = index, index
    while (
        last < index + 2 * _MAX_OTHERS
        and last + 2 < count
        and flags[last + 1] & _JOINS_SIGNERS
        and not breaks[last + 1]
    ):
        if flags[last + 2] & _LETTER == 0 or _begins_line(codes, starts, ends, breaks, last + 2):
            break
        last += 2
    while first > max(1, index - 2 * _MAX_OTHERS) and flags[first - 1] & _JOINS_SIGNERS and not breaks[first]:
        if flags[first - 2] & _LETTER == 0 or _begins_line(codes, starts, ends, breaks, first - 2):
            break
        first -= 2
    before = flags[first - 1] if first > 0 else 0
    after = flags[last + 1] if last + 1 < count else 0
    if before & _OPENS_BRACKET and not breaks[first]:
        if after & _CLOSES_BRACKET and not breaks[last + 1]:
            ended = _begins_line(codes, starts, ends, breaks, last + 2) or flags[last + 2] & _FULL_STOP_OR_COLON != 0
            return _BRACKET if ended else _INNER_BRACKET
        return _INNER_BRACKET if after & _COMMA else 0
    if after & _CLOSES_BRACKET:
        return _INNER_BRACKET if before & _COMMA else 0
    stopped = _has_full_stop(starts, ends, flags, last)
    ends_line = _begins_line(codes, starts, ends, breaks, last + 2 if stopped else last + 1)
    if (ends_line or after & _COLON or _is_after_gap(starts, ends, last + 1)) and _is_after_date(
        codes, starts, ends, breaks, flags, first
    ):
        return _ENTRY_START
    if not ends_line or first == 0 or starts[first] == ends[first - 1]:
        return 0
    if breaks[first] and (stopped or _begins_line(codes, starts, ends, breaks, first)):
        return 0
    separated = (breaks[first] or _is_after_gap(starts, ends, first)) and before & _DIGIT == 0
    if separated or before & _SENTENCE_END:
        return _ENTRY_END
    return 0 if stopped else _LINE_END


@jit("i8(u4[::1], i4[::1], i4[::1], b1[::1], u4[::1], b1[::1], i4[:, ::1])")
def find_positions(
    codes: _Array,
    starts: _Array,
    ends: _Array,
    breaks: _Array,
    flags: _Array,
    may_sign: _Array,
    found: _Array,
) -> int:
    """Write token and position of all tokens that may sign and are in a position, ascending, and return their count.

    codes: the code points of the text. flags: position_flags of each token. found: shape (tokens, 2).
    """
    count = 0
    for index in range(len(starts)):
        if may_sign[index]:
            position = _position(codes, starts, ends, breaks, flags, index)
            if position != 0:
                found[count, 0], found[count, 1] = index, position
                count += 1
    return count
