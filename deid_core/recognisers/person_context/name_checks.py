"""Whether tokens after a cue word are a name, by the tokens around them.

Evidence is an age after the name of a relative, brackets or a field that the name fills, the number of a case, a date
of birth.
"""

from __future__ import annotations

from deid_core.core.word_lists import word_set
from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.word_flags import CAPITALISED, COMMON, STOP, SURNAME
from deid_core.recognisers.person_context.name_line import NameLine
from deid_core.recognisers.person_context.name_reader import is_hyphenated_at

_ABBREVIATED = CueFlag.ABBREVIATED.value
_BIRTH_OR_DATE = (CueFlag.BIRTH | CueFlag.DATE).value

_CASE_DIGITS = 5
"""Minimum length of a case number. Shorter numbers in brackets may be an age or a value."""
_MAX_FIELD_TOKENS = 7
"""Maximum length of a name that no list has and that fills a field."""
_AFTER_AGE = frozenset((",", "J.", "j.", "J", "j", "Jahre"))
_VERBS_ABOUT_PEOPLE = word_set("person_context/verbs-about-people")


def is_in_other_case(line: NameLine, index: int, after: int) -> bool:
    """Whether a cue in capitals is before a word that is not in capitals: then "SR." is sinus rhythm."""
    return bool(line.cues[index] & _ABBREVIATED) and line.word(index).isupper() and not line.word(after).isupper()


def is_before_case_number(line: NameLine, index: int) -> bool:
    """Whether the number of a case in brackets is at `index`: "Fall 5: Muster (2206614)"."""
    return line.word(index) == "(" and line.word(index + 1).isdigit() and len(line.word(index + 1)) >= _CASE_DIGITS


def is_adjacent_surname(line: NameLine, index: int) -> bool:
    """Whether a listed surname follows a label directly, without a colon: "Assistenz Muster und Beispiel"."""
    return line.adjacent(index) and bool(line.flags[index] & SURNAME) and not line.flags[index] & (COMMON | STOP)


def fills_brackets(line: NameLine, start_token: int, end_token: int) -> bool:
    """Whether brackets hold only a role and one word, which then is a name even if it is common: "(MTA Blank)"."""
    opened = "(" in (line.word(start_token - 2), line.word(start_token - 3)) and start_token > 2
    is_last = end_token == start_token + 1 and line.word(end_token) == ")"
    return opened and is_last and not (line.flags[start_token] & STOP or line.is_noun_like(start_token))


def is_separate(line: NameLine, start_token: int, end_token: int, *, marked: bool) -> bool:
    """Whether words in a note in capitals can be a name: listed, or at the end of a line, or before a mark.

    "PATIENTIN WILLIGT EIN" is no name, "NFS BOLLE, RTW 2" is one.
    """
    return (
        line.is_likely(start_token, end_token, listed=True)
        or line.is_initial(start_token)
        or ((marked or line.ends_clause(end_token - 1)) and (line.word(end_token) != "." or line.ends_line(end_token)))
    )


def is_about_person(line: NameLine, index: int) -> bool:
    """Whether the tokens at `index`, after a relative's name, can only be about a person: an age, "ist", "gest."."""
    if line.word(index) in _VERBS_ABOUT_PEOPLE:
        return True
    age = index + (line.word(index) == ",")
    return line.word(age).isdigit() and (age > index or line.word(age + 1) in _AFTER_AGE)


def end_of_field_with_comma(line: NameLine, index: int) -> int:
    """Return the end of an unlisted name with a comma that fills a field: "Mutter: LUONG, Thi Xyl"; 0 without one."""
    at, commas = index, 0
    while at < min(line.count, index + _MAX_FIELD_TOKENS) and (at == index or line.adjacent(at)):
        flags = line.flags[at]
        if line.word(at) == "," and not commas and at > index:
            commas += 1
        elif not ((flags & CAPITALISED and not flags & STOP) or line.is_particle(at)):
            break
        elif line.cues[at] & ~_ABBREVIATED and not line.is_particle(at):
            break
        at += 1
    ends = at >= line.count or line.opens_column(at) or line.word(at) == "("
    return at if ends and commas and line.word(at - 1) != "," else 0


def is_before_birth_date(line: NameLine, index: int) -> bool:
    """Whether a date of birth is at `index`, after the given name that a comma adds: "Frau Muster, Anna, 3.4.1950"."""
    index += line.word(index) in {",", "("}
    return bool(line.cue_at(index) & _BIRTH_OR_DATE)


def fills_field(line: NameLine, start_token: int, end_token: int) -> bool:
    """Whether the tokens fill their field and are a likely name, or one word that is a surname and a common word."""
    if line.is_initial(start_token) and end_token > start_token + 1:
        return True
    flags = line.flags[start_token]
    if not line.ends_clause(end_token - 1) or flags & STOP:
        return False
    one_word = end_token == start_token + 1 or (end_token == start_token + 2 and line.is_initial(end_token - 1))
    return line.is_likely(start_token, end_token, listed=False) or (one_word and bool(flags & SURNAME))


def past_age(line: NameLine, index: int) -> int:
    """Return the token after the age that may follow a name: "Anna (7)", "Anna 7"."""
    bracket = line.word(index) == "("
    age = index + bracket
    if not (line.word(age).isdigit() and len(line.word(age)) <= 2):
        return index
    if bracket:
        return age + 2 if line.word(age + 1) == ")" else index
    return age + 1


def may_be_next_name(line: NameLine, index: int, *, lower: bool) -> bool:
    """Whether a word after "und" or a slash can be the next name of an enumeration: "Dres. Muster und Beispiel"."""
    if line.flags[index] & CAPITALISED or lower:
        after_slash = line.word(index - 1) == "/" and bool(line.flags[index] & SURNAME) and line.ends_clause(index)
        return (
            line.is_listed(index)
            or line.is_rare(index)
            or line.is_initial(index)
            or is_hyphenated_at(line, index + 1)
            or after_slash
        )
    return False
