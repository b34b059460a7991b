"""Contexts in which a name is that of a disease, a test, a score or a device, and not of a person in the letter.

"Morbus Beispiel", "Zugang nach Beispiel", "Beispiel positiv", "Beispiel IIa", "nach Beispiel und Muster",
"Beispiel/Muster IV". The functions with arrays are compiled into judge.py as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntFlag, auto
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from deid_core.core.word_lists import word_set
from deid_core.text.vocabulary import TypeFeature, Vocabulary


class EponymFlag(IntFlag):
    """What a word next to a name says about it."""

    BEFORE = auto()
    """Precedes an eponym: "Morbus", "nach"."""
    AFTER = auto()
    """Follows an eponym: "positiv", "Katheter"."""
    VALUE = auto()
    """May be a score's value: a number."""
    STAGE = auto()
    """A stage, or a number with decimals; never follows a person's name."""
    FULL_STOP = auto()
    NAME_LIKE = auto()
    """A capitalised word without another flag, which may be another of several names."""
    JOINT = auto()
    """Joins several eponyms: "/", "und"."""
    SIDE = auto()
    """A side of the body, which may stand between a sign and its finding: "Beispiel links positiv"."""
    CLOSING = auto()
    """A mark after a score's value: "(Beispiel 2)"."""
    DIGIT = auto()
    """A score's value that is no telephone extension: one digit, with or without a letter."""


_BEFORE = EponymFlag.BEFORE.value
_AFTER = EponymFlag.AFTER.value
_VALUE = EponymFlag.VALUE.value
_STAGE = EponymFlag.STAGE.value
_FULL_STOP = EponymFlag.FULL_STOP.value
_NAME_LIKE = EponymFlag.NAME_LIKE.value
_JOINT = EponymFlag.JOINT.value
_SIDE = EponymFlag.SIDE.value
_CLOSING = EponymFlag.CLOSING.value
_DIGIT = EponymFlag.DIGIT.value
_AFTER_OR_STAGE = _AFTER | _STAGE
_ANY_VALUE = _VALUE | _STAGE | _DIGIT

_WORDS_BEFORE = word_set("disambiguation/before-eponyms")
_WORDS_AFTER = word_set("disambiguation/after-eponyms")
_JOINTS = frozenset({"/", "-", "und", "u.", "&"})
_SIDES = frozenset({"links", "rechts", "li", "li.", "re", "re.", "bds", "bds.", "beidseits"})
_VALUE_FORM = re.compile(r"\d{1,3}")
_DIGIT_FORM = re.compile(r"\d[abcABC]?")
_STAGE_FORM = re.compile(r"\d+,\d+|(?:II|III|IV|VI{1,3}|I(?=[abcABC]))[abcAB]?")
Flags: TypeAlias = npt.NDArray[np.uint32] | Sequence[int]
Breaks: TypeAlias = npt.NDArray[np.bool_] | Sequence[int]
_MAX_JOINED = 2
"""Further names that may stand between an eponym and the word that makes it one."""


def eponym_flags_of(word: str) -> int:
    """Return the EponymFlag value of a word."""
    if word == ".":
        return _FULL_STOP
    lower = word.lower()
    # "M." is Morbus, "m." is "mit".
    flags = (_BEFORE if lower in _WORDS_BEFORE or word == "M." else 0) | (_AFTER if lower in _WORDS_AFTER else 0)
    if _VALUE_FORM.fullmatch(word):
        flags |= _VALUE
    if _DIGIT_FORM.fullmatch(word):
        flags |= _DIGIT
    if _STAGE_FORM.fullmatch(word):
        flags |= _STAGE
    if lower in _JOINTS:
        flags |= _JOINT
    if lower in _SIDES:
        flags |= _SIDE
    if word in "),;/":
        flags |= _CLOSING
    if word[0].isupper() and not flags:
        flags |= _NAME_LIKE
    return flags


def eponym_flags(vocabulary: Vocabulary) -> TypeFeature:
    """Return the EponymFlag values of the vocabulary's word types, one table per vocabulary."""
    return vocabulary.shared(eponym_flags, lambda: TypeFeature(vocabulary, eponym_flags_of))


def is_eponym(flags: Flags, breaks: Breaks, start_token: int, end_token: int) -> bool:
    """Return whether the tokens [start_token, end_token) stand where an eponym does.

    flags: EponymFlag values of the document's tokens. breaks: of the document's tokens.
    """
    return follows_eponym_word(flags, breaks, start_token) or precedes_eponym_word(flags, breaks, end_token)


def follows_eponym_word(flags: Flags, breaks: Breaks, start_token: int) -> bool:
    """Return whether "Morbus", "nach" or the like stands before the token, or before the names joined to it."""
    for _ in range(_MAX_JOINED + 1):
        before = start_token - 1
        if before < 0 or breaks[start_token]:
            return False
        if before > 0 and flags[before] & _FULL_STOP:
            # The full stop of an abbreviation: "mod. Beispiel".
            before -= 1
        if flags[before] & _BEFORE:
            return True
        if not (flags[before] & _JOINT and before > 0 and flags[before - 1] & _NAME_LIKE):
            return False
        start_token = before - 1
    return False


def precedes_eponym_word(flags: Flags, breaks: Breaks, end_token: int) -> bool:
    """Return whether "positiv", "Zeichen" or the like stands at end_token, or after a side or a joined name."""
    if end_token >= len(flags) or breaks[end_token]:
        return False
    if flags[end_token] & _AFTER:
        return True
    after = end_token + 1
    if after >= len(flags) or breaks[after]:
        return False
    if flags[end_token] & _SIDE:
        return bool(flags[after] & _AFTER)
    joined = (
        flags[end_token] & _JOINT and flags[after] & _NAME_LIKE and after + 1 < len(flags) and not breaks[after + 1]
    )
    return bool(joined and flags[after + 1] & _AFTER_OR_STAGE)


def has_value(flags: Flags, breaks: Breaks, end_token: int) -> bool:
    """Return whether a stage stands at end_token, or a value alone: at the end of its line, cell or bracket."""
    if end_token >= len(flags) or not flags[end_token] & _ANY_VALUE:
        return False
    after = end_token + 1
    if flags[end_token] & _STAGE or after >= len(flags):
        return True
    if breaks[after]:
        return bool(flags[end_token] & _VALUE)
    return bool(flags[end_token] & _DIGIT and flags[after] & _CLOSING)
