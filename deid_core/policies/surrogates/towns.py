"""Surrogates of towns and their postcodes: the same town is the same large town, and its postcode begins as that.

A town stays in its country where that is Germany, Austria or Switzerland. One of another country becomes a town of the
country that its own country becomes, "Izmir (Türkei)" "Nitra (Slowakei)", or of its own if the policy keeps countries.
"""

from __future__ import annotations

import re
from functools import cache

from deid_core.core.labels import Label, PhiType
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.countries import OWN_COUNTRIES, note_country, postcode_country
from deid_core.policies.surrogates.regions import own_country, surrogate_country
from deid_core.policies.surrogates.town_lists import GERMANY, Town, country_of_town, towns

_POSTCODE = re.compile(r"(?P<country>[A-Z]{1,3}[-–\s]\s?)?(?P<digits>\d{4,5})", re.IGNORECASE)
_LEADING_POSTCODE = re.compile(r"(?:[A-Z]{1,3}[-–\s])?\d{4,5}\s+(?=\S)")
_TO_COUNTRY = re.compile(r"\s?[,/(]?\s?(?:(?:in|im)\s)?(?:de[rn]\s)?")
"""Between a town and its country, or a country and its town."""
_DIGITS = 5
_ENOUGH = 4
"""Towns of a country to draw from."""
_TOWN = PhiType.TOWN
_GAP = 2
"""Characters between a postcode and its town."""


@cache
def _names(country: str) -> tuple[str, ...]:
    return tuple(towns(country))


def surrogate_town(note: NoteContext, name: str, index: int) -> Town:
    """Return the town that replaces a town of this name."""
    known: dict[str, Town] = note.shared(surrogate_town, dict)
    town = known.get(name)
    if town is None:
        key = _key(name)
        country = _country(note, key)
        if country not in OWN_COUNTRIES and not (note.keeps_countries and len(towns(country)) >= _ENOUGH):
            # As it stands alone in the note: "Izmir (Türkei)".
            country = surrogate_country(note, country, index)
            country = own_country(country) or country
        purpose = "town" if country == GERMANY else f"town {country}"
        town = towns(country)[note.choose(purpose, key, index, _names(country))]
        if note.is_consistent:
            known[name] = town
    return town


def _country(note: NoteContext, key: str) -> str:
    """Return the country of a town by its key: the lists tell it, else what is beside it in the note, else the note."""
    country = country_of_town(key)
    if not country:
        beside: dict[str, str] = note.shared(_beside_towns, lambda: _beside_towns(note))
        country = beside.get(key, "")
    return country or note_country(note)


def _beside_towns(note: NoteContext) -> dict[str, str]:
    """Return the country of towns, by key, that a postcode before them or a country beside them tells."""
    spans, texts, found = note.spans, note.texts, dict[str, str]()
    for index in note.with_label(Label.PLZ):
        if country := postcode_country(note, index):
            town = _next_town(note, index)
            found[_key(f"postcode {texts[index]}" if town is None else texts[town])] = country
    for index in note.with_type(PhiType.COUNTRY):
        country = own_country(texts[index]) or texts[index]
        for town in (index - 1, index + 1):
            first, last = sorted((town, index))
            if 0 <= first and last < len(spans) and spans[town].type is _TOWN:
                if _TO_COUNTRY.fullmatch(note.text, spans[first].end, spans[last].start):
                    found[_key(texts[town])] = country
    return found


def _key(name: str) -> str:
    return name_key(" ".join(name.split()))


def _next_town(note: NoteContext, index: int) -> int | None:
    """Return the index of the town after a postcode."""
    spans, after = note.spans, index + 1
    if after < len(spans) and spans[after].type is _TOWN and spans[after].start - spans[index].end <= _GAP:
        return after
    return None


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
        text = note.original(index)
        if not any(map(str.isdigit, text)):
            return None
        town = _next_town(note, index)
        if town is None:
            return _postcode(note, text, surrogate_town(note, f"postcode {text}", index), index)
        return _postcode(note, text, surrogate_town(note, note.original(town), town), index)


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
