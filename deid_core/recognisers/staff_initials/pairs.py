"""Signs that a slash parts at a line's or column's end: "mü/kb", "zoe/ju/hd", "3.4.2010 / kb"."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.flags import COMMON, STOP
from deid_core.recognisers.person_names.walk import NameWalk
from deid_core.recognisers.staff_initials.dictation import is_sign
from deid_core.recognisers.staff_initials.words import UNITS

_DATE = CueFlag.DATE.value

FIRST, SECOND, SLASH = 2048, 4096, 8192
"""Bits of words: may stand before a slash; behind it; the slash itself."""

_FIRST = re.compile(r"[^\W\d_]{1,4}\.?")
_SECOND = re.compile(r"[a-zäöü]{2,4}")
_MIN_TOKENS = 3
_JOINT = 3
"""Of so many characters is a slash with the blanks beside it at most."""


def pair_bits(word: str) -> int:
    """The bits of a word."""
    if word == "/":
        return SLASH
    if word.lower() in UNITS:
        return 0
    bits = FIRST if _FIRST.fullmatch(word) else 0
    return bits | SECOND if _SECOND.fullmatch(word) else bits


def pairs(walk: NameWalk, bits: npt.NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    """The token ranges of signs that slashes part, where they end a line or column: "mü/kb", "3.4.2010 / kb".

    bits: pair_bits of each token.
    """
    if len(bits) < _MIN_TOKENS:
        return
    behind = ((bits[1:-1] & SLASH) != 0) & ((bits[2:] & SECOND) != 0)
    for left in np.flatnonzero(behind).tolist():
        right = left + 2
        if not _joined(walk, right):
            continue
        if walk.triggers[left] & _DATE:
            if _ends(walk, right) and is_sign(walk, right):
                yield right, right + 1
            continue
        if not bits[left] & FIRST or (walk.bits[left] & STOP and walk.bits[right] & STOP):
            continue
        chained = walk.word(left - 1) == "/" and _joined(walk, left)
        ends = _ends(walk, right) or (
            walk.word(right + 1) == "/" and right + 2 < len(walk) and bits[right + 2] & SECOND
        )
        if ends and (chained or _begins(walk, left)):
            if not chained:
                yield left, left + 1
            yield right, right + 1


def _joined(walk: NameWalk, index: int) -> bool:
    """Whether no line or cell ends beside the slash before the token, and two blanks at most stand there."""
    if index < 2 or walk.breaks[index] or walk.breaks[index - 1]:
        return False
    return walk.starts[index] - walk.ends[index - 2] <= _JOINT


def _begins(walk: NameWalk, index: int) -> bool:
    """Whether signs may begin with the token: in a column, in brackets, behind a date and a mark."""
    if walk.opens_column(index):
        return True
    before = walk.word(index - 1)
    if before == "(":
        return not walk.bits[index] & (COMMON | STOP) and not walk.bits[index + 2] & (COMMON | STOP)
    return bool(walk.triggers[index - 1] & _DATE) or (before in {"/", ","} and index > 1 and _dated(walk, index - 2))


def _dated(walk: NameWalk, index: int) -> bool:
    return bool(walk.triggers[index] & _DATE) or walk.word(index).isdigit()


def _ends(walk: NameWalk, index: int) -> bool:
    """Whether the column or bracket ends behind the token."""
    return walk.ends_column(index) or walk.word(index + 1) == ")"
