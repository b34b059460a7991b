"""Where the signs of an entry's writer stand: at its end, in brackets there, or behind its date.

| place   | example                                 | what stands there                                          |
|---------|-----------------------------------------|------------------------------------------------------------|
| ENTRY   | "Wunde reizlos. bk", "stabil     bk"    | ends a line behind a sentence's end, a gap or a cell's end |
| BRACKET | "gut geschlafen (bk)", "[Bk/OA Muster]" | alone in brackets at a line's or sentence's end            |
| HEAD    | "3.4. 14:00 bk", "3.4. Bk: stabil"      | ends a line, or is before a colon, behind its date or time |
| INNER   | "Echo (bk) vom 3.4.", "Ruf (bk, Labor)" | alone, first or last in brackets elsewhere                 |
| TAIL    | "T 38,2     bk", "Visite bk"            | ends a line otherwise                                      |

Several may sign, with a slash between them: "bk/Wg". A table's cells are columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.recognise.context.name_walk import NameWalk
from deid_core.tokens import Tokens

ENTRY, BRACKET, HEAD, INNER, TAIL = 1, 2, 4, 8, 16
STRONG = ENTRY | BRACKET | HEAD

BEHIND_SIGN, COMMA, STOP, OPENS_OR_JOINS = 1024, 32768, 65536, 131072
"""Bits of marks: may stand behind a sign; ends a clause; ends a sentence; opens a bracket or joins signers."""

_WIDE = 2
"""Blanks that part an entry from the sign behind it."""
_MAX_OTHERS = 2
"""Signers before or behind one, joined by slashes."""
_MAX_DATING = 9
_ENDS_SENTENCE = frozenset('.!?)]"“”')
_OPENS = frozenset("([")
_CLOSES = frozenset(")]")
_JOINS = frozenset("/+")
_OPENS_OR_JOINS = _OPENS | _JOINS
_STOPS = frozenset(".:")
_BEHIND_SIGN = _CLOSES | _JOINS | _STOPS | {","}
_DATING = re.compile(r"\d.*|[.,:/()-]|uhr|h|um|den|mo|di|mi|do|fr|sa|so|[^\W\d_]{3,8}tag", re.IGNORECASE)


def place_bits(word: str) -> int:
    """The bits of a word."""
    bits = BEHIND_SIGN if word in _BEHIND_SIGN else 0
    if word in _OPENS_OR_JOINS:
        bits |= OPENS_OR_JOINS
    return bits | (COMMA if word == "," else STOP if word == "." else 0)


def places(
    tokens: Tokens, walk: NameWalk, bits: npt.NDArray[np.uint32], may_sign: npt.NDArray[np.bool_]
) -> Iterator[tuple[int, int]]:
    """(token, place) of all that stand in a place of signs.

    bits: place_bits of each token; may_sign: which tokens may be a sign.
    """
    if len(tokens) < 2:
        return
    gaps = tokens.starts[1:] - tokens.ends[:-1]
    apart = (gaps >= _WIDE) | tokens.breaks[1:]
    ends = np.ones(len(tokens), bool)
    ends[:-1] = apart | ((bits[1:] & BEHIND_SIGN) != 0)
    # For a third of the tokens this alone decides: the line goes on behind a comma, where no bracket or slash stands
    # before, or behind a full stop at the word's end. That is no sign.
    comma = ((bits[1:] & COMMA) != 0) & ~apart
    comma[1:] &= (bits[:-2] & OPENS_OR_JOINS) == 0
    ends[:-1] &= ~comma
    ends[:-2] &= ~(((bits[1:-1] & STOP) != 0) & (gaps[:-1] == 0) & ~tokens.breaks[2:])
    for index in np.flatnonzero(may_sign & ends).tolist():
        if place := _place(walk, index):
            yield index, place


def _place(walk: NameWalk, index: int) -> int:
    """The place of the token, 0 if it stands in none."""
    if has_stop(walk, index) and not _ends_line(walk, index + 1):
        return 0
    first, last = _signers(walk, index)
    before, after = walk.word(first - 1) if first else "", walk.word(last + 1)
    if before in _OPENS and not walk.breaks[first]:
        if after in _CLOSES and not walk.breaks[last + 1]:
            return BRACKET if _ends_line(walk, last + 1) or walk.word(last + 2) in _STOPS else INNER
        return INNER if after == "," else 0
    if after in _CLOSES:
        return INNER if before == "," else 0
    stopped = has_stop(walk, last)
    ends_line = _ends_line(walk, last + stopped)
    if (ends_line or after == ":" or _wide(walk, last + 1)) and _is_dated(walk, first):
        return HEAD
    if not ends_line or not first or walk.starts[first] == walk.ends[first - 1]:
        return 0
    if walk.breaks[first] and (stopped or "\n" in walk.gap(first)):
        return 0
    parted = (walk.breaks[first] or _wide(walk, first)) and not before[0].isdigit()
    if parted or before in _ENDS_SENTENCE or _is_written_short(before):
        return ENTRY
    return 0 if stopped else TAIL


def has_stop(walk: NameWalk, index: int) -> bool:
    """Whether a full stop that is a token of its own stands at the token's end: "Mu."."""
    return walk.word(index + 1) == "." and walk.starts[index + 1] == walk.ends[index]


def _is_written_short(word: str) -> bool:
    """Whether a sentence may end with it: "o.k.", "i.v.", not "St."."""
    return word[-1] == "." and "." in word[:-1]


def _signers(walk: NameWalk, index: int) -> tuple[int, int]:
    """The first and the last token of those who sign together: "bk/Wg"."""
    first = last = index
    while last < index + 2 * _MAX_OTHERS and walk.word(last + 1) in _JOINS:
        if not _is_word(walk, last + 2) or walk.breaks[last + 1]:
            break
        last += 2
    while first > max(1, index - 2 * _MAX_OTHERS) and walk.word(first - 1) in _JOINS:
        if not _is_word(walk, first - 2) or walk.breaks[first]:
            break
        first -= 2
    return first, last


def _is_word(walk: NameWalk, index: int) -> bool:
    return index < len(walk) and walk.word(index)[0].isalpha() and not (walk.breaks[index] and "\n" in walk.gap(index))


def _wide(walk: NameWalk, index: int) -> bool:
    return index >= len(walk) or walk.starts[index] - walk.ends[index - 1] >= _WIDE


def _ends_line(walk: NameWalk, index: int) -> bool:
    return index + 1 >= len(walk) or (walk.breaks[index + 1] and "\n" in walk.gap(index + 1))


def _is_dated(walk: NameWalk, first: int) -> bool:
    """Whether a date or time, and nothing else, stands between the line's beginning and the token."""
    if first == 0 or (walk.breaks[first] and "\n" in walk.gap(first)):
        return False
    numbers = 0
    for at in range(first - 1, max(-1, first - _MAX_DATING), -1):
        word = walk.word(at)
        if not _DATING.fullmatch(word):
            return False
        numbers += word[0].isdigit()
        if at == 0 or (walk.breaks[at] and "\n" in walk.gap(at)):
            return numbers > 0
    return False
