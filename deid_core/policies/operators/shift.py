"""Operator `shift`: the dates of a subject are moved by the same number of days, so intervals and ages stay true.

The days come from the key and the subject. A date is written back in the format found. One that cannot be read, or
that does not exist, becomes a placeholder and is counted.
"""

from __future__ import annotations

import re

from deid_core.core.labels import Label, PhiType
from deid_core.policies.dates.move import moved
from deid_core.policies.dates.parse import parse_date
from deid_core.policies.key import Draws
from deid_core.policies.note_context import NoteContext
from deid_core.policies.settings import DateShift, ShiftSettings

_PADDED = re.compile(r"(?<!\d)0\d\s?[./-]")
_YEAR = 2001
"""Of dates in a note that names no year."""


def shift_days(draws: Draws, settings: DateShift) -> int:
    """Return the days by which a subject's dates are moved: within ± max_days and never 0."""
    unit = 7 if settings.keep_weekday else 1
    most = settings.max_days // unit
    number = draws.number("date shift", "") % (2 * most)
    return unit * (number - most if number < most else number - most + 1)


class Shift:
    """Moves the dates of spans."""

    def __init__(self, settings: ShiftSettings, shift: DateShift) -> None:
        self._years = settings.years == "shift"
        self._shift = shift

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return the date moved, in the format found; None if it cannot be read."""
        dates: _NoteDates = note.shared(_NoteDates, lambda: _NoteDates(note, shift_days(note.dates, self._shift)))
        year = dates.years.get(index, _YEAR)
        return moved(note.original(index), dates.days, year=year, padded=dates.padded, years=self._years)


class _NoteDates:
    """What the dates of a note share.

    days: by which they are moved. years: for spans, by index, the year that the date before named, or else the first
    one. padded: whether days and months have leading zeros.
    """

    def __init__(self, note: NoteContext, days: int) -> None:
        self.days = days
        self.years: dict[int, int] = {}
        texts = {index: note.original(index) for index, span in enumerate(note.spans) if span.label is Label.DATE}
        self.padded = any(map(_PADDED.search, texts.values()))
        year = 0
        before: list[int] = []
        for index, text in texts.items():
            if year:
                self.years[index] = year
            else:
                before.append(index)
            parsed = parse_date(text)
            named = [m.year for m in parsed.moments if m.year] if parsed else []
            if named and note.spans[index].type is not PhiType.BIRTH_DATE:
                year = named[-1]
                self.years |= dict.fromkeys(before, year)
                before = []
