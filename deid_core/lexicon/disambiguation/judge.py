"""Which matches of a note are names and by which evidence, in compiled code: evidence.py has the table."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from deid_core.core.jit import inlined, jit
from deid_core.lexicon.disambiguation import eponyms
from deid_core.lexicon.disambiguation.flags import (
    ANATOMICAL,
    BY_INITIAL,
    BY_NAME,
    BY_NUMBER,
    BY_PAIR,
    BY_POSTCODE,
    BY_PREPOSITION,
    BY_RESIDENCE,
    BY_STREET,
    BY_TITLE,
    BY_WORD,
    CAPITAL,
    COMMA,
    DOUBTFUL,
    ENDS_SENTENCE,
    EPONYM,
    INITIAL,
    INTRODUCES,
    LISTED,
    LONGEST_SUFFIX,
    MEDICAL,
    MEDICAL_NOUN,
    MIN_LETTERS,
    MORBUS,
    NO_NAME,
    NOBODY,
    PARTICLE,
    POSTCODE,
    PREPOSITION,
    RESIDENCE,
    STOP,
    STREET_SUFFIXED,
)
from deid_core.lexicon.gazetteer.kinds import NAME_KINDS, ListKind, bit

_Array = npt.NDArray[Any]

_FIRST_NAME = bit(ListKind.FIRST_NAME)
_SURNAME = bit(ListKind.SURNAME)
_PERSON = _FIRST_NAME | _SURNAME
_STREET = bit(ListKind.STREET)
_PLACE = bit(ListKind.TOWN) | bit(ListKind.REGION) | bit(ListKind.COUNTRY)
_STREET_KIND = NAME_KINDS.index(ListKind.STREET)
_COUNTRY_KIND = NAME_KINDS.index(ListKind.COUNTRY)

# What eponyms.py says of tokens around a name runs here as compiled code too.
_announced = inlined(eponyms.announced)
_explained = inlined(eponyms.explained)
_has_value = inlined(eponyms.has_value)


@inlined
def _before(breaks: _Array, index: Any) -> Any:
    """The token before one on the same line; -1 if there is none."""
    return -1 if breaks[index] else index - 1


@inlined
def _is_doubtful(bits: _Array, first: Any, last: Any) -> Any:
    """Whether all words of a match are doubtful."""
    for index in range(first, last):
        if bits[index] & DOUBTFUL == 0:
            return False
    return True


@inlined
def _vetoed(bits: _Array, breaks: _Array, first: Any, last: Any) -> Any:
    if bits[first] & EPONYM and first > 0 and bits[first - 1] & MORBUS:
        return True
    return last < len(bits) and bits[last] & MEDICAL_NOUN != 0 and _before(breaks, last) >= 0


@inlined
def _paired(matches: _Array, bits: _Array, breaks: _Array, number: Any) -> Any:
    """Whether an undoubted name makes a full name with this match: "Peter Stein", "Stein, Peter"."""
    first, last, lists = matches[number, 0], matches[number, 1], matches[number, 2]
    if number > 0 and matches[number - 1, 1] == first and _before(breaks, first) >= 0:
        earlier = matches[number - 1, 2] & _FIRST_NAME and not _is_doubtful(bits, matches[number - 1, 0], first)
        if earlier and bits[first] & MEDICAL == 0:
            return True
    if number + 1 == len(matches):
        return False
    behind, end, others = matches[number + 1, 0], matches[number + 1, 1], matches[number + 1, 2]
    if behind == last and _before(breaks, behind) >= 0:
        if bits[behind] & (STOP | INTRODUCES | MEDICAL) or lists & _FIRST_NAME == 0 or others & _PERSON == 0:
            return False
        return not (_is_doubtful(bits, first, last) and _is_doubtful(bits, behind, end))
    comma = behind == last + 1 and bits[last] & COMMA != 0 and _before(breaks, behind) >= 0
    return comma and others & _FIRST_NAME != 0 and not _is_doubtful(bits, behind, end)


@inlined
def _person(matches: _Array, bits: _Array, breaks: _Array, number: Any, person_end: Any) -> Any:
    """First token and evidence of a person's name; person_end: where the person taken last ends."""
    first, last = matches[number, 0], matches[number, 1]
    if bits[first] & CAPITAL == 0 or bits[first] & (INTRODUCES | NOBODY):
        return first, NO_NAME
    begins, initials, before = first, 0, _before(breaks, first)
    while before >= 0 and bits[before] & (PARTICLE | INITIAL):
        if bits[before] & INITIAL:
            begins, initials = before, initials | bits[before]
        before = _before(breaks, before)
    if before >= 0 and bits[before] & INTRODUCES:
        return before + 1, BY_TITLE
    if bits[first] & STOP or _vetoed(bits, breaks, first, last):
        return first, NO_NAME
    if _paired(matches, bits, breaks, number):
        return first, BY_PAIR
    if initials and not (initials & ANATOMICAL and _is_doubtful(bits, first, last)):
        return begins, BY_INITIAL
    if person_end == first and before == first - 1 and bits[first] & MEDICAL == 0:
        return first, BY_NAME
    return first, NO_NAME


@inlined
def _street(
    bits: _Array, starts: _Array, ends: _Array, first: Any, last: Any, lists: Any, doubtful: Any, numbered: Any
) -> Any:
    suffixed, several = bits[last - 1] & STREET_SUFFIXED != 0, last - first > 1
    if numbered:
        # A doubtful word must be more than a suffix and no term: "Kirchweg 3" is a street, "Ring 3" is not.
        has_stem = ends[first] - starts[first] > LONGEST_SUFFIX and bits[first] & MEDICAL == 0
        if not doubtful or (suffixed and (several or has_stem)):
            return BY_NUMBER
    if lists & ~_STREET == 0 and not doubtful and (suffixed or several):
        return BY_STREET
    return NO_NAME


@inlined
def _place(bits: _Array, starts: _Array, ends: _Array, breaks: _Array, first: Any) -> Any:
    before = _before(breaks, first)
    if before < 0 or bits[first] & CAPITAL == 0:
        return NO_NAME
    if bits[before] & POSTCODE:
        return BY_POSTCODE
    if bits[before] & RESIDENCE or (bits[before] & PREPOSITION and first >= 2 and bits[first - 2] & RESIDENCE):
        return BY_RESIDENCE
    if bits[before] & PREPOSITION and bits[first] & (MEDICAL | EPONYM) == 0:
        return BY_PREPOSITION if ends[first] - starts[first] >= MIN_LETTERS - 1 else NO_NAME
    return NO_NAME


@inlined
def _listed(
    bits: _Array, eponym_bits: _Array, breaks: _Array, first: Any, last: Any, kind: Any, exact: Any, doubtful: Any
) -> Any:
    """What a match of the kind is that nothing around it speaks for."""
    if _vetoed(bits, breaks, first, last):
        return NO_NAME
    if doubtful:
        # USA, Iran: nothing but its length or its capitals speaks against it.
        only_short = exact and bits[first] & CAPITAL != 0 and bits[first] & LISTED == 0
        return BY_WORD if kind == _COUNTRY_KIND and only_short else NO_NAME
    person = 1 << kind & _PERSON != 0
    if 1 << kind == _SURNAME:
        before = _before(breaks, first)
        if before < 0 or bits[before] & ENDS_SENTENCE:
            return NO_NAME
    if person and (
        _announced(eponym_bits, breaks, first)
        or _explained(eponym_bits, breaks, last)
        or _has_value(eponym_bits, breaks, last)
    ):
        return NO_NAME
    return BY_WORD


@jit("void(i8[:, ::1], b1[::1], b1[::1], u4[::1], u4[::1], i4[::1], i4[::1], b1[::1], i8[::1], i8[:, ::1])")
def judge(
    matches: _Array,
    exact: _Array,
    numbered: _Array,
    bits: _Array,
    eponym_bits: _Array,
    starts: _Array,
    ends: _Array,
    breaks: _Array,
    kind_of: _Array,
    found: _Array,
) -> None:
    """Sets for each match the token where the name begins, its kind and its evidence; left to right.

    matches: first, last and lists of each, as Matches has them. exact: Matches'. numbered: whether a house number is
    behind. bits, eponym_bits: of each token. kind_of: of each mask of lists the first kind. found: shape (matches, 3).
    """
    person_end = -1
    for number in range(len(matches)):
        first, last, lists = matches[number, 0], matches[number, 1], matches[number, 2]
        begins, kind, evidence = first, 0, NO_NAME
        if lists & _PERSON:
            kind = kind_of[lists & _PERSON]
            begins, evidence = _person(matches, bits, breaks, number, person_end)
            if evidence != NO_NAME:
                person_end = last
        doubtful = evidence == NO_NAME and _is_doubtful(bits, first, last)
        if evidence == NO_NAME and lists & _STREET:
            kind = _STREET_KIND
            evidence = _street(bits, starts, ends, first, last, lists, doubtful, numbered[number])
        if evidence == NO_NAME and lists & _PLACE:
            kind = kind_of[lists & _PLACE]
            evidence = _place(bits, starts, ends, breaks, first)
        if evidence == NO_NAME and lists & ~_STREET:
            kind = kind_of[lists & ~_STREET]
            evidence = _listed(bits, eponym_bits, breaks, first, last, kind, exact[number], doubtful)
            if evidence != NO_NAME and 1 << kind & _PERSON:
                person_end = last
        found[number, 0], found[number, 1], found[number, 2] = begins, kind, evidence
