"""Operator `shift`: the dates of a subject are moved by the same number of days, so intervals between whole dates stay.

The days come from the key and the subject. A date is written back in the format found. One that cannot be read, or
that does not exist, becomes a placeholder and is counted.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from deid_core.policies.agreement import agreement
from deid_core.policies.dates.move import DateContext, MovedDate, moved_date
from deid_core.policies.dates.note_dates import NoteDates, note_dates
from deid_core.policies.key import Draws
from deid_core.policies.note_context import NoteContext
from deid_core.policies.settings import DateShift, ShiftSettings

_YEAR = 1900
"""Of dates without a year where no whole date tells it. No year near it is a leap year, so their intervals stay."""


def shift_days(draws: Draws, settings: DateShift) -> int:
    """Return the days by which a subject's dates are moved, forwards or back."""
    among = _days(settings)
    step, back = divmod(draws.number("date shift", "") % (2 * len(among)), 2)
    return among[step] * (-1 if back else 1)


@cache
def _days(settings: DateShift) -> tuple[int, ...]:
    return settings.days


class Shift:
    """Moves the dates of spans."""

    def __init__(self, settings: ShiftSettings, shift: DateShift) -> None:
        self._years = settings.years == "shift"
        self._shift = shift

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return the date moved, in the format found; None if it cannot be read."""
        dates, days, step = note.shared(_Moving, lambda: _Moving.of_note(note, self._shift))
        joined = dates.joined.get(index)
        if joined is None:
            # Most dates are one whole day or a year alone.
            read = dates.read[index]
            if read.is_year and not self._years:
                return note.texts[index]
            if read.form is not None and (whole := read.form.moved(step, padded=dates.padded)) is not None:
                return whole
        span = note.spans[index]
        year = dates.year if dates.is_year_sure or index in dates.feasts else 0
        context = DateContext(year or _YEAR, dates.months.get(index, 0), dates.padded, self._years)
        if index in dates.feasts:
            context = context._replace(article=agreement(note.text, span.start + dates.feasts[index]))
        start, end = joined or (span.start, span.end)
        date = _moved_text(note.text[start:end], dates, days, context)
        return None if date is None else date.part(span.start - start, span.end - start)

    def day(self, day: date, index: int, note: NoteContext) -> date | None:
        """Return the day of a span moved as its text is; None if that is a placeholder."""
        if self.replacement(index, note) is None:
            return None
        return day + note.shared(_Moving, lambda: _Moving.of_note(note, self._shift)).step


class _Moving(NamedTuple):
    """The dates of a note, and by how many days they are moved, as a number and as a step."""

    dates: NoteDates
    days: int
    step: timedelta

    @staticmethod
    def of_note(note: NoteContext, settings: DateShift) -> _Moving:
        days = shift_days(note.dates, settings)
        return _Moving(note_dates(note), days, timedelta(days))


def _moved_text(text: str, dates: NoteDates, days: int, context: DateContext) -> MovedDate | None:
    """Return a text of dates moved."""
    read, before = dates.reading(text, context.year)
    done = moved_date(read, days, context)
    if done is None or read is text:
        return done
    slots = done.slots[1:] if before else done.slots
    slots = tuple((slot._replace(start=slot.start - before, end=slot.end - before), new) for slot, new in slots)
    return MovedDate(text, slots)
