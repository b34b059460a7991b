"""Surrogates of what has no label of its own: of offices and honours; all else is a placeholder."""

from __future__ import annotations

import re

from deid_core.core.word_lists import alternatives
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.professions import OFFICE, SurrogateProfession

_OFFICE = re.compile(
    rf"\b(?-i:[a-zäöü]{{2,}})\s(?-i:[A-ZÄÖÜ])|\s(?:der|des|im|von)\s"
    rf"|(?:{alternatives('policies/office-endings')})(?:in|s|en)?(?:\s\d+)?$",
    re.IGNORECASE,
)
"""With a word in small letters before another one, or by its ending."""
_NAME_OR_NUMBER = re.compile(r"\b[A-ZÄÖÜ]\w*|\d+")


class SurrogateOther:
    """Gives another office for an office or honour."""

    def __init__(self) -> None:
        self._profession = SurrogateProfession()

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return another office; None for what may be anything.

        None, too, if a capitalised word or a number of an office would stay.
        """
        text = note.original(index)
        if not _OFFICE.search(text):
            return None
        office = self._profession.replacement(index, note, OFFICE)
        return office if set(_NAME_OR_NUMBER.findall(text)).isdisjoint(_NAME_OR_NUMBER.findall(office)) else None
