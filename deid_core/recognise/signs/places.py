"""Where the signs of an entry's writer stand: at its end, in brackets there, or behind its date.

| place   | example                                 | what stands there                                          |
|---------|-----------------------------------------|------------------------------------------------------------|
| ENTRY   | "Wunde reizlos. bk", "stabil     bk"    | ends a line behind a sentence's end, a gap or a cell's end |
| BRACKET | "gut geschlafen (bk)", "[Bk/OA Muster]" | alone in brackets at a line's or sentence's end            |
| HEAD    | "3.4. 14:00 bk", "3.4. Bk: stabil"      | ends a line, or is before a colon, behind its date or time |
| INNER   | "Echo (bk) vom 3.4.", "Ruf (bk, Labor)" | alone, first or last in brackets elsewhere                 |
| TAIL    | "T 38,2     bk", "Visite bk"            | ends a line otherwise                                      |

Several may sign, with a slash between them: "bk/Wg". A table's cells are columns. place_scan.py finds the places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deid_core.recognise.base import Document
from deid_core.recognise.context.name_walk import NameWalk
from deid_core.word_types import code_points

ENTRY, BRACKET, HEAD, INNER, TAIL = 1, 2, 4, 8, 16
STRONG = ENTRY | BRACKET | HEAD

JOINS, COMMA, STOP, OPENS, CLOSES, COLON, ENDS_SENTENCE = 1024, 32768, 65536, 131072, 262144, 524288, 1048576
"""Bits of marks: joins signers; ends a clause; ends a sentence; opens a bracket; closes one; a colon; may stand where a
sentence ends."""
DIGIT, LETTER, SHORT, DATING = 2097152, 4194304, 8388608, 16777216
"""Bits of words: begins with a digit; with a letter; a sentence may end with it, as with "o.k.", "i.v.", not with
"St."; may be of a date or time."""

_MARKS = {
    **dict.fromkeys("([", OPENS),
    **dict.fromkeys(")]", CLOSES | ENDS_SENTENCE),
    **dict.fromkeys("/+", JOINS),
    **dict.fromkeys('!?"“”', ENDS_SENTENCE),
    ".": STOP | ENDS_SENTENCE,
    ",": COMMA,
    ":": COLON,
}
_DATING = re.compile(r"\d.*|[.,:/()-]|uhr|h|um|den|mo|di|mi|do|fr|sa|so|[^\W\d_]{3,8}tag", re.IGNORECASE)


def place_bits(word: str) -> int:
    """The bits of a word."""
    bits = _MARKS.get(word, 0)
    if word[0].isdigit():
        bits |= DIGIT
    elif word[0].isalpha():
        bits |= LETTER
    if word[-1] == "." and "." in word[:-1]:
        bits |= SHORT
    return bits | DATING if _DATING.fullmatch(word) else bits


def places(
    document: Document, bits: npt.NDArray[np.uint32], may_sign: npt.NDArray[np.bool_]
) -> Sequence[tuple[int, int]]:
    """(token, place) of all that stand in a place of signs, ascending.

    bits: place_bits of each token; may_sign: which tokens may be a sign.
    """
    # Only here: pipelines without this recogniser load no numba for it.
    from deid_core.recognise.signs.place_scan import sign_places

    tokens = document.tokens
    if len(tokens) < 2:
        return ()
    found = np.empty((len(tokens), 2), np.int32)
    codes = code_points(document.text)
    count = sign_places(codes, tokens.starts, tokens.ends, tokens.breaks, bits, may_sign, found)
    return [(index, place) for index, place in found[:count].tolist()]


def has_stop(walk: NameWalk, index: int) -> bool:
    """Whether a full stop that is a token of its own stands at the token's end: "Mu."."""
    return walk.word(index + 1) == "." and walk.starts[index + 1] == walk.ends[index]
