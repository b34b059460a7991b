"""Surrogates of what has no label of its own: number plates, and offices and honours; all else is a placeholder."""

from __future__ import annotations

import re

from deid_core.core.word_lists import alternatives
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.numbers import SurrogateIdentifier
from deid_core.policies.surrogates.professions import OFFICE, SurrogateProfession

_PLATE = re.compile(
    r"[^\W\d_]{1,3}[\s·-]{1,3}(?:[^\W\d_]{1,2}[\s-]{0,2}\d{1,4}[eh]?|\d{1,6}(?:[\s-]?[^\W\d_]{1,3})?)", re.I
)
"""Of Germany, Austria and Switzerland: "HD-EM 123", "W-12345 X", "ZH 123456"."""
_OFFICE = re.compile(
    rf"\b(?-i:[a-zäöü]{{2,}})\s(?-i:[A-ZÄÖÜ])|\s(?:der|des|im|von)\s"
    rf"|(?:{alternatives('policies/office-endings')})(?:in|s|en)?(?:\s\d+)?$",
    re.IGNORECASE,
)
"""With a word in small letters before another one, or by its ending."""
_NAME_OR_NUMBER = re.compile(r"\b[A-ZÄÖÜ]\w*|\d+")


class SurrogateOther:
    """Gives what the form of the original wants."""

    def __init__(self) -> None:
        self._identifier, self._profession = SurrogateIdentifier(), SurrogateProfession()

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return other characters for a number plate, another office for one; None for what may be anything.

        None, too, if a capitalised word or a number of an office would stay.
        """
        text = note.original(index)
        if _PLATE.fullmatch(text):
            return self._identifier.replacement(index, note)
        if not _OFFICE.search(text):
            return None
        office = self._profession.replacement(index, note, OFFICE)
        return office if set(_NAME_OR_NUMBER.findall(text)).isdisjoint(_NAME_OR_NUMBER.findall(office)) else None
