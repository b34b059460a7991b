"""Pairs of initials with a slash at the end of a line or column: "mü/kb", "zoe/ju/hd", "3.4.2010 / kb"."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.flags import COMMON, STOP
from deid_core.recognisers.person_names.name_line import NameLine
from deid_core.recognisers.staff_initials.dictation import is_initials
from deid_core.recognisers.staff_initials.flags import InitialsFlag
from deid_core.recognisers.staff_initials.words import UNITS

_DATE = CueFlag.DATE.value
_PAIR_LEFT = InitialsFlag.PAIR_LEFT.value
_PAIR_RIGHT = InitialsFlag.PAIR_RIGHT.value
_SLASH = InitialsFlag.SLASH.value

_LEFT = re.compile(r"[^\W\d_]{1,4}\.?")
_RIGHT = re.compile(r"[a-zäöü]{2,4}")
_MIN_TOKENS = 3
_MAX_JOINT_CHARS = 3
"""Maximum length of a slash with the blanks around it."""


def pair_flags(word: str) -> int:
    """Return PAIR_LEFT, PAIR_RIGHT and SLASH flags of a word."""
    if word == "/":
        return _SLASH
    if word.lower() in UNITS:
        return 0
    flags = _PAIR_LEFT if _LEFT.fullmatch(word) else 0
    return flags | _PAIR_RIGHT if _RIGHT.fullmatch(word) else flags


def pairs(line: NameLine, flags: npt.NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    """Yield the token ranges of initials in pairs that end a line or column; flags: pair_flags of each token."""
    if len(flags) < _MIN_TOKENS:
        return
    may_be_pair = ((flags[1:-1] & _SLASH) != 0) & ((flags[2:] & _PAIR_RIGHT) != 0)
    for left in np.flatnonzero(may_be_pair).tolist():
        right = left + 2
        if not _is_joined(line, right):
            continue
        if line.cues[left] & _DATE:
            if _ends(line, right) and is_initials(line, right):
                yield right, right + 1
            continue
        if not flags[left] & _PAIR_LEFT or (line.flags[left] & STOP and line.flags[right] & STOP):
            continue
        in_chain = line.word(left - 1) == "/" and _is_joined(line, left)
        ends = _ends(line, right) or (
            line.word(right + 1) == "/" and right + 2 < line.count and flags[right + 2] & _PAIR_RIGHT
        )
        if ends and (in_chain or _may_begin(line, left)):
            if not in_chain:
                yield left, left + 1
            yield right, right + 1


def _is_joined(line: NameLine, index: int) -> bool:
    """Whether no line or cell ends next to the slash before the token, and at most two blanks are there."""
    if index < 2 or line.breaks[index] or line.breaks[index - 1]:
        return False
    return line.starts[index] - line.ends[index - 2] <= _MAX_JOINT_CHARS


def _may_begin(line: NameLine, index: int) -> bool:
    """Whether a pair can begin with the token: in a column, in brackets, after a date and a mark."""
    if line.opens_column(index):
        return True
    before = line.word(index - 1)
    if before == "(":
        return not line.flags[index] & (COMMON | STOP) and not line.flags[index + 2] & (COMMON | STOP)
    return bool(line.cues[index - 1] & _DATE) or (before in {"/", ","} and index > 1 and _is_date(line, index - 2))


def _is_date(line: NameLine, index: int) -> bool:
    return bool(line.cues[index] & _DATE) or line.word(index).isdigit()


def _ends(line: NameLine, index: int) -> bool:
    """Whether the column or bracket ends after the token."""
    return line.ends_column(index) or line.word(index + 1) == ")"
