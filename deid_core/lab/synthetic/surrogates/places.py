"""Replaces the towns, streets, hospitals and countries of one note, the same place always by the same surrogate.

House numbers and the way a street is abbreviated stay. A hospital's town is replaced as the town is where it stands
alone: "Klinikum Ulm" in Ulm becomes a hospital in what Ulm became.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from deid_core.core.labels import PhiType
from deid_core.lab.synthetic.letter import Phi
from deid_core.lab.synthetic.lists import NameLists, lists_of
from deid_core.lab.synthetic.surrogates.forms import WrittenForm, folded, in_form
from deid_core.lab.synthetic.surrogates.mixes import Category
from deid_core.lab.synthetic.surrogates.words import SurrogateWords

_NUMBER = re.compile(r"\s+\d.*$", re.DOTALL)
_STREET = re.compile(r"(?P<joint>-?)(?P<word>straße|strasse|str\.)$", re.IGNORECASE)
_FURTHEST = 2
"""A misspelt name is at most so many insertions, deletions, changes or swaps away: one typing error."""


class PlaceMap:
    """The surrogates of one note's places; `places` are all of them in the order of the letter."""

    def __init__(self, places: Sequence[Phi], split: str, words: SurrogateWords) -> None:
        self._words = words
        self._lists: NameLists = lists_of(split)
        self._towns = _town_names(split)
        self._hospitals = _hospital_names(split)
        self._surrogates: dict[tuple[str, str], str] = {}
        # Towns that stand alone count for the share of locations, whichever stands first: see Category.
        for place in places:
            if place.type is PhiType.TOWN:
                self._town(self._base(place.text, self._towns)[0])

    def replaced(self, place: Phi) -> str:
        """The surrogate of a place that was among `places`, in the form of the original."""
        if place.type is PhiType.TOWN:
            base, form = self._base(place.text, self._towns)
            return in_form(self._town(base), form, place.text, self._lists.typos)
        if place.type is PhiType.HOSPITAL:
            base, form = self._base(place.text, self._hospitals)
            return in_form(self._hospital(base), form, place.text, self._lists.typos)
        if place.type is PhiType.STREET:
            return self._street(place.text)
        return self._known("country", folded(place.text), self._words.country)

    def _base(self, text: str, names: dict[str, str]) -> tuple[str, WrittenForm]:
        """The listed name that a text is a form of, folded; a text that no name comes near is its own."""
        name = folded(text)
        if name in names:
            return name, WrittenForm.PLAIN
        near = process.extractOne(name, names.keys(), scorer=OSA.distance, score_cutoff=_FURTHEST)
        return (near[0], WrittenForm.MISSPELT) if near else (name, WrittenForm.PLAIN)

    def _known(self, kind: str, name: str, make: Callable[[], str]) -> str:
        key = (kind, name)
        if key not in self._surrogates:
            self._surrogates[key] = make()
        return self._surrogates[key]

    def _town(self, base: str, category: Category = Category.LOCATION) -> str:
        return self._known("town", base, lambda: self._words.town(category))

    def _hospital(self, base: str) -> str:
        pattern = self._known("hospital", base, self._words.hospital)
        if "{town}" not in pattern:
            return pattern
        town = self._hospitals.get(base, "") or base
        return pattern.replace("{town}", self._town(town, Category.HOSPITAL))

    def _street(self, text: str) -> str:
        number = _NUMBER.search(text)
        written = _STREET.search(_NUMBER.sub("", text))
        surrogate = self._known("street", folded(street_name(text)), self._words.street)
        if written and _STREET.search(surrogate):
            surrogate = _as_written(surrogate, written)
        return surrogate + (number.group() if number else "")


def street_name(text: str, *, hyphen: bool = False) -> str:
    """A street without its number, "straße" written out: what of its forms is the same.

    hyphen: keep one before "straße", as lists write it; forms in a note may lack it.
    """
    name = _STREET.sub(r"\g<joint>straße" if hyphen else "straße", _NUMBER.sub("", text))
    return name.replace(" straße", " Straße")


def _as_written(street: str, written: re.Match[str]) -> str:
    """A street that ends in "straße" abbreviated, or with ss, as another was."""
    word, joint = written["word"], written["joint"]
    if street.endswith("Straße"):
        return street[:-6] + word.capitalize()
    return street[:-6] + (joint + word if joint else word.lower())


@cache
def _town_names(split: str) -> dict[str, str]:
    """The half's towns, folded, as they are."""
    return {folded(town.name): town.name for town in lists_of(split).towns}


@cache
def _hospital_names(split: str) -> dict[str, str]:
    """Every hospital that the half's patterns give, folded, with its town, folded; "" for one without town."""
    lists = lists_of(split)
    return {
        folded(pattern.replace("{town}", town.name)): folded(town.name) if "{town}" in pattern else ""
        for pattern in lists.hospitals
        for town in lists.towns
    }
