"""Names around birth: what somebody was born as, and who stands before a birth date.

"geb. Muster", "Müller, Peter, geb. 3.4.1950", "Peter Müller *", a list of patients or a case of a board ("FALL 1 –
Muster Anna, 3.4.1950"). Called by recogniser.py for the triggers BORN, BIRTH and DATED.
"""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.cue_words import NOT_A_NAME, CueFlag
from deid_core.lexicon.flags import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME
from deid_core.recognisers.person_names.walk import NameWalk

_ABBREVIATED = CueFlag.ABBREVIATED.value
_NAME_FIELD = CueFlag.NAME_FIELD.value
_INITIAL = CueFlag.INITIAL.value
_PARTICLE = CueFlag.PARTICLE.value
_AMBIGUOUS_FIELD = CueFlag.AMBIGUOUS_FIELD.value
_MAX_WORDS = 5
_MARKS = frozenset(",(*;")
_BEFORE_CASE = frozenset(") : - – — .".split())
"""Behind these a case begins, if its number stands before: "1) ", "FALL 1 – "."""


def born(walk: NameWalk, index: int) -> Iterator[Detection]:
    """The name that somebody was born with: "geb. Muster"."""
    first = walk.past_mark(index)
    small = not walk.bits[index] & CAPITALISED
    if first >= len(walk) or not (walk.adjacent(first) or walk.triggers[index] & _NAME_FIELD):
        return
    if not walk.bits[first] & CAPITALISED:
        # "geboren in": only words that nobody else needs.
        # In a note of small letters "geb. knarz," is enough.
        sure = walk.listed(first) or (walk.small_note and walk.word(first - 1)[-1] == "." and walk.ends_clause(first))
        if not (small and walk.rare(first) and sure) and not walk.is_particle(first):
            return
    named = walk.walk(first, small=small)
    if named is None or any(walk.bits[i] & STOP and not walk.is_particle(i) for i in range(*named)):
        return
    alone = named[1] == first + 1
    abbreviated = walk.word(first - 1)[-1] == "." or walk.word(index).endswith("name")
    before = index - 1 - (walk.word(index - 1) == ",")
    behind_name = (
        before >= 0
        and walk.adjacent(index)
        and (bool(walk.bits[before] & (GIVEN_NAME | SURNAME)) or (before < index - 1 and walk.rare(before)))
    )
    if alone and walk.bits[first] & COMMON and not behind_name and not abbreviated:
        # "der 1941 geborene Kläger"
        return
    if alone and walk.bits[first] & COMMON and not (walk.bits[first] & SURNAME or behind_name):
        return
    yield walk.detection(*named, PhiType.PATIENT, "born", 0.9)


def before_birth(walk: NameWalk, index: int) -> Iterator[Detection]:
    """Up to five tokens before a birth date, one comma between them: "Müller, Peter, geb.", "Peter Müller *"."""
    at = index - 1
    if at >= 0 and walk.word(at) in {",", "(", ";"}:
        at -= 1
    last = at + 1
    first = back_from(walk, last, small=not walk.bits[index] & CAPITALISED)
    words = [i for i in range(first, last) if walk.bits[i] & IS_WORD]
    small = any(not walk.bits[i] & CAPITALISED and not walk.is_particle(i) for i in words)
    if (len(words) >= 2 and not small) or any(walk.listed(i) and len(walk.word(i)) > 2 for i in words):
        yield walk.detection(first, last, PhiType.PATIENT, "birth", 0.9)


def before_date(walk: NameWalk, index: int) -> Iterator[Detection]:
    """A full name that begins a line and is followed by a date: a list of patients, a header without labels.

    Behind a case's number the name need not be on a list: "FALL 2 – Xylander Maro, 3.4.1950".
    """
    at = index - 1
    for _ in range(2):
        # "Muster, Anna, *3.4.1950"
        at -= at >= 0 and walk.word(at) in _MARKS
    if at < 1 or not walk.bits[at] & IS_WORD or walk.bits[at] & STOP or walk.triggers[at]:
        return
    last = at + 1
    first = back_from(walk, last, small=True)
    words = [i for i in range(first, last) if walk.bits[i] & IS_WORD and not walk.is_particle(i)]
    given = [i for i in words if walk.given(i)]
    if len(words) < 2 or not (walk.opens_column(first) or walk.word(first - 1) in _BEFORE_CASE):
        return
    capitals = all(walk.bits[i] & CAPITALISED for i in words)
    if given or (capitals and (_is_case(walk, first) or walk.word(first + 1) == ",")):
        others = [i for i in words if i not in given]
        if all(walk.bits_of(i) & SURNAME or walk.rare(i) for i in others):
            yield walk.detection(first, last, PhiType.PATIENT, "birth", 0.9)


def _is_case(walk: NameWalk, first: int) -> bool:
    """Whether a case's number stands before the name, on its line or on the line before: "Fall 2", "FALL 2 – "."""
    at = first - 1 - (walk.word(first - 1) in _BEFORE_CASE)
    return at > 0 and walk.word(at).isdigit() and bool(walk.triggers[at - 1] & _AMBIGUOUS_FIELD)


def back_from(walk: NameWalk, last: int, *, small: bool = False) -> int:
    """The first token of the name that ends before `last`; `last` itself if there is none.

    small: its words may be in small letters, and are then two at most.
    """
    at, commas, first, words = last - 1, 0, last, 0
    while at >= 0 and last - at <= _MAX_WORDS + 1 and (at == last - 1 or not walk.opens_column(at + 1)):
        bits, word = walk.bits[at], walk.word(at)
        capital = bits & CAPITALISED or (small and bits & IS_WORD and len(word) > 2 and words < 2)
        if capital and not walk.triggers[at] & ~(_ABBREVIATED | _INITIAL) and word.lower() not in NOT_A_NAME:
            of_word = walk.bits_of(at)
            # "bauch, anna, geb.": behind a given name a common word is a surname.
            of_given = words == 1 and walk.given(last - 1)
            if bits & STOP or (bits & COMMON and not (of_word & (GIVEN_NAME | SURNAME) or of_given)):
                break
            first, words = at, words + 1
        elif word == "," and not commas and first == at + 1:
            commas += 1
        elif walk.triggers[at] & _PARTICLE:
            if at == 0 or walk.opens_column(at):
                first = at
        else:
            break
        at -= 1
    return first
