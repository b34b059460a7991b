"""Names below the closing formula: who signed, each at the beginning of a line or column.

Called by recogniser.py with the tokens that may begin a closing formula.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.flags import CAPITALISED, GIVEN_NAME, IS_WORD, STOP, SURNAME
from deid_core.recognisers.person_names.walk import NameWalk
from deid_core.text.closing import CLOSING

_PARTICLE = CueFlag.PARTICLE.value
_SIGNATURE_CHARS = 600
_POSTSCRIPT = frozenset(("PS", "PS.", "P.S.", "NB", "N.B.", "D.", "CC"))
"""What begins a line below a signature and is no initial; "D.:" stands before who gets a copy."""


def signatures(walk: NameWalk, text: str, closings: Sequence[int]) -> Iterator[Detection]:
    """Names in the lines below the closing formula, each at the beginning of a line or column."""
    closed = _closed_at(walk, text, closings)
    if closed < 0:
        return
    end = min(len(text), closed + _SIGNATURE_CHARS)
    line_end = text.find("\n", closed, end)
    if line_end < 0:
        return
    index = bisect_left(walk.starts, line_end)
    yield from _alone(walk, index)
    while index < len(walk) and walk.starts[index] < end:
        if walk.opens_column(index) or walk.word(index - 1) == "/":
            yield from _signed_at(walk, index)
        index += 1


def _closed_at(walk: NameWalk, text: str, closings: Sequence[int]) -> int:
    """Where the last closing formula ends, -1 without one."""
    for index in reversed(closings):
        if (index == 0 or walk.breaks[index]) and (match := CLOSING.match(text, walk.starts[index])):
            return match.end()
    return -1


def _signed_at(walk: NameWalk, first: int) -> Iterator[Detection]:
    named = walk.walk(first, small=walk.small_note)
    if named is None or walk.word(first).upper() in _POSTSCRIPT:
        return
    words = [i for i in range(*named) if walk.bits[i] & IS_WORD]
    initials = named[1] - named[0] - len(words) or any(walk.is_initial(i, small=walk.small_note) for i in words)
    listed = any(walk.listed(i) or walk.bits[i] & (GIVEN_NAME | SURNAME) for i in words)
    rare = len(words) >= 2 and all(walk.rare(i) or walk.triggers[i] & _PARTICLE for i in words)
    if any(walk.bits[i] & STOP for i in words) or all(walk.is_initial(i) for i in words):
        return
    if initials or listed or rare:
        yield walk.detection(*named, PhiType.CLINICIAN, "signature", 0.9 if listed else 0.8)


def _alone(walk: NameWalk, first: int) -> Iterator[Detection]:
    """One word that fills the first line below the closing, whatever lists say of it: "Herzlich, dein" and "Maro"."""
    if first >= len(walk) or walk.bits[first] & STOP or not (walk.ends_line(first) or walk.word(first + 1) == ","):
        return
    small = walk.small_note or not walk.bits[first] & CAPITALISED
    if walk.walk(first, small=small) == (first, first + 1) and walk.rare(first) and not walk.listed(first):
        yield walk.detection(first, first + 1, PhiType.CLINICIAN, "signature", 0.7)
    elif small and not walk.small_note and walk.given(first):
        yield walk.detection(first, first + 1, PhiType.CLINICIAN, "signature", 0.7)
