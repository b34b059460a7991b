"""The parts of a person's name as a span has it: given names, surnames, initials, signs of staff.

Particles and nobility ("von", "v.", "Graf") are no parts, nor is what tells father and son apart ("jun."): they stay.
The place in the span gives a part its role where it can: "Müller, Peter", "Peter Müller", "P. Müller". A word that
stands alone has none.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from deid_core.core.word_lists import word_list, word_set
from deid_core.policies.normal_form import name_key

_CHUNK = re.compile(r"[^\s,;:/()]*[^\W\d_][^\s,;:/()]*")
_LETTERS_ALONE = re.compile(r"(?:[^\W\d_]\.-?)+|[^\W\d_](?:(?:-[^\W\d_]){2,})?")
"""Initials, and names that are spelled ("M-A-I-E-R")."""
_SIGNED = re.compile(r"(?![A-ZÄÖÜ][a-zäöüß]{2,}\.?$)[^\W\d_]{1,3}(?:[-/.][^\W\d_]{1,3})?\.?")
"""Short, and not written as a name is ("Bum")."""
_BLANK = re.compile(r"\s")
_PIECE = re.compile(r"\w+(?:['’](?=\w)\w+)*['’]?")
_PARTICLES = word_set("names/particles")
_READ_NAMES = "policies/given-names-read-"
_NOBILITY = word_set("policies/nobility")
_SHORT_PARTICLES = ("v.", "d.")
"""Of "von" and "der"; in a text in small letters they are initials."""
_CAPITAL_PARTICLES = ("von", "vom", "zu", "van", "de", "di", "del", "della", "dos", "el", "ter", "ten")
"""Also with a capital letter: "Frau Di Benedetto". Others may be names of their own then, as "Le" and "Do"."""
_OF_THE = ("op", "aan", "uit", "in")
_APOSTROPHE_T = ("'t", "’t")
_THE = ("de", "den", "der", *_APOSTROPHE_T)
"""Dutch particles of two words: "Op de Beeck", "in 't Veld"."""
_ABBREVIATION = re.compile(r"[^\W\d_]{2,5}\.")
"""A name that is cut off ("Th.", "Hartm."), if no list has it."""
_GENERATION = re.compile(r"(?:jun|sen|jr|sr)\.?|(?:junior|senior)\.?", re.IGNORECASE)
"""In small letters or with a full stop: a surname may be Senior."""


class NameKind(StrEnum):
    """What a part of a name is."""

    GIVEN = "given"
    SURNAME = "surname"
    INITIALS = "initials"
    SIGN = "sign"
    """Letters that a member of staff signs with: "wi-zi"."""
    UNKNOWN = "unknown"


GIVEN, SURNAME, INITIALS, SIGN, UNKNOWN = NameKind
"""The members as names of their own: Python 3.11 takes as long to look one up in the class as to call a function."""


class NamePart(NamedTuple):
    """A word [start, end) of the span's text; of a double surname each word, of a double given name both together."""

    start: int
    end: int
    role: NameKind
    word: str
    key: str
    """The word's normal form. It ends with a full stop if the name is cut off, as the word does."""


class ParsedName(NamedTuple):
    """A name as a span has it.

    words: key and role of the parts that are neither initials nor a sign. keys: their keys. given, surname: the keys of
    those that are a given name, or a surname. is_placed: whether one of them has a role. is_open: whether a part has
    none.
    """

    parts: tuple[NamePart, ...]
    words: tuple[tuple[str, NameKind], ...]
    keys: tuple[str, ...]
    given: tuple[str, ...]
    surname: tuple[str, ...]
    is_placed: bool
    is_open: bool


@cache
def given_names(*, female: bool, other: bool) -> tuple[str, ...]:
    """Return the given names of one sex, of German or other origin."""
    return word_list(f"policies/given-names-{'other-' if other else ''}{'female' if female else 'male'}")


@cache
def surnames(*, other: bool) -> tuple[str, ...]:
    """Return the surnames of German or other origin."""
    return word_list("policies/surnames-other" if other else "policies/surnames")


@cache
def listed_sex() -> dict[str, bool]:
    """Return whether a name, by its key, is a woman's. It knows more names than surrogates are drawn from."""
    read = {name_key(name): sex == "female" for sex in ("male", "female") for name in word_list(_READ_NAMES + sex)}
    return read | {
        name_key(name): female
        for female, other in ((False, True), (False, False), (True, True), (True, False))
        for name in given_names(female=female, other=other)
    }


@cache
def listed_surnames() -> frozenset[str]:
    """Return the keys of the surnames."""
    return frozenset(map(name_key, surnames(other=False) + surnames(other=True)))


@cache
def listed_names() -> frozenset[str]:
    """Return the keys of given names and surnames."""
    return listed_surnames().union(listed_sex())


@cache
def other_names() -> frozenset[str]:
    """Return the keys of given names and surnames that are of other than German origin."""

    def keys(other: bool) -> set[str]:
        given = (name for female in (False, True) for name in given_names(female=female, other=other))
        return {name_key(name) for name in (*surnames(other=other), *given)}

    # Michael and the Polish Michal have one key.
    return frozenset(keys(other=True) - keys(other=False))


@lru_cache(20_000)
def parsed_name(text: str, known: NameKind | None = None) -> ParsedName:
    """Return a name as a span has it. known: the role of its words, as a field's label says it."""
    return _of_parts(name_parts(text, known))


def surname_first(text: str) -> ParsedName:
    """Return a name whose first word is the surname, which its place does not tell: "Kaltwasser Irmengard"."""
    return parsed_name(_BLANK.sub(",", text, count=1))


def _of_parts(parts: tuple[NamePart, ...]) -> ParsedName:
    words = tuple((part.key, part.role) for part in parts if part.role not in (INITIALS, SIGN))
    keys, given, surname = (
        tuple(key for key, role in words if role in roles) for roles in (NameKind, (GIVEN,), (SURNAME,))
    )
    is_placed = any(role is not UNKNOWN for _, role in words)
    return ParsedName(parts, words, keys, given, surname, is_placed, any(part.role is UNKNOWN for part in parts))


def name_parts(text: str, known: NameKind | None = None) -> tuple[NamePart, ...]:
    """Return the parts of a name in the order of the text. known: as for `parsed_name`."""
    found = [(m.start(), m.end(), m.group()) for m in _CHUNK.finditer(text)]
    chunks = [chunk for chunk in found if not _is_generation(chunk[2])]
    words = [chunk for number, chunk in enumerate(chunks) if not _is_kept(text, chunk, number == len(chunks) - 1)]
    names = [chunk for chunk in words if not _LETTERS_ALONE.fullmatch(chunk[2])]
    if len(words) == 1 == len(names) and _SIGNED.fullmatch(text) and not is_listed_name(text):
        return (_part(text, 0, len(text), SIGN),)
    comma = text.find(",")
    surname_first = 0 <= comma and any(start > comma for start, _, _ in words)
    if not surname_first and len(names) > 1 and comma < 0:
        first, last = name_key(names[0][2]), name_key(names[-1][2])
        surname_first = _is_given_alone(last) or (_is_cut(names[-1][2]) and not _is_cut(names[0][2]))
        # "von Xylander Nfumu"
        particle = next((chunk for chunk in chunks if chunk not in words and chunk[0] < names[-1][0]), None)
        surname_first = surname_first or (particle == chunks[0] and particle[2].lower() not in _NOBILITY)
        surname_first = surname_first and first not in listed_sex() and (len(names) == 2 or particle is not None)
        if surname_first:
            begins = particle[0] if particle else 0
            comma = next(name for name in names if name[0] >= begins)[1]
    # "ZUDRELL Kreszentia", "DE VRIES Maarten"
    capitals = [name for name in names if name[2].isupper()]
    if comma < 0 and 0 < len(capitals) < len(names) and capitals == names[: len(capitals)]:
        surname_first = name_key(capitals[0][2]) not in listed_sex()
        comma = capitals[-1][1] if surname_first else comma
    # "Katja M.", but "Ospelt L."
    given_alone = len(names) == 1 < len(words) and names[0] == words[0] and comma < 0
    given_alone = given_alone and _is_given_alone(name_key(names[0][2]))
    parts: list[NamePart] = []
    for start, end, chunk in words:
        if _LETTERS_ALONE.fullmatch(chunk):
            parts.append(_part(text, start, end, INITIALS))
            continue
        if known:
            role = known
        elif surname_first:
            role = SURNAME if start < comma else GIVEN
        elif len(words) == 1:
            is_open = len(chunks) == len(found) or _is_given_alone(name_key(chunk))
            role = UNKNOWN if is_open else SURNAME
        else:
            role = SURNAME if start == names[-1][0] and not given_alone else GIVEN
        if _is_cut(chunk):
            parts.append(_part(text, start, end, role))
        elif role is GIVEN or (role is UNKNOWN and _is_double_given(chunk)):
            begins = len(chunk) - len(chunk.lstrip("-."))
            parts.append(_part(text, start + begins, start + len(chunk.rstrip(".")), GIVEN))
        else:
            parts += [_piece(text, start + m.start(), start + m.end(), role) for m in _PIECE.finditer(chunk)]
    return tuple(parts)


def _part(text: str, start: int, end: int, role: NameKind) -> NamePart:
    return NamePart(start, end, role, text[start:end], name_key(text[start:end]))


def _piece(text: str, start: int, end: int, role: NameKind) -> NamePart:
    """Return a part of a double surname; after a hyphen it may be an initial, or cut off ("Tekin-Sch.")."""
    if start and text[start - 1] == "-" and text[end : end + 1] == ".":
        if end - start == 1:
            return _part(text, start, end, INITIALS)
        if _is_cut(text[start : end + 1]):
            return _part(text, start, end + 1, role)
    return _part(text, start, end, role)


def is_listed_name(word: str) -> bool:
    """Return whether a list of names has the word."""
    return name_key(word) in listed_names()


def _is_given_alone(key: str) -> bool:
    return key in listed_sex() and key not in listed_surnames()


def has_given_names_alone(text: str) -> bool:
    """Return whether a name would be taken for a surname and a given name, and no list has the surname: "Ida Rea"."""
    name = parsed_name(text)
    is_turned = bool(name.surname and name.given) and name.parts[0].role is SURNAME and "," not in text
    return is_turned and not text.split()[0].isupper() and listed_surnames().isdisjoint(name.surname)


def is_surname_alone(key: str) -> bool:
    """Return whether a list of surnames has a part of the name, by its key, and no list of given names."""
    parts = key.split("-")
    return not listed_surnames().isdisjoint(parts) and listed_sex().keys().isdisjoint(parts)


def _is_cut(chunk: str) -> bool:
    return chunk[-1] == "." and _ABBREVIATION.fullmatch(chunk) is not None and not is_listed_name(chunk[:-1])


def _is_generation(word: str) -> bool:
    return (word.islower() or word.endswith(".")) and _GENERATION.fullmatch(word) is not None


def _is_kept(text: str, chunk: tuple[int, int, str], is_last: bool) -> bool:
    """Return whether a word is a particle or title of nobility before a name: "von Stein", but "Ben Stein"."""
    start, end, word = chunk
    if is_last:
        # "Stein, Karl von"
        return start > 0 and word in _CAPITAL_PARTICLES and not text.islower()
    if text[end : end + 1] == ",":
        return False
    lower, after = word.lower(), text[end:].split(maxsplit=1)[0]
    # "v. stein, karl", but "v. stein"
    if lower in _NOBILITY or (word in _SHORT_PARTICLES and (not text.islower() or "," in text[end:])):
        return True
    if lower in _APOSTROPHE_T or (lower in _OF_THE and after.lower() in _THE):
        return True
    is_capital = word.isupper() and after.isupper()
    is_particle = is_capital or (word.istitle() and lower in _CAPITAL_PARTICLES)
    return lower in _PARTICLES and (word.islower() or (is_particle and name_key(word) not in listed_sex()))


def _is_double_given(chunk: str) -> bool:
    parts = chunk.split("-")
    return len(parts) > 1 and all(name_key(part) in listed_sex() for part in parts)
