"""Words around a name that make it the name of a disease, a test, a score or a device and not of somebody here.

"Morbus Beispiel", "Zugang nach Beispiel", "Beispiel positiv", "Beispiel IIa", "nach Beispiel und Muster",
"Beispiel/Muster IV". Bits of a word type, and what they say of the tokens around.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from deid_core.text.vocabulary import TypeFeature, Vocabulary

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
CAPITAL = 32
"""A capitalised word, which may be another of several names."""
JOINT = 64
"""What joins several eponyms: "/", "und"."""
SIDE = 128
"""A side of the body, which may stand between a sign and its finding: "Beispiel links positiv"."""
CLOSES = 256
"""A mark behind a score's value: "(Beispiel 2)"."""
DIGIT = 512
"""A score's value that is no extension of a telephone: one digit, with or without a letter."""

_BEFORE = frozenset(
    """
    morbus mb. mb nach n. typ typus mod. mod modif. modifiziert modifizierte modifizierter modifizierten sec. sensu
    sog. sogenannter sogenannte syndrom z.n. v.a. klassifikation klassifiziert stadium grad schema score kein keine
    keinen
    """.split()
)
_BEHIND = frozenset(
    """
    positiv negativ positive pos neg pos. neg. fraglich bds bds. beidseits beidseitig grad grades stadium stadien
    stufe typ typus score index test tests zeichen ch charr charrière klassifikation skala skalen phänomen reflex
    reflexe schema syndrom krankheit manöver methode technik operation op schiene verband lagerung drainage drain
    katheter kanüle draht naht kriterien probe versuch nagel platte schraube schrauben prothese stent filter klappe
    sonde tubus nadel zugang schnitt inzision plastik lappen transplantat osteotomie arthrodese resektion anastomose
    pouch hernie fraktur läsion lähmung parese kontraktur gangrän ulkus ulcus anomalie malformation tetralogie zyste
    tumor lymphom sarkom thyreoiditis struma vaskulitis arteriitis purpura anämie chorea epilepsie ataxie dystrophie
    neuropathie glomerulonephritis knoten knötchen linie linien winkel band dreieck raum grube ring falte drüse
    drüsen faszie punkt punkte körperchen zellen faser fasern färbung agar medium nährboden formel gleichung
    quotient protokoll periodik monitor ekg tafel lappenplastik handgriff griff trokar retraktor haken spatel klemme
    schere spekulum manschette ballon spirale bandage mieder korsett orthese kragen gips extension fixateur tenodese
    zeichens syndroms
    """.split()
)
_JOINTS = frozenset({"/", "-", "und", "u.", "&"})
_SIDES = frozenset("links rechts li li. re re. bds bds. beidseits".split())
_VALUE = re.compile(r"\d{1,3}")
_DIGIT = re.compile(r"\d[abcABC]?")
_STAGE = re.compile(r"\d+,\d+|(?:II|III|IV|VI{1,3}|I(?=[abcABC]))[abcAB]?")
Bits: TypeAlias = npt.NDArray[np.uint32] | Sequence[int]
Breaks: TypeAlias = npt.NDArray[np.bool_] | Sequence[int]
_MAX_JOINED = 2
"""So many further names may stand between an eponym and what makes it one."""


def eponym_flags_of(word: str) -> int:
    """The bits of a word."""
    if word == ".":
        return STOP
    lower = word.lower()
    # "M." is Morbus, "m." is "mit".
    bits = (BEFORE if lower in _BEFORE or word == "M." else 0) | (BEHIND if lower in _BEHIND else 0)
    if _VALUE.fullmatch(word):
        bits |= VALUE
    if _DIGIT.fullmatch(word):
        bits |= DIGIT
    if _STAGE.fullmatch(word):
        bits |= STAGE
    if lower in _JOINTS:
        bits |= JOINT
    if lower in _SIDES:
        bits |= SIDE
    if word in "),;/":
        bits |= CLOSES
    if word[0].isupper() and not bits:
        bits |= CAPITAL
    return bits


def eponym_flags(vocabulary: Vocabulary) -> TypeFeature:
    """Return the EponymFlag values of the vocabulary's word types, one table per vocabulary."""
    return vocabulary.shared(eponym_flags, lambda: TypeFeature(vocabulary, eponym_flags_of))


def is_eponym(bits: Bits, breaks: Breaks, first: int, last: int) -> bool:
    """Whether the tokens first to last (exclusive) stand where an eponym does.

    bits: eponym_bits of each token. breaks: of the document's tokens.
    """
    return announced(bits, breaks, first) or explained(bits, breaks, last)


def announced(bits: Bits, breaks: Breaks, first: int) -> bool:
    """Whether "Morbus", "nach" or the like stands before, or before the names joined to this one."""
    for _ in range(_MAX_JOINED + 1):
        before = first - 1
        if before < 0 or breaks[first]:
            return False
        if before > 0 and bits[before] & STOP:
            # Of an abbreviation: "mod. Beispiel".
            before -= 1
        if bits[before] & BEFORE:
            return True
        if not (bits[before] & JOINT and before > 0 and bits[before - 1] & CAPITAL):
            return False
        first = before - 1
    return False


def explained(bits: Bits, breaks: Breaks, last: int) -> bool:
    """Whether "positiv", "Zeichen" or the like stands behind, with a side between or behind a joined name."""
    if last >= len(bits) or breaks[last]:
        return False
    if bits[last] & BEHIND:
        return True
    if last + 1 >= len(bits) or breaks[last + 1]:
        return False
    if bits[last] & SIDE:
        return bool(bits[last + 1] & BEHIND)
    joined = bits[last] & JOINT and bits[last + 1] & CAPITAL and last + 2 < len(bits) and not breaks[last + 2]
    return bool(joined and bits[last + 2] & (BEHIND | STAGE))


def has_value(bits: Bits, breaks: Breaks, last: int) -> bool:
    """Whether a stage stands behind the tokens that end before `last`, or a value alone: a line, cell, bracket."""
    if last >= len(bits) or not bits[last] & (VALUE | STAGE | DIGIT):
        return False
    if bits[last] & STAGE or last + 1 >= len(bits):
        return True
    if breaks[last + 1]:
        return bool(bits[last] & VALUE)
    return bool(bits[last] & DIGIT and bits[last + 1] & CLOSES)
