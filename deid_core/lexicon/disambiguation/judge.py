"""Decide which matches of a note are names and by which evidence, in compiled code; evidence.py has the table."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from deid_core.core.jit import inlined, jit
from deid_core.lexicon.disambiguation import eponyms
from deid_core.lexicon.disambiguation import name_flags as flag
from deid_core.lexicon.disambiguation.name_flags import LONGEST_SUFFIX, MIN_LETTERS, Evidence
from deid_core.lexicon.gazetteer.kinds import NAME_KINDS, ListKind, bit

_Array = npt.NDArray[Any]

# Plain integers, for the compiled code.
_NO_EVIDENCE = Evidence.NONE.value
_BY_TITLE = Evidence.TITLE.value
_BY_PAIR = Evidence.PAIR.value
_BY_INITIAL = Evidence.INITIAL.value
_BY_ADJACENT_NAME = Evidence.ADJACENT_NAME.value
_BY_POSTCODE = Evidence.POSTCODE.value
_BY_HOUSE_NUMBER = Evidence.HOUSE_NUMBER.value
_BY_STREET_LIST = Evidence.STREET_LIST.value
_BY_RESIDENCE = Evidence.RESIDENCE.value
_BY_PREPOSITION = Evidence.PREPOSITION.value
_BY_LIST = Evidence.LIST.value

_FIRST_NAME = bit(ListKind.FIRST_NAME)
_SURNAME = bit(ListKind.SURNAME)
_PERSON = _FIRST_NAME | _SURNAME
_STREET = bit(ListKind.STREET)
_PLACE = bit(ListKind.TOWN) | bit(ListKind.REGION) | bit(ListKind.COUNTRY)
_STREET_KIND = NAME_KINDS.index(ListKind.STREET)
_COUNTRY_KIND = NAME_KINDS.index(ListKind.COUNTRY)

_follows_eponym_word = inlined(eponyms.follows_eponym_word)
_precedes_eponym_word = inlined(eponyms.precedes_eponym_word)
_has_value = inlined(eponyms.has_value)


@inlined
def _before(breaks: _Array, index: Any) -> Any:
    """Return the token before one on the same line, -1 if there is none."""
    return -1 if breaks[index] else index - 1


@inlined
def _is_ambiguous(flags: _Array, start_token: Any, end_token: Any) -> Any:
    """Return whether all words of a match are ambiguous."""
    for index in range(start_token, end_token):
        if flags[index] & flag.AMBIGUOUS == 0:
            return False
    return True


@inlined
def _vetoed(flags: _Array, breaks: _Array, start_token: Any, end_token: Any) -> Any:
    """Return whether "Morbus" before the match or a medical noun after it makes it an eponym."""
    if flags[start_token] & flag.EPONYM and start_token > 0 and flags[start_token - 1] & flag.MORBUS:
        return True
    return end_token < len(flags) and flags[end_token] & flag.MEDICAL_NOUN != 0 and _before(breaks, end_token) >= 0


@inlined
def _paired(matches: _Array, flags: _Array, breaks: _Array, number: Any) -> Any:
    """Return whether an unambiguous name next to the match completes it: "Peter Stein", "Stein, Peter"."""
    start_token, end_token, lists = matches[number, 0], matches[number, 1], matches[number, 2]
    if number > 0 and matches[number - 1, 1] == start_token and _before(breaks, start_token) >= 0:
        earlier = matches[number - 1, 2] & _FIRST_NAME and not _is_ambiguous(flags, matches[number - 1, 0], start_token)
        if earlier and flags[start_token] & flag.MEDICAL == 0:
            return True
    if number + 1 == len(matches):
        return False
    next_start, next_end, next_lists = matches[number + 1, 0], matches[number + 1, 1], matches[number + 1, 2]
    if next_start == end_token and _before(breaks, next_start) >= 0:
        if (
            flags[next_start] & (flag.STOP_WORD | flag.INTRODUCES | flag.MEDICAL)
            or lists & _FIRST_NAME == 0
            or next_lists & _PERSON == 0
        ):
            return False
        return not (_is_ambiguous(flags, start_token, end_token) and _is_ambiguous(flags, next_start, next_end))
    comma = next_start == end_token + 1 and flags[end_token] & flag.COMMA != 0 and _before(breaks, next_start) >= 0
    return comma and next_lists & _FIRST_NAME != 0 and not _is_ambiguous(flags, next_start, next_end)


@inlined
def _person(matches: _Array, flags: _Array, breaks: _Array, number: Any, person_end: Any) -> Any:
    """Return the first token and the evidence of a person's name; person_end: where the latest accepted person ends."""
    start_token, end_token = matches[number, 0], matches[number, 1]
    if flags[start_token] & flag.UPPER == 0 or flags[start_token] & (flag.INTRODUCES | flag.PERSONAL_NOUN):
        return start_token, _NO_EVIDENCE
    begins, initials, before = start_token, 0, _before(breaks, start_token)
    while before >= 0 and flags[before] & (flag.PARTICLE | flag.INITIAL):
        if flags[before] & flag.INITIAL:
            begins, initials = before, initials | flags[before]
        before = _before(breaks, before)
    if before >= 0 and flags[before] & flag.INTRODUCES:
        return before + 1, _BY_TITLE
    if flags[start_token] & flag.STOP_WORD or _vetoed(flags, breaks, start_token, end_token):
        return start_token, _NO_EVIDENCE
    if _paired(matches, flags, breaks, number):
        return start_token, _BY_PAIR
    if initials and not (initials & flag.ANATOMICAL and _is_ambiguous(flags, start_token, end_token)):
        return begins, _BY_INITIAL
    if person_end == start_token and before == start_token - 1 and flags[start_token] & flag.MEDICAL == 0:
        return start_token, _BY_ADJACENT_NAME
    return start_token, _NO_EVIDENCE


@inlined
def _street(
    flags: _Array,
    starts: _Array,
    ends: _Array,
    start_token: Any,
    end_token: Any,
    lists: Any,
    ambiguous: Any,
    numbered: Any,
) -> Any:
    suffixed, several = flags[end_token - 1] & flag.STREET_SUFFIX != 0, end_token - start_token > 1
    if numbered:
        # An ambiguous word needs a stem and must be no term: "Kirchweg 3" is a street, "Ring 3" is not.
        has_stem = ends[start_token] - starts[start_token] > LONGEST_SUFFIX and flags[start_token] & flag.MEDICAL == 0
        if not ambiguous or (suffixed and (several or has_stem)):
            return _BY_HOUSE_NUMBER
    if lists & ~_STREET == 0 and not ambiguous and (suffixed or several):
        return _BY_STREET_LIST
    return _NO_EVIDENCE


@inlined
def _place(flags: _Array, starts: _Array, ends: _Array, breaks: _Array, start_token: Any) -> Any:
    before = _before(breaks, start_token)
    if before < 0 or flags[start_token] & flag.UPPER == 0:
        return _NO_EVIDENCE
    if flags[before] & flag.POSTCODE:
        return _BY_POSTCODE
    if flags[before] & flag.RESIDENCE or (
        flags[before] & flag.PREPOSITION and start_token >= 2 and flags[start_token - 2] & flag.RESIDENCE
    ):
        return _BY_RESIDENCE
    if flags[before] & flag.PREPOSITION and flags[start_token] & (flag.MEDICAL | flag.EPONYM) == 0:
        return _BY_PREPOSITION if ends[start_token] - starts[start_token] >= MIN_LETTERS - 1 else _NO_EVIDENCE
    return _NO_EVIDENCE


@inlined
def _listed(
    flags: _Array,
    eponym_flags: _Array,
    breaks: _Array,
    start_token: Any,
    end_token: Any,
    kind: Any,
    exact: Any,
    ambiguous: Any,
) -> Any:
    """Return the evidence of a match of the kind without evidence around it: its list, or none."""
    if _vetoed(flags, breaks, start_token, end_token):
        return _NO_EVIDENCE
    if ambiguous:
        # USA, Iran: ambiguous only for their length or capitals.
        only_short = exact and flags[start_token] & flag.UPPER != 0 and flags[start_token] & flag.LISTED == 0
        return _BY_LIST if kind == _COUNTRY_KIND and only_short else _NO_EVIDENCE
    person = 1 << kind & _PERSON != 0
    if 1 << kind == _SURNAME:
        before = _before(breaks, start_token)
        if before < 0 or flags[before] & flag.SENTENCE_END:
            return _NO_EVIDENCE
    if person and (
        _follows_eponym_word(eponym_flags, breaks, start_token)
        or _precedes_eponym_word(eponym_flags, breaks, end_token)
        or _has_value(eponym_flags, breaks, end_token)
    ):
        return _NO_EVIDENCE
    return _BY_LIST


@jit("void(i8[:, ::1], b1[::1], b1[::1], u4[::1], u4[::1], i4[::1], i4[::1], b1[::1], i8[::1], i8[:, ::1])")
def judge(
    matches: _Array,
    exact: _Array,
    numbered: _Array,
    flags: _Array,
    eponym_flags: _Array,
    starts: _Array,
    ends: _Array,
    breaks: _Array,
    kind_of: _Array,
    found: _Array,
) -> None:
    """Set for each match the first token of the name, its kind and its evidence, from left to right.

    matches, exact: as in Matches. numbered: whether a house number follows. flags, eponym_flags: of each
    token. kind_of: for each mask of lists its first kind. found: int64 (matches, 3), the result.
    """
    person_end = -1
    for number in range(len(matches)):
        start_token, end_token, lists = matches[number, 0], matches[number, 1], matches[number, 2]
        begins, kind, evidence = start_token, 0, _NO_EVIDENCE
        if lists & _PERSON:
            kind = kind_of[lists & _PERSON]
            begins, evidence = _person(matches, flags, breaks, number, person_end)
            if evidence != _NO_EVIDENCE:
                person_end = end_token
        ambiguous = evidence == _NO_EVIDENCE and _is_ambiguous(flags, start_token, end_token)
        if evidence == _NO_EVIDENCE and lists & _STREET:
            kind = _STREET_KIND
            evidence = _street(flags, starts, ends, start_token, end_token, lists, ambiguous, numbered[number])
        if evidence == _NO_EVIDENCE and lists & _PLACE:
            kind = kind_of[lists & _PLACE]
            evidence = _place(flags, starts, ends, breaks, start_token)
        if evidence == _NO_EVIDENCE and lists & ~_STREET:
            kind = kind_of[lists & ~_STREET]
            evidence = _listed(flags, eponym_flags, breaks, start_token, end_token, kind, exact[number], ambiguous)
            if evidence != _NO_EVIDENCE and 1 << kind & _PERSON:
                person_end = end_token
        found[number, 0], found[number, 1], found[number, 2] = begins, kind, evidence
