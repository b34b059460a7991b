"""Words around a name that make it the name of a disease, a test, a score or a device and not of somebody here.

"Morbus Beispiel", "Uhrentest nach Beispiel", "Beispiel positiv", "Beispiel IIa". Bits of a word type, and what they say
of the tokens around.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

BEFORE = 1
"""Stands before an eponym."""
BEHIND = 2
"""Stands behind an eponym."""
VALUE = 4
"""May be a score's value: a number."""
STAGE = 8
"""A stage, or a number with decimals: never what stands behind a name."""
STOP = 16
"""A full stop."""

_BEFORE = frozenset(
    "morbus m. mb. mb nach n. typ typus mod. mod modif. modifiziert modifizierte sec. sensu sog.".split()
)
_BEHIND = frozenset(
    """
    positiv negativ pos neg pos. neg. fraglich bds bds. beidseits beidseitig grad stadium typ score index test zeichen
    ch charr charrière klassifikation skala phänomen reflex schema syndrom krankheit manöver methode technik operation
    op schiene verband lagerung drainage katheter kanüle draht naht kriterien
    """.split()
)
_VALUE = re.compile(r"\d{1,3}")
_STAGE = re.compile(r"\d+,\d+|(?:II|III|IV|VI{1,3}|I(?=[abc]))[abcAB]?")


def eponym_bits(word: str) -> int:
    """The bits of a word."""
    lower = word.lower()
    if word == ".":
        return STOP
    bits = BEFORE if lower in _BEFORE else 0
    if lower in _BEHIND:
        bits |= BEHIND
    if _VALUE.fullmatch(word):
        bits |= VALUE
    if _STAGE.fullmatch(word):
        bits |= STAGE
    return bits


def is_eponym(bits: npt.NDArray[np.uint32], breaks: npt.NDArray[np.bool_], first: int, last: int) -> bool:
    """Whether the tokens first to last (exclusive) stand where an eponym does.

    bits: eponym_bits of each token. breaks: of the document's tokens.
    """
    before = first - 1
    if before > 0 and bits[before] & STOP:
        # Of an abbreviation: "mod. Beispiel".
        before -= 1
    if before >= 0 and bits[before] & BEFORE and not breaks[first]:
        return True
    return bool(last < len(bits) and not breaks[last] and bits[last] & BEHIND)


def has_value(bits: npt.NDArray[np.uint32], breaks: npt.NDArray[np.bool_], last: int) -> bool:
    """Whether a stage stands behind the tokens that end before `last`, or a value alone: a score's line or cell."""
    if last >= len(bits) or not bits[last] & (VALUE | STAGE):
        return False
    return bool(bits[last] & STAGE or last + 1 >= len(bits) or breaks[last + 1])
