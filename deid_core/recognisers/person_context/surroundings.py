"""What stands around words behind a trigger (announced.py), and whether it says that they are a name or none.

An age behind a relative's name, brackets or a field that the words fill, a case's number, a date of birth.
"""

from __future__ import annotations

from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.flags import CAPITALISED, COMMON, STOP, SURNAME
from deid_core.recognisers.person_names.walk import NameWalk

_ABBREVIATED = CueFlag.ABBREVIATED.value
_BIRTH = CueFlag.BIRTH.value
_DATE = CueFlag.DATE.value
_CASE_DIGITS = 5
"""Shorter numbers in brackets may be an age or a value."""
_MAX_FILLED = 7
"""Tokens of a name that no list has and that fills a field."""
_YEARS = frozenset(", J. j. J j Jahre".split())
"""What stands behind an age."""
_SAID_OF_PERSONS = frozenset(
    """
    ist hat war lebt wohnt kommt kam macht sei habe gest gest. verst verst. gestorben verstorben geboren geb geb. jg
    jg. begleitet besucht arbeitet ruft bringt berichtet gibt schildert studiert gesund † (
    """.split()
)


def in_other_case(walk: NameWalk, index: int, behind: int) -> bool:
    """Whether an abbreviation in capitals stands before a word that is not: SR. is sinus rhythm, then."""
    return bool(walk.triggers[index] & _ABBREVIATED) and walk.word(index).isupper() and not walk.word(behind).isupper()


def is_numbered(walk: NameWalk, index: int) -> bool:
    """Whether a case's number in brackets stands behind the name: "Fall 5: Muster (2206614)"."""
    return walk.word(index) == "(" and walk.word(index + 1).isdigit() and len(walk.word(index + 1)) >= _CASE_DIGITS


def is_staff(walk: NameWalk, index: int) -> bool:
    """Whether a listed surname stands directly behind a label without a colon: "Assistenz Muster und Beispiel"."""
    return walk.adjacent(index) and bool(walk.bits[index] & SURNAME) and not walk.bits[index] & (COMMON | STOP)


def fills_brackets(walk: NameWalk, first: int, last: int) -> bool:
    """Whether role and name stand alone in brackets, so that a common word is a name: "(MTA Blank)"."""
    opened = "(" in (walk.word(first - 2), walk.word(first - 3)) and first > 2
    alone = last == first + 1 and walk.word(last) == ")"
    return opened and alone and not (walk.bits[first] & STOP or walk.noun_like(first))


def stands_alone(walk: NameWalk, first: int, last: int, *, marked: bool) -> bool:
    """Whether a word in a note of capitals may be a name: on a list, or what ends a line, or a part before a mark.

    "PATIENTIN WILLIGT EIN" is no name, "NFS BOLLE, RTW 2" is one.
    """
    return (
        walk.likely(first, last, listed=True)
        or walk.is_initial(first)
        or ((marked or walk.ends_clause(last - 1)) and (walk.word(last) != "." or walk.ends_line(last)))
    )


def lives(walk: NameWalk, index: int) -> bool:
    """Whether what stands behind a relative's name is said of people: an age, "ist", "gest."."""
    if walk.word(index) in _SAID_OF_PERSONS:
        return True
    age = index + (walk.word(index) == ",")
    return walk.word(age).isdigit() and (age > index or walk.word(age + 1) in _YEARS)


def filled(walk: NameWalk, index: int) -> int:
    """The end of the name that fills a field with a comma and is on no list: "Mutter: LUONG, Thi Xyl"; else 0."""
    at, commas = index, 0
    while at < min(len(walk), index + _MAX_FILLED) and (at == index or walk.adjacent(at)):
        bits = walk.bits[at]
        if walk.word(at) == "," and not commas and at > index:
            commas += 1
        elif not ((bits & CAPITALISED and not bits & STOP) or walk.is_particle(at)):
            break
        elif walk.triggers[at] & ~_ABBREVIATED and not walk.is_particle(at):
            break
        at += 1
    ends = at >= len(walk) or walk.opens_column(at) or walk.word(at) == "("
    return at if ends and commas and walk.word(at - 1) != "," else 0


def listed_with_date(walk: NameWalk, behind: int) -> bool:
    """Whether a date of birth stands behind the given name that a comma adds: "Frau Muster, Anna, 3.4.1950"."""
    behind += walk.word(behind) in {",", "("}
    return bool(walk.trigger(behind) & (_DATE | _BIRTH))


def fills_field(walk: NameWalk, first: int, last: int) -> bool:
    """Whether a name that no list needs to have fills its field, or one that is a common word too does."""
    if walk.is_initial(first) and last > first + 1:
        return True
    bits = walk.bits[first]
    if not walk.ends_clause(last - 1) or bits & STOP:
        return False
    alone = last == first + 1 or (last == first + 2 and walk.is_initial(last - 1))
    return walk.likely(first, last, listed=False) or (alone and bool(bits & SURNAME))


def past_age(walk: NameWalk, index: int) -> int:
    """The token behind the age that may stand behind a name: "Anna (7)", "Anna 7"."""
    bracket = walk.word(index) == "("
    age = index + bracket
    if not (walk.word(age).isdigit() and len(walk.word(age)) <= 2):
        return index
    if bracket:
        return age + 2 if walk.word(age + 1) == ")" else index
    return age + 1


def may_follow_and(walk: NameWalk, index: int, *, small: bool) -> bool:
    """Whether a word behind "und" or a slash may be the next name of a row: "Dres. Muster und Beispiel"."""
    if walk.bits[index] & CAPITALISED or small:
        slashed = walk.word(index - 1) == "/" and bool(walk.bits[index] & SURNAME) and walk.ends_clause(index)
        return walk.listed(index) or walk.rare(index) or walk.is_initial(index) or walk.broken_at(index + 1) or slashed
    return False
