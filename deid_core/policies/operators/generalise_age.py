"""Operator `generalise` for ages: a band of years, and one for the oldest (over 89: 45 CFR 164.514(b)(2)(i)(C)).

An age in months, weeks or days, as the word after the span says, is a placeholder: a band of years would be wrong.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from deid_core.policies.normal_form import name_key
from deid_core.policies.note_context import NoteContext
from deid_core.policies.number_words import number_words
from deid_core.policies.settings import GeneraliseAgeSettings

_ORDINAL = re.compile(r"\.\s?(?:Geb\b|Geburtstag|Wiegenfest|Lebensjahr|LJ\b)")
_AGE = re.compile(
    r"(?:(?P<years>\d[\dOlI]{0,2})(?:\s?(?:\d{1,2}/12|1/2|½)|;\d{1,2})?|(?P<word>[a-zäöüß]+?))"
    r"(?P<rest>(?P<joint>[-\s]?)j\w*\.?)?",
    re.IGNORECASE,
)
_DIGITS = str.maketrans("OolIi", "00111")
_SHORTER_UNIT = re.compile(r"[\s-]?(?:Mon(?:at|\b)|Mo\.|Mte\b|Wo(?:che|\b)|Tage?n?\b|Stunde|Std\b)", re.IGNORECASE)
"""What follows an age that is not in years: "13 Monaten", "7 Wo."."""


class _Age(NamedTuple):
    """An age in years. joint: between it and the rest, a word for years: "57-jährige" has "-" and "-jährige"."""

    years: int
    joint: str
    rest: str


class GeneraliseAge:
    """Gives the band of an age: "55-59", and "55- bis 59-jährige" for "57-jährige"."""

    def __init__(self, settings: GeneraliseAgeSettings) -> None:
        self._width, self._top = settings.band_years, settings.top

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return the span with its number as a band; None if it has none, or several, or a band cannot stand there:
        "ihren 90. Geburtstag", "mit 13 Monaten".
        """
        found = _read(note.original(index))
        if found is None:
            return None
        age, joint, rest = found
        end = note.spans[index].end
        if _SHORTER_UNIT.match(note.text, end):
            return str(age) if self._width == 1 else None
        if (age >= self._top or self._width > 1) and _ORDINAL.match(note.text, end):
            return None
        if age >= self._top:
            return f"über {self._top - 1}{rest}"
        if self._width == 1:
            return f"{age}{rest}"
        low = age - age % self._width
        high = min(low + self._width, self._top) - 1
        between = f"{joint.strip()} bis " if len(rest) > 2 + len(joint) else "-"
        return f"{low}{between}{high}{rest}"


def age_of(text: str) -> int:
    """Return the years that an age says; 0 if it has none."""
    found = _read(text)
    return found.years if found else 0


def _read(text: str) -> _Age | None:
    found = _AGE.fullmatch(text.strip())
    if found is None:
        return None
    joint, rest = found["joint"] or "", found["rest"] or ""
    if found["years"]:
        return _Age(int(found["years"].translate(_DIGITS)), joint, rest)
    years = number_words().get(name_key(found["word"]))
    # "vierjährige" is "4-jährige".
    return None if years is None else _Age(years, "-" if rest else "", rest and f"-{rest.lstrip('- ')}")
