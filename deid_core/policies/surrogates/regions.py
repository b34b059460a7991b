"""Surrogates of regions and countries that follow the same preposition: "im Allgäu", "auf Sylt", "aus der Schweiz".

A region becomes one of its own country or part of Europe, if the list has it, else of the country of the note.
"""

from __future__ import annotations

import re
from functools import cache

from deid_core.core.word_lists import word_list
from deid_core.policies.agreement import in_case_at
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.countries import note_country
from deid_core.policies.surrogates.town_lists import AUSTRIA, GERMANY, SWITZERLAND

_BEFORE, _LONGEST_ABBREVIATION = 12, 3
_PREPOSITION = re.compile(r"\b(im|vom|zum|auf den|de[mnr]|das|ins|auf|die)\s+$", re.IGNORECASE)
_ADJECTIVE, _NOUN = re.compile(r"\w{3}er$"), re.compile(r"\s[A-ZÄÖÜ][a-zäöüß]")
"""Of "Tiroler Gesetz"."""
_OWN_COUNTRIES = (
    dict.fromkeys(("deutschland", "bundesrepublik", "brd", "ddr", "d", "de"), GERMANY)
    | dict.fromkeys(("osterreich", "a", "at"), AUSTRIA)
    | dict.fromkeys(("schweiz", "ch"), SWITZERLAND)
)
"""The countries that nearly all such notes are of, by their keys."""
_CANTON = "Kt."
"""What cantons stand after that are two letters: "Brugg AG"."""
_FORMS = dict.fromkeys(("vom", "zum", "dem", "das", "ins"), "im") | {"der": "in der", "die": "in der", "den": "in den"}


@cache
def _lines() -> tuple[tuple[str, str, str], ...]:
    """Return the kind, the preposition and the name of each line."""
    found = []
    for line in word_list("policies/regions"):
        kind, preposition, *name = line.split(" ")
        if name[0] in ("der", "den"):
            preposition, name = f"{preposition} {name[0]}", name[1:]
        found.append((kind, preposition, " ".join(name)))
    return tuple(found)


@cache
def _listed(kind: str) -> dict[str, tuple[str, ...]]:
    """Return the regions or countries by their preposition. A group of regions has those of Germany where it has none.

    kind: "country", "region", or "region-" and a group.
    """
    found: dict[str, tuple[str, ...]] = {}
    for listed, preposition, name in _lines():
        if listed == kind:
            found[preposition] = (*found.get(preposition, ()), name)
    return _listed("region") | found if "-" in kind else found


@cache
def _kinds() -> dict[str, str]:
    """Return "region" or "region-" and the group of each region by its key, cantons of two letters apart."""
    return {name_key(name): kind for kind, form, name in _lines() if kind != "country" and form != _CANTON}


@cache
def _bare_forms() -> dict[str, str]:
    """Return the preposition of countries, by their keys, that are declined alike after it and alone: "der Türkei"."""
    return {name_key(name): form for kind, form, name in _lines() if kind == "country" and form in ("im", "in der")}


def own_country(text: str) -> str:
    """Return DE, AT or CH for these countries, "" for others."""
    return _OWN_COUNTRIES.get(name_key(text), "")


def country_form(text: str) -> str:
    """Return the preposition that a country has where it stands alone: "in" for most."""
    return _bare_forms().get(name_key(text), "in")


def surrogate_country(note: NoteContext, name: str, index: int, form: str = "") -> str:
    """Return the country that replaces one, after a preposition of the list, or where it stands alone."""
    form = form or country_form(name)
    return note.choose(f"country {form}", name_key(name), index, _listed("country")[form])


class SurrogateRegion:
    """Gives a region, or a country."""

    def __init__(self, kind: str) -> None:
        """kind: "region" or "country"."""
        self._kind = kind

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return one that the word before the span can stand before. Countries where German is spoken stay."""
        start, text = note.spans[index].start, note.original(index)
        is_country = self._kind == "country"
        if is_country and own_country(text):
            return text
        if _ADJECTIVE.search(text) and _NOUN.match(note.text, note.spans[index].end):
            adjective = note.choose("region adjective", name_key(text), index, word_list("policies/town-adjectives"))
            return in_case_of(adjective, text)
        found = _PREPOSITION.search(note.text, max(0, start - _BEFORE), start)
        kind = self._kind if is_country else _kind_of(text, note)
        listed = _listed(kind)
        bare = country_form(text) if is_country else _CANTON if text in listed.get(_CANTON, ()) else "in"
        before = found[1].lower() if found else bare
        form = _FORMS.get(before, before)
        form = form if form in listed else "in"
        if is_country:
            name = surrogate_country(note, text, index, form)
        else:
            name = note.choose(f"{kind} {form}", name_key(text), index, listed[form])
        return in_case_at(name, note.text, start, note.spans[index].end, _LONGEST_ABBREVIATION)


def _kind_of(region: str, note: NoteContext) -> str:
    if kind := _kinds().get(name_key(region)):
        return kind
    country = note_country(note)
    return "region" if country == GERMANY else f"region-{country}"


@cache
def _landscapes() -> dict[str, str]:
    """Return the group of each landscape, by its key, or by an ending of its key with a hyphen."""
    lines = (line.split(" ", 1) for line in word_list("policies/landscapes"))
    return {("-" if name[0] == "-" else "") + name_key(name).lstrip("-"): group for group, name in lines}


@cache
def _of_group(group: str) -> tuple[str, ...]:
    lines = (line.split(" ", 1) for line in word_list("policies/landscapes"))
    return tuple(name for listed, name in lines if listed == group and name[0] != "-")


def surrogate_landscape(text: str, note: NoteContext, index: int) -> str:
    """Return another water, coast or mountain range of the group of this one, "" if the list has no such group."""
    key = name_key(text)
    groups, nominative = _landscapes(), key.removesuffix("s")
    endings = (f"-{key[at:]}" for at in range(1, len(key)))
    found = next((each for each in (key, nominative, *endings) if each in groups), None)
    if found is None:
        return ""
    name = note.choose(f"landscape {groups[found]}", nominative, index, _of_group(groups[found]))
    return f"{name}s" if found == nominative != key else name
