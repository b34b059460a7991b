"""The lists of towns: of Germany, Austria and Switzerland with postcode and area code, of other countries by name."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import NamedTuple

from deid_core.core.word_lists import word_list
from deid_core.policies.normal_form import name_key

GERMANY, AUSTRIA, SWITZERLAND = "DE", "AT", "CH"
_LISTS = {GERMANY: "policies/towns", AUSTRIA: "policies/towns-austria", SWITZERLAND: "policies/towns-switzerland"}

_AFTER = re.compile(r"[\s/(-]+")
"""What is before a district, a river or the like."""


class Town(NamedTuple):
    """A row of the lists; postcode: the first digits. A town of another country has its name alone."""

    name: str
    postcode: str = ""
    area_code: str = ""
    state: str = ""


@cache
def towns(country: str = GERMANY) -> dict[str, Town]:
    """Return the towns of a country by name; none of a country that no list has.

    country: DE, AT, CH, or another one's name: "Türkei".
    """
    if country in _LISTS:
        rows = (Town(*line.split(";")) for line in word_list(_LISTS[country]))
    else:
        rows = (Town(name) for listed, name in _abroad() if listed == country)
    return {town.name: town for town in rows}


@cache
def countries_of_towns() -> dict[str, str]:
    """Return the country of each town that one list alone has, by the town's key: DE, AT, CH or "Türkei"."""
    listed = [*((name, country) for country, name in _abroad()), *((name, of) for of in _LISTS for name in towns(of))]
    lists_with = Counter(name_key(name) for name, _ in listed)
    return {name_key(name): country for name, country in listed if lists_with[name_key(name)] == 1}


def country_of_town(key: str) -> str:
    """Return the country of a town, by its key, or of what it begins with ("Wien-Hietzing"); "" if no list tells it."""
    known = countries_of_towns()
    return known.get(key) or known.get(_AFTER.split(key, maxsplit=1)[0], "")


@cache
def area_codes(country: str) -> tuple[str, ...]:
    """Return the area codes of a country's towns without the leading 0."""
    return tuple(dict.fromkeys(town.area_code[1:] for town in towns(country).values()))


@cache
def states() -> dict[str, str]:
    """Return the state of each German town and state, by its key."""
    found = {name_key(town.state): town.state for town in towns().values()}
    return found | {name_key(town.name): town.state for town in towns().values()}


@cache
def _abroad() -> tuple[tuple[str, str], ...]:
    lines = (line.partition(";") for line in word_list("policies/towns-abroad"))
    return tuple((country, name) for country, _, name in lines)
