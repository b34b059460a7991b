"""What somebody is called: nicknames, other names and spellings, in quotation marks or brackets.

"genannt Muster", "hieß dort »Muster, Anna«", "(auch: Muster, Ana)", "namens Muster", "der »Maro« genannt wird". Called
by recogniser.py for the trigger CALLED.
"""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.flags import CAPITALISED, COMMON, IS_WORD, STOP
from deid_core.recognisers.person_context.birth import back_from
from deid_core.recognisers.person_names.walk import NameWalk

_QUOTES = frozenset('"„»‚“«”‘')
_OPENING = _QUOTES | {":", "("}
_CLOSING_QUOTES = frozenset('"“”«»‘')
_MAX_QUOTED = 5
_FULL_NAME = 2
_BETWEEN = frozenset("dort jetzt früher eigentlich nur sich selbst wohl damals noch einmal immer in der akte".split())
_MAX_BETWEEN = 3
_SURE = frozenset(("namens",))
_PASSIVE = frozenset(("genannt", "nennen", "nennt", "gerufen"))
"""What somebody is called stands before these as well: "die Maro genannt wurde"."""


def called(walk: NameWalk, index: int) -> Iterator[Detection]:
    """The name behind or before a word such as "genannt"."""
    word = walk.word(index).lower()
    if (word == "auch" and not (walk.word(index - 1) == "(" or walk.word(index + 1) == ":")) or index == 0:
        return
    if walk.word(index - 1) == "(":
        # "MUSTER, ANNA (auch: Musther, Ana)"
        first = back_from(walk, index - 1)
        if index - 1 - first >= _FULL_NAME and walk.opens_column(first) and walk.rare(first):
            yield walk.detection(first, index - 1, PhiType.PATIENT, "called", 0.75)
    at = index + 1
    while at < index + _MAX_BETWEEN and walk.word(at) in _BETWEEN and walk.adjacent(at):
        at += 1
    quoted = False
    for _ in range(2):
        if walk.word(at) in _OPENING and at < len(walk):
            quoted |= walk.word(at) in _QUOTES
            at += 1
    found = _quoted(walk, at) if quoted else _plain(walk, at, sure=word in _SURE)
    if found is None and word in _PASSIVE:
        found = _before(walk, index)
    if found is not None:
        yield walk.detection(*found, PhiType.PATIENT, "called", 0.75 if quoted else 0.7)


def nickname(walk: NameWalk, index: int, phi: PhiType) -> list[Detection]:
    """What stands in quotation marks and brackets behind a name: Egon ("Egi")."""
    if walk.word(index) == "(" and walk.word(index + 1) in _OPENING and walk.word(index + 3) in _CLOSING_QUOTES:
        if walk.bits[index + 2] & CAPITALISED:
            return [walk.detection(index + 2, index + 3, phi, "called", 0.8)]
    return []


def _quoted(walk: NameWalk, first: int) -> tuple[int, int] | None:
    """The words up to the closing quotation mark, if each may be of a name."""
    at = first
    while at < min(len(walk), first + _MAX_QUOTED) and walk.word(at) not in _CLOSING_QUOTES:
        bits = walk.bits[at]
        if bits & IS_WORD and not walk.is_particle(at) and (not bits & CAPITALISED or bits & STOP):
            return None
        if not bits & IS_WORD and walk.word(at) not in {",", "-", "."}:
            return None
        at += 1
    closed = at > first and walk.word(at) in _CLOSING_QUOTES
    return (first, at) if closed and any(_nameable(walk, i) for i in range(first, at)) else None


def _plain(walk: NameWalk, first: int, *, sure: bool) -> tuple[int, int] | None:
    if first >= len(walk):
        return None
    named = walk.walk(first, small=walk.small_note)
    if named is None or not walk.likely(*named, listed=not sure):
        return None
    return walk.with_given(named, small=walk.small_note)


def _before(walk: NameWalk, index: int) -> tuple[int, int] | None:
    """The name that ends before the word, in quotation marks or not."""
    last = index
    if last and walk.word(last - 1) in _CLOSING_QUOTES:
        last -= 1
    first = last
    while first and last - first < 3 and (first == index or walk.adjacent(first)) and _nameable(walk, first - 1):
        first -= 1
    return (first, last) if first < last else None


def _nameable(walk: NameWalk, index: int) -> bool:
    """Whether a word may be what somebody is called: capitalised and no common word, or on a list of names."""
    bits = walk.bits[index]
    if not bits & CAPITALISED or bits & STOP or walk.triggers[index]:
        return False
    return walk.listed(index) or (walk.rare(index) and not bits & COMMON)
