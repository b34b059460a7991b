"""Surrogates of regions and countries that follow the same preposition: "im Allgäu", "auf Sylt", "aus der Schweiz"."""

from __future__ import annotations

import re
from functools import cache

from deid_core.core.word_lists import word_list
from deid_core.policies.normal_form import in_case_of, name_key
from deid_core.policies.note_context import NoteContext

_BEFORE, _LONGEST_ABBREVIATION = 12, 3
_PREPOSITION = re.compile(r"\b(im|vom|zum|auf den|de[mnr]|das|ins|auf|die)\s+$", re.IGNORECASE)
_ADJECTIVE, _NOUN = re.compile(r"\w{3}er$"), re.compile(r"\s[A-ZÄÖÜ][a-zäöüß]")
"""Of "Tiroler Gesetz"."""
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
        """Return one that the word before the span can stand before."""
        start, text = note.spans[index].start, note.original(index)
        if _ADJECTIVE.search(text) and _NOUN.match(note.text, note.spans[index].end):
            adjective = note.choose("region adjective", name_key(text), index, word_list("policies/town-adjectives"))
            return in_case_of(adjective, text)
        found = _PREPOSITION.search(note.text, max(0, start - _BEFORE), start)
        before = found[1].lower() if found else "in"
        listed = _listed(self._kind)
        form = _FORMS.get(before, before)
        form = form if form in listed else "in"
        name = note.choose(f"{self._kind} {form}", name_key(text), index, listed[form])
        return in_case_of(name, text, _LONGEST_ABBREVIATION)
