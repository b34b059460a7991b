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

from deid_core.recognisers.person_names.walk import NameWalk
from deid_core.recognisers.staff_initials.flags import (
    CLOSES,
    COLON,
    COMMA,
    DATING,
    DIGIT,
    ENDS_SENTENCE,
    JOINS,
    LETTER,
    OPENS,
    SHORT,
    STOP,
)
from deid_core.text.arrays import code_points
from deid_core.text.document import Document

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
    from deid_core.recognisers.staff_initials.place_kernel import sign_places

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
