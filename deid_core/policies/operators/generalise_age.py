"""Operator `generalise` for ages: a band of years, and one for the oldest (over 89: 45 CFR 164.514(b)(2)(i)(C))."""

from __future__ import annotations

import re

from deid_core.policies.note_context import NoteContext
from deid_core.policies.settings import GeneraliseAgeSettings

_ORDINAL = re.compile(r"\.\s?(?:Geb\b|Geburtstag|Wiegenfest|Lebensjahr|LJ\b)")
_AGE = re.compile(r"(?P<years>\d{1,3})(?:\s\d{1,2}/12)?(?P<rest>(?P<joint>-?)j\w*\.?)?", re.IGNORECASE)


class GeneraliseAge:
    """Gives the band of an age: "55-59", and "55- bis 59-jährige" for "57-jährige"."""

    def __init__(self, settings: GeneraliseAgeSettings) -> None:
        self._width, self._top = settings.band_years, settings.top

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return the span with its number as a band; None if it has none in digits, or several, or a band cannot stand
        there: "ihren 90. Geburtstag".
        """
        text = note.original(index)
        found = _AGE.fullmatch(text.strip())
        if found is None:
            return None
        age, rest, joint = int(found["years"]), found["rest"] or "", found["joint"] or ""
        if (age >= self._top or self._width > 1) and _ORDINAL.match(note.text, note.spans[index].end):
            return None
        if age >= self._top:
            return f"über {self._top - 1}{rest}"
        if self._width == 1:
            return f"{age}{rest}"
        low = age - age % self._width
        high = min(low + self._width, self._top) - 1
        between = f"{joint} bis " if len(rest) > 2 + len(joint) else "-"
        return f"{low}{between}{high}{rest}"


def age_of(text: str) -> int:
    """Return the years that an age says in digits; 0 if it has none."""
    found = _AGE.fullmatch(text.strip())
    return int(found["years"]) if found else 0
