"""Surrogates of towns and their postcodes: the same town is the same large town, and its postcode begins as that."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import word_list
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext

_POSTCODE = re.compile(r"(?P<country>[A-Z]{1,3}[-–\s]\s?)?(?P<digits>\d{4,5})", re.IGNORECASE)
_LEADING_POSTCODE = re.compile(r"(?:[A-Z]{1,3}[-–\s])?\d{4,5}\s+(?=\S)")
_DIGITS = 5
_TOWN = PhiType.TOWN
_GAP = 2
"""Characters between a postcode and its town."""


class Town(NamedTuple):
    """A row of the list of towns; postcode: the first two or three digits."""

    name: str
    postcode: str
    area_code: str
    state: str


@cache
def towns() -> dict[str, Town]:
    """Return the towns by name."""
    rows = (Town(*line.split(";")) for line in word_list("policies/towns"))
    return {town.name: town for town in rows}


@cache
def states() -> dict[str, str]:
    """Return the state of each town and state, by its key."""
    found = {name_key(town.state): town.state for town in towns().values()}
    return found | {name_key(town.name): town.state for town in towns().values()}


@cache
def _names() -> tuple[str, ...]:
    return tuple(towns())


def surrogate_town(note: NoteContext, name: str, index: int) -> Town:
    """Return the town that replaces a town of this name."""
    known: dict[str, Town] = note.shared(surrogate_town, dict)
    town = known.get(name)
    if town is None:
        town = towns()[note.choose("town", name_key(" ".join(name.split())), index, _names())]
        if note.is_consistent:
            known[name] = town
    return town


class SurrogateTown:
    """Gives another town."""

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return the town; a postcode before the name within the span becomes the town's."""
        text = note.original(index)
        postcode = _LEADING_POSTCODE.match(text)
        name = text[postcode.end() :] if postcode else text
        town = surrogate_town(note, name, index)
        before = _postcode(note, postcode.group(), town, index) if postcode else ""
        return before + in_case_of(town.name, name)


class SurrogatePostcode:
    """Gives a postcode of the surrogate of the town that follows, else of any town."""

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return the postcode; the country before it stays. None for one in words."""
        spans, after = note.spans, index + 1
        text = note.original(index)
        if not any(map(str.isdigit, text)):
            return None
        if after < len(spans) and spans[after].type is _TOWN and spans[after].start - spans[index].end <= _GAP:
            town = surrogate_town(note, note.original(after), after)
        else:
            town = surrogate_town(note, f"postcode {text}", index)
        return _postcode(note, text, town, index)


def _postcode(note: NoteContext, text: str, town: Town, index: int) -> str:
    found = _POSTCODE.search(text)
    if found is None:
        return note.digits_like("postcode", text, index)
    before, after = text[: found.start("digits")], text[found.end() :]
    # Those of four digits, as in Austria and Switzerland, do not begin with 0.
    begin = town.postcode if len(found["digits"]) == _DIGITS else town.postcode.lstrip("0")
    rest = len(found["digits"]) - len(begin)

    def make(number: int) -> str:
        return f"{before}{begin}{number % 10**rest:0{rest}d}{after}"

    return note.unlike_originals("postcode", found["digits"], index, make)
