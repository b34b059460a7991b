"""Operator `generalise` for dates: the year, or month and year.

A date without a year has that of the range it begins ("vom 3.4. bis 5.4.2010"), else that of the note's latest whole
date, or the year before: none is half a year after it. It is a placeholder if the note names no year, and so is a birth
without one. So is a year that tells an age from `top` on, since the band of ages hides how old the oldest are (45 CFR
164.514(b)(2)(i)(C)). The note's year is the latest of its dates but for births.
"""

from __future__ import annotations

import re
from datetime import date

from deid_core.core.labels import Label, PhiType
from deid_core.policies.dates.move import day_of
from deid_core.policies.dates.note_dates import NoteDates, note_dates
from deid_core.policies.dates.parse import MONTHS, Moment, parse_date
from deid_core.policies.note_context import NoteContext
from deid_core.policies.operators.generalise_age import age_of
from deid_core.policies.settings import GeneraliseDateSettings

_RANGE = re.compile(r"\s?(?:bis|und|u\.|[–-])\s?(?:(?:zum|am|den)\s)?")
"""Between the two dates of a range."""
_BESIDE = re.compile(r"[\s,(]*(?:(?:am|den|dem|der)\s)?")
"""Between a feast and its date."""
_HALF_A_YEAR = 183


class GeneraliseDate:
    """Gives the year or month of a date; of a range, that of both ends."""

    def __init__(self, settings: GeneraliseDateSettings) -> None:
        self._months, self._top = settings.to == "month", settings.top

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return "2010" or "April 2010", "2009–2010" for a range; None if no year can be read or one tells an age."""
        dates = note_dates(note)
        span = note.spans[index]
        start, end = dates.joined.get(index, (span.start, span.end))
        moments = _moments(note.text[start:end], span.start - start, span.end - start, dates)
        if any(moment.year is None for moment in moments) and span.type is not PhiType.BIRTH_DATE:
            moments = [_with_year(moment, dates) for moment in _of_range(index, note, dates) or moments]
        found: dict[str, None] = {}
        for moment in moments:
            if moment.year is None or self._tells_age(moment.year, index, note):
                return None
            month = f"{MONTHS[moment.month - 1][0]} " if self._months and moment.month else ""
            found[f"{month}{moment.year}"] = None
        return "–".join(found) or None

    def day(self, day: date, index: int, note: NoteContext) -> date | None:
        """Return the first day of the year or month that the span's text says; None if that is a placeholder."""
        if self.replacement(index, note) is None:
            return None
        return day.replace(day=1) if self._months else day.replace(month=1, day=1)

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


def _moments(text: str, start: int, end: int, dates: NoteDates) -> list[Moment]:
    """Return the moments in the range [start, end) of a text of dates, without feasts that stand beside their date."""
    read, before = dates.reading(text, dates.year)
    parsed = parse_date(read)
    if parsed is None:
        return []
    moments = [m for m in parsed.moments if start <= m.slots[-1].start - before < end]
    return [moment for moment in moments if not any(_is_beside(moment, other, read) for other in moments)]


def _is_beside(feast: Moment, day: Moment, text: str) -> bool:
    """Return whether a feast stands beside a day with its month: "Ostermontag, 5. April 2010"."""
    if feast.feast is None or day.day is None or day.month is None:
        return False
    first, second = sorted((feast, day), key=lambda moment: moment.slots[0].start)
    return _BESIDE.fullmatch(text, first.slots[-1].end, second.slots[0].start) is not None


def _of_range(index: int, note: NoteContext, dates: NoteDates) -> list[Moment]:
    """Return the moments of a span that begins a range with the next span, which has a year; none for another one."""
    if index + 1 not in dates.read:
        return []
    span, after = note.spans[index : index + 2]
    if not (dates.read[index + 1].year and _RANGE.fullmatch(note.text, span.end, after.start)):
        return []
    return _moments(note.text[span.start : after.end], 0, span.end - span.start, dates)


def _with_year(moment: Moment, dates: NoteDates) -> Moment:
    """Return a moment with the year that the note tells, if it has none itself; not a decade."""
    if moment.year is not None or not dates.year or moment.is_year:
        return moment
    try:
        day = day_of(moment, dates.year)
    except (ValueError, OverflowError):
        return moment  # the 31st of February
    is_later = day and dates.latest and (day - dates.latest).days > _HALF_A_YEAR
    return moment._replace(year=dates.year - bool(is_later))


def _note_year(note: NoteContext) -> int:
    """Return the latest year of the dates that are no births; 0 if none has one."""
    births = set(note.with_type(PhiType.BIRTH_DATE))
    read = (parse_date(note.original(index)) for index in note.with_label(Label.DATE) if index not in births)
    return max((parsed.year or 0 for parsed in read if parsed), default=0)
