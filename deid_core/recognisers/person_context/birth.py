"""Names next to a birth: the name somebody was born with, and the name before a date of birth.

"geb. Muster", "Müller, Peter, geb. 3.4.1950", "Peter Müller *", a list of patients or a case of a tumour board
("FALL 1 – Muster Anna, 3.4.1950"). The cues are FORMER_NAME, BIRTH and DATE.
"""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.cue_words import NOT_A_NAME, CueFlag
from deid_core.lexicon.word_flags import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME
from deid_core.recognisers.person_context.after_cue import past_marks
from deid_core.recognisers.person_context.name_line import NameLine
from deid_core.recognisers.person_context.name_reader import name_at

_ABBREVIATED = CueFlag.ABBREVIATED.value
_INITIAL = CueFlag.INITIAL.value
_PARTICLE = CueFlag.PARTICLE.value
_NAME_FIELD = CueFlag.NAME_FIELD.value
_AMBIGUOUS_FIELD = CueFlag.AMBIGUOUS_FIELD.value

_MAX_WORDS = 5
_MARKS = frozenset(",(*;")
_AFTER_CASE_NUMBER = frozenset("):-–—.")
"""Marks between the number of a case and the name: "1) ", "FALL 1 – "."""


def former_name(line: NameLine, index: int) -> Iterator[Detection]:
    """Yield the name that somebody was born with: "geb. Muster"."""
    start_token = past_marks(line, index)
    lower = not line.flags[index] & CAPITALISED
    if start_token >= line.count or not (line.adjacent(start_token) or line.cues[index] & _NAME_FIELD):
        return
    if not line.flags[start_token] & CAPITALISED:
        # "geboren in": only rare words. In a note in lower case "geb. knarz," is enough.
        sure = line.is_listed(start_token) or (
            line.lower_case_note and line.word(start_token - 1)[-1] == "." and line.ends_clause(start_token)
        )
        if not (lower and line.is_rare(start_token) and sure) and not line.is_particle(start_token):
            return
    name = name_at(line, start_token, lower=lower)
    if name is None or any(line.flags[i] & STOP and not line.is_particle(i) for i in range(*name)):
        return
    is_one_word = name[1] == start_token + 1
    abbreviated = line.word(start_token - 1)[-1] == "." or line.word(index).endswith("name")
    before = index - 1 - (line.word(index - 1) == ",")
    after_name = (
        before >= 0
        and line.adjacent(index)
        and (bool(line.flags[before] & (GIVEN_NAME | SURNAME)) or (before < index - 1 and line.is_rare(before)))
    )
    if is_one_word and line.flags[start_token] & COMMON and not after_name and not abbreviated:
        # "der 1941 geborene Kläger"
        return
    if is_one_word and line.flags[start_token] & COMMON and not (line.flags[start_token] & SURNAME or after_name):
        return
    yield line.detection(*name, PhiType.PATIENT, "born", 0.9)


def name_before_birth(line: NameLine, index: int) -> Iterator[Detection]:
    """Yield up to five words before a birth cue, with at most one comma: "Müller, Peter, geb.", "Peter Müller *"."""
    at = index - 1
    if at >= 0 and line.word(at) in {",", "(", ";"}:
        at -= 1
    end_token = at + 1
    start_token = name_start(line, end_token, lower=not line.flags[index] & CAPITALISED)
    words = [i for i in range(start_token, end_token) if line.flags[i] & IS_WORD]
    lower = any(not line.flags[i] & CAPITALISED and not line.is_particle(i) for i in words)
    if (len(words) >= 2 and not lower) or any(line.is_listed(i) and len(line.word(i)) > 2 for i in words):
        yield line.detection(start_token, end_token, PhiType.PATIENT, "birth", 0.9)


def name_before_date(line: NameLine, index: int) -> Iterator[Detection]:
    """Yield a full name between the start of a line and a date: a list of patients, a header without labels.

    After the number of a case the name need not be listed: "FALL 2 – Xylander Maro, 3.4.1950".
    """
    at = index - 1
    for _ in range(2):
        # "Muster, Anna, *3.4.1950"
        at -= at >= 0 and line.word(at) in _MARKS
    if at < 1 or not line.flags[at] & IS_WORD or line.flags[at] & STOP or line.cues[at]:
        return
    end_token = at + 1
    start_token = name_start(line, end_token, lower=True)
    words = [i for i in range(start_token, end_token) if line.flags[i] & IS_WORD and not line.is_particle(i)]
    given = [i for i in words if line.is_given_name(i)]
    if len(words) < 2 or not (line.opens_column(start_token) or line.word(start_token - 1) in _AFTER_CASE_NUMBER):
        return
    capitalised = all(line.flags[i] & CAPITALISED for i in words)
    if given or (capitalised and (_is_after_case_number(line, start_token) or line.word(start_token + 1) == ",")):
        others = [i for i in words if i not in given]
        if all(line.flags_as_capitalised(i) & SURNAME or line.is_rare(i) for i in others):
            yield line.detection(start_token, end_token, PhiType.PATIENT, "birth", 0.9)


def name_start(line: NameLine, end_token: int, *, lower: bool = False) -> int:
    """Return the first token of the name that ends at `end_token`, `end_token` itself if there is none.

    lower: its words can be in lower case; then there are two at most.
    """
    at, commas, start_token, words = end_token - 1, 0, end_token, 0
    while at >= 0 and end_token - at <= _MAX_WORDS + 1 and (at == end_token - 1 or not line.opens_column(at + 1)):
        flags, word = line.flags[at], line.word(at)
        may_be_name = flags & CAPITALISED or (lower and flags & IS_WORD and len(word) > 2 and words < 2)
        if may_be_name and not line.cues[at] & ~(_ABBREVIATED | _INITIAL) and word.lower() not in NOT_A_NAME:
            as_capitalised = line.flags_as_capitalised(at)
            # "bauch, anna, geb.": next to a given name a common word is a surname.
            with_given = words == 1 and line.is_given_name(end_token - 1)
            if flags & STOP or (flags & COMMON and not (as_capitalised & (GIVEN_NAME | SURNAME) or with_given)):
                break
            start_token, words = at, words + 1
        elif word == "," and not commas and start_token == at + 1:
            commas += 1
        elif line.cues[at] & _PARTICLE:
            if at == 0 or line.opens_column(at):
                start_token = at
        else:
            break
        at -= 1
    return start_token


def _is_after_case_number(line: NameLine, start_token: int) -> bool:
    """Whether the number of a case is before the name, on its line or on the line before: "Fall 2", "FALL 2 – "."""
    at = start_token - 1 - (line.word(start_token - 1) in _AFTER_CASE_NUMBER)
    return at > 0 and line.word(at).isdigit() and bool(line.cues[at - 1] & _AMBIGUOUS_FIELD)
