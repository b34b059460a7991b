"""Operator `shift`: the dates of a subject are moved by the same number of days, so intervals and ages stay true.

The days come from the key and the subject. A date is written back in the format found. One that cannot be read, or
that does not exist, becomes a placeholder and is counted.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from deid_core.core.labels import Label, PhiType
from deid_core.policies.dates.move import moved, moved_date
from deid_core.policies.dates.parse import parse_date
from deid_core.policies.key import Draws
from deid_core.policies.note_context import NoteContext
from deid_core.policies.settings import DateShift, ShiftSettings

_PADDED = re.compile(r"(?<!\d)0\d\s?[./-]")
_NUMBER = re.compile(r"\d{1,2}\.?")
_JOINT = re.compile(r"[\s./,'’–-]{1,4}|\s(?:und|u\.|bis|zum|auf den)\s")
_BIRTH_DATE = PhiType.BIRTH_DATE
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
        span = note.spans[index]
        year, joined = dates.years.get(index, _YEAR), dates.joined.get(index)
        if joined is None:
            text = note.text[span.start : span.end]
            return moved(text, dates.days, year=year, padded=dates.padded, years=self._years)
        start, end = joined
        date = moved_date(note.text[start:end], dates.days, year=year, padded=dates.padded, years=self._years)
        return None if date is None else date.part(span.start - start, span.end - start)


class _DateText(NamedTuple):
    """What a date tells the note's others: whether it has leading zeros, is a number alone, and its year (0: none)."""

    is_padded: bool
    is_number: bool
    year: int


@lru_cache(20_000)
def _date_text(text: str) -> _DateText:
    parsed = parse_date(text)
    is_padded, is_number = _PADDED.search(text) is not None, _NUMBER.fullmatch(text) is not None
    return _DateText(is_padded, is_number, (parsed.year if parsed else None) or 0)


class _NoteDates:
    """What the dates of a note share.

    days: by which they are moved. years: for spans, by index, the year that the date before named, or else the first
    one. padded: whether days and months have leading zeros. joined: the range of the text to read for a number that
    stands alone and the date after it, which gives it its month ("3. und 5.7.", in two spans).
    """

    def __init__(self, note: NoteContext, days: int) -> None:
        self.days = days
        self.years: dict[int, int] = {}
        self.joined: dict[int, tuple[int, int]] = {}
        read = {index: _date_text(note.texts[index]) for index in note.with_label(Label.DATE)}
        self.padded = any(found.is_padded for found in read.values())
        year = 0
        before: list[int] = []
        numbers: list[int] = []
        for index, found in read.items():
            if year:
                self.years[index] = year
            else:
                before.append(index)
            if numbers and not (index - 1 == numbers[-1] and _joins(note, index)):
                numbers = []
            if found.is_number:
                numbers.append(index)
                continue
            if numbers:
                self._join(note, [*numbers, index])
                numbers = []
            if found.year and note.spans[index].type is not _BIRTH_DATE:
                year = found.year
                self.years |= dict.fromkeys(before, year)
                before = []

    def _join(self, note: NoteContext, indices: list[int]) -> None:
        """Read numbers and the date after them together, if that can be read."""
        start, end = note.spans[indices[0]].start, note.spans[indices[-1]].end
        if parse_date(note.text[start:end]) is not None:
            self.joined |= dict.fromkeys(indices, (start, end))


def _joins(note: NoteContext, index: int) -> bool:
    """Return whether at most a mark or "und" is between a span and the one before it."""
    return _JOINT.fullmatch(note.text, note.spans[index - 1].end, note.spans[index].start) is not None
