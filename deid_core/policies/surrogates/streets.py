"""Surrogates of streets with their numbers: another name with the same ending, so that articles still agree."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives, word_list
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext

_NUMBER = re.compile(r"(?:\s+[lIO]|\s*)\d(?![^\W\d_]{2}).*$", re.DOTALL)
"""Text recognition reads "12" as "l2", and letters as digits: the 1 of "Ki1ianstr. 3" is no number."""
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]{2}")
_ENDING = re.compile(rf"(?P<ending>{alternatives('policies/street-endings')})$", re.IGNORECASE)
_ADJECTIVE = re.compile(r"[A-ZÄÖÜ]\w+er\s+[Ss]tra?(?:ße|sse|\.)$")
_BEFORE = re.compile(r"(?:in|im|am|an|auf|zu|zum|zur|hinter|unter|vor|bei|beim)(?:\s+de[rmn])?\s+", re.IGNORECASE)
_POST_BOX = re.compile(r"postf(?:ach\b|\b)|pf\b|packstation\b", re.IGNORECASE)
_FEMININE, _MASCULINE, _PLURAL = "wiese", "berg", "gärten"
"""Endings after "An der", "Am" and "In den", which fit these prepositions."""
_ENDINGS_AFTER = (_FEMININE, _MASCULINE, _PLURAL)
_RANGE = re.compile(r"\d\s?[a-z]?\s?[-–]\s?\d")
_NUMBERS, _DOORS = 98, 20
_LIKE = 4
"""Letters."""


class _StreetName(NamedTuple):
    """The parts of a street's name: "In der " and the like, its ending ("" for none), the normal form of the rest.

    is_adjective: "Mannheimer Straße".
    """

    before: str
    ending: str
    key: str
    is_adjective: bool


class SurrogateStreet:
    """Gives another street and number."""

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return the street in the form of the original; a post box keeps its word. None for what is like no street."""
        text = note.original(index)
        # Of "10.-Oktober-Platz 6" the last one.
        letters = _LETTERS.search(text)
        number = _NUMBER.search(text, letters.start() if letters else 0)
        if text.islower() and not (number or _ENDING.search(text) or _BEFORE.match(text)):
            return None
        if _POST_BOX.match(text):
            return note.digits_like("post box", text, index)
        name = text[: number.start()] if number else text
        street = self._street(name, note, index) if name else ""
        return street + (_house_number(number.group(), note, index) if number else "")

    def _street(self, name: str, note: NoteContext, index: int) -> str:
        before, ending, key, is_adjective = _street_name(name)
        if is_adjective:
            adjective = note.choose("street adjective", key, index, word_list("policies/town-adjectives"))
            return in_case_of(f"{before}{adjective} {ending}", name)
        if not ending and before:
            last = before.split()[-1].lower()
            ending = _FEMININE if last in ("der", "zur") else _PLURAL if last == "den" else _MASCULINE
        ending = (ending or "straße").lower()
        originals = note.shared(SurrogateStreet, lambda: _original_stems(note))
        return in_case_of(before + chosen_stem("street", key, ending, note, index, originals) + ending, name)


def chosen_stem(purpose: str, key: str, ending: str, note: NoteContext, index: int, avoided: frozenset[str]) -> str:
    """Return a stem for a normalised name that does not begin as its ending does: no "Bergberg", no "Gartengärten"."""
    stems = word_list("policies/street-stems")
    stem = note.choose(purpose, key, index, stems, avoided)
    if _begins_as(ending, stem):
        others = [other for other in stems if not _begins_as(ending, other)]
        stem = note.choose(f"{purpose} {ending}", key, index, others, avoided)
    return stem


def _begins_as(ending: str, stem: str) -> bool:
    return name_key(stem).startswith(name_key(ending)[:_LIKE])


@lru_cache(20_000)
def _street_name(name: str) -> _StreetName:
    before = _BEFORE.match(name)
    start = name[: before.end()] if before else ""
    rest = name[len(start) :]
    found = _ENDING.search(rest)
    is_adjective = found is not None and _ADJECTIVE.search(rest) is not None
    return _StreetName(start, found["ending"] if found else "", _stem_key(rest), is_adjective)


@lru_cache(20_000)
def _stem_key(name: str) -> str:
    """Return the normal form of a street's name without its ending: of "Birkenstr." that of "Birken"."""
    found = _ENDING.search(name)
    return name_key(name[: found.start()] if found else name).strip(" -")


def _original_stems(note: NoteContext) -> frozenset[str]:
    """Return the stems of the note's streets, so that no surrogate is one of them with another ending."""
    return frozenset().union(*map(_stems, map(note.original, note.with_type(PhiType.STREET))))


@lru_cache(20_000)
def _stems(street: str) -> frozenset[str]:
    stem = _stem_key(_BEFORE.sub("", _NUMBER.sub("", street)))
    # "Am Kirchberg" has none of the list's endings, and could be made of "Kirch".
    return frozenset((stem, *(stem.removesuffix(name_key(ending)) for ending in _ENDINGS_AFTER)))


def _house_number(text: str, note: NoteContext, index: int) -> str:
    """Return other numbers; a range keeps its width, a letter its place. After a stair's mark stands a door: "8/3"."""
    numbers = _DIGITS.findall(text)
    first = note.choose_number("house number", text, index) % _NUMBERS + 1
    first += first == int(numbers[0])
    if len(numbers) == 1:
        return text.replace(numbers[0], str(first))
    if _RANGE.search(text):
        others = [first + max(0, int(number) - int(numbers[0])) for number in numbers[1:]]
    else:
        others = [note.choose_number("door", number, index) % _DOORS + 1 for number in numbers[1:]]
    moved = iter([first, *others])
    return _DIGITS.sub(lambda _: str(next(moved)), text)
