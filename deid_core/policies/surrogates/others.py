"""Surrogates of what has no label of its own: number plates, names of ships and animals, offices and honours."""

from __future__ import annotations

import re

from deid_core.core.word_lists import alternatives
from deid_core.policies.names.name_parts import GIVEN
from deid_core.policies.names.people import people_of
from deid_core.policies.names.surrogate_names import name_word
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.numbers import SurrogateIdentifier
from deid_core.policies.surrogates.professions import OFFICE, SurrogateProfession

_PLATE = re.compile(r"(?!.*[a-zäöüß]{3}).*\d", re.DOTALL)
_OFFICE = re.compile(
    rf"\b(?-i:[a-zäöü]{{2,}})\s(?-i:[A-ZÄÖÜ])|\s(?:der|des|im|von)\s"
    rf"|(?:{alternatives('policies/office-endings')})(?:in|s|en)?(?:\s\d+)?$",
    re.IGNORECASE,
)
"""With a word in small letters before another one, or by its ending."""
_NAME = re.compile(r"[^\W\d_]{3,}")


class SurrogateOther:
    """Gives what the form of the original wants."""

    def __init__(self) -> None:
        self._identifier, self._profession = SurrogateIdentifier(), SurrogateProfession()

    def replacement(self, index: int, note: NoteContext) -> str:
        """Return other characters for a number plate, a profession for an office, else given names for its words."""
        text = note.original(index)
        if _PLATE.match(text):
            return self._identifier.replacement(index, note)
        if _OFFICE.search(text):
            return self._profession.replacement(index, note, OFFICE)
        people = people_of(note)
        return _NAME.sub(lambda match: name_word(people, note, match.group(), GIVEN, index), text)
