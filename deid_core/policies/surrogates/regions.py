"""Surrogates of regions and countries that follow the same preposition: "im Allgäu", "auf Sylt", "aus der Schweiz"."""

from __future__ import annotations

import re
from functools import cache

from deid_core.core.word_lists import word_list
from deid_core.policies.agreement import in_case_at
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext

_BEFORE, _LONGEST_ABBREVIATION = 12, 3
_PREPOSITION = re.compile(r"\b(im|vom|zum|auf den|de[mnr]|das|ins|auf|die)\s+$", re.IGNORECASE)
_ADJECTIVE, _NOUN = re.compile(r"\w{3}er$"), re.compile(r"\s[A-ZÄÖÜ][a-zäöüß]")
"""Of "Tiroler Gesetz"."""
_OWN_COUNTRIES = {"deutschland", "osterreich", "schweiz", "bundesrepublik", "brd", "ddr", "d", "a", "ch", "de", "at"}
"""Keys of the countries that nearly all such notes are of."""
_FORMS = dict.fromkeys(("vom", "zum", "dem", "das", "ins"), "im") | {"der": "in der", "die": "in der", "den": "in den"}


@cache
def _listed(kind: str) -> dict[str, tuple[str, ...]]:
    """Return the regions or countries by their preposition."""
    found: dict[str, list[str]] = {}
    for line in word_list("policies/regions"):
        listed, preposition, *name = line.split(" ")
        if name[0] in ("der", "den"):
            preposition, name = f"{preposition} {name[0]}", name[1:]
        if listed == kind:
            found.setdefault(preposition, []).append(" ".join(name))
    return {preposition: tuple(names) for preposition, names in found.items()}


class SurrogateRegion:
    """Gives a region, or a country."""

    def __init__(self, kind: str) -> None:
        """kind: "region" or "country"."""
        self._kind = kind

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return one that the word before the span can stand before. Countries where German is spoken stay."""
        start, text = note.spans[index].start, note.original(index)
        if self._kind == "country" and name_key(text) in _OWN_COUNTRIES:
            return text
        if _ADJECTIVE.search(text) and _NOUN.match(note.text, note.spans[index].end):
            adjective = note.choose("region adjective", name_key(text), index, word_list("policies/town-adjectives"))
            return in_case_of(adjective, text)
        found = _PREPOSITION.search(note.text, max(0, start - _BEFORE), start)
        before = found[1].lower() if found else "in"
        listed = _listed(self._kind)
        form = _FORMS.get(before, before)
        form = form if form in listed else "in"
        name = note.choose(f"{self._kind} {form}", name_key(text), index, listed[form])
        return in_case_at(name, note.text, start, note.spans[index].end, _LONGEST_ABBREVIATION)


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
