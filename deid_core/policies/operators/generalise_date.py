"""Operator `generalise` for dates: the year, or month and year. A date without a year becomes a placeholder.

So does a year that tells an age from `top` on, since the band of ages hides how old the oldest are (45 CFR
164.514(b)(2)(i)(C)). The note's year is the latest of its dates but for births.
"""

from __future__ import annotations

from deid_core.core.labels import Label, PhiType
from deid_core.policies.dates.parse import MONTHS, parse_date
from deid_core.policies.note_context import NoteContext
from deid_core.policies.operators.generalise_age import age_of
from deid_core.policies.settings import GeneraliseDateSettings


class GeneraliseDate:
    """Gives the year or month of a date; of a range, that of both ends."""

    def __init__(self, settings: GeneraliseDateSettings) -> None:
        self._months, self._top = settings.to == "month", settings.top

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return "2010" or "April 2010", "2009–2010" for a range; None if no year can be read or one tells an age."""
        parsed = parse_date(note.original(index))
        if parsed is None:
            return None
        found: dict[str, None] = {}
        for moment in parsed.moments:
            if moment.year is None or self._tells_age(moment.year, index, note):
                return None
            month = f"{MONTHS[moment.month - 1][0]} " if self._months and moment.month else ""
            found[f"{month}{moment.year}"] = None
        return "–".join(found) or None

    def _tells_age(self, year: int, index: int, note: NoteContext) -> bool:
        """Return whether somebody who was born in a year may be of the oldest.

        A birth after the note's year is one of two digits, a hundred years before. In a note without another year, an
        age from `top` on may be that of who was born.
        """
        note_year = note.shared(_note_year, lambda: _note_year(note))
        if note.spans[index].type is not PhiType.BIRTH_DATE:
            return year + self._top <= note_year
        if not note_year:
            return any(age_of(note.original(age)) >= self._top for age in note.with_label(Label.AGE))
        return not note_year - self._top < year <= note_year


def _note_year(note: NoteContext) -> int:
    """Return the latest year of the dates that are no births; 0 if none has one."""
    births = set(note.with_type(PhiType.BIRTH_DATE))
    read = (parse_date(note.original(index)) for index in note.with_label(Label.DATE) if index not in births)
    return max((parsed.year or 0 for parsed in read if parsed), default=0)
