"""Operator `shift`: the dates of a subject are moved by the same number of days, so intervals and ages stay true.

The days come from the key and the subject. A date is written back in the format found. One that cannot be read, or
that does not exist, becomes a placeholder and is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from deid_core.core.labels import Label, PhiType
from deid_core.policies.agreement import agreement
from deid_core.policies.dates.move import DateContext, DayForm, MovedDate, day_form, moved_date
from deid_core.policies.dates.parse import parse_date
from deid_core.policies.key import Draws
from deid_core.policies.note_context import NoteContext
from deid_core.policies.settings import DateShift, ShiftSettings

_PADDED = re.compile(r"(?<!\d)0\d\s?[./-]")
_NUMBER = re.compile(r"\d{1,2}\.?")
_JOINT = re.compile(r"[\s./,'’–-]{1,4}|\s(?:und|u\.|bis|zum|auf den)\s")
_UMLAUT = re.compile("[äöü]", re.IGNORECASE)
_AE_WORD = re.compile(r"\b(?:fuer|ueber|waehrend|maerz|jaen|frueh|spaet|gruess|aerzt|moech|koenn|muess)", re.IGNORECASE)
_AE = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_SLASHED = re.compile(r"(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|1[0-2])")
_MONTH_DAY, _ISO = re.compile(r"(?:0[1-9]|1[0-2])-[0-3]\d"), re.compile(r"\d{4}-\d\d-\d\d")
_MONTHS = 12
_BIRTH_DATE = PhiType.BIRTH_DATE
_YEAR = 2001
"""Of dates in a note that names no year."""


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
        moved = self._moved(index, note)
        if moved is None or moved.isascii() or not note.shared(_writes_ae, lambda: _writes_ae(note.text)):
            return moved
        written = moved.translate(_AE)
        return written.upper() if moved.isupper() else written

    def _moved(self, index: int, note: NoteContext) -> str | None:
        dates: _NoteDates = note.shared(_NoteDates, lambda: _NoteDates(note, shift_days(note.dates, self._shift)))
        joined = dates.joined.get(index)
        if joined is None:
            # Most dates are one whole day or a year alone.
            read = dates.read[index]
            if read.is_year and not self._years:
                return note.texts[index]
            if read.form is not None and (whole := read.form.moved(dates.step, padded=dates.padded)) is not None:
                return whole
        span = note.spans[index]
        context = DateContext(dates.year, dates.months.get(index, 0), dates.padded, self._years)
        if index in dates.feasts:
            context = context._replace(article=agreement(note.text, span.start + dates.feasts[index]))
        start, end = joined or (span.start, span.end)
        date = dates.moved(note.text[start:end], context)
        return None if date is None else date.part(span.start - start, span.end - start)


def _writes_ae(text: str) -> bool:
    """Return whether a text writes "ae" for "ä": "Maerz"."""
    return _UMLAUT.search(text) is None and _AE_WORD.search(text) is not None


class _DateText(NamedTuple):
    """What the text of a date says by itself, and what it tells the note's others.

    is_padded: whether it has leading zeros. is_number: whether it is a number alone. form: for one day with month and
    year. is_day: whether it has a day without a month. is_year: whether it has years and nothing else. feast: where a
    feast begins that is its first date, -1 for none. year, month: 0 for none. is_day_first: whether it is a day, a
    slash and a month, and no month and year. is_iso: whether it is a whole date of ISO 8601.
    """

    is_padded: bool
    is_number: bool
    form: DayForm | None
    is_day: bool
    is_year: bool
    feast: int
    year: int
    month: int
    is_day_first: bool = False
    is_iso: bool = False


_NO_DATE = _DateText(False, False, None, False, False, -1, 0, 0)


@lru_cache(20_000)
def _date_text(text: str) -> _DateText:
    parsed = parse_date(text)
    is_padded, is_number = _PADDED.search(text) is not None, _NUMBER.fullmatch(text) is not None
    if parsed is None:
        return _NO_DATE._replace(is_padded=is_padded, is_number=is_number)
    first = parsed.moments[0] if parsed.moments else None
    feast = first.slots[0].start if first and first.feast else -1
    is_day = any(moment.day and not moment.month for moment in parsed.moments)
    is_year = not parsed.weekdays and all(moment.is_year for moment in parsed.moments)
    year, month = parsed.year or 0, parsed.month or 0
    is_day_first = _SLASHED.fullmatch(text) is not None and int(text.partition("/")[0]) > _MONTHS
    form, is_iso = day_form(text, parsed), _ISO.fullmatch(text) is not None
    return _DateText(is_padded, is_number, form, is_day, is_year, feast, year, month, is_day_first, is_iso)


class _NoteDates:
    """What the dates of a note share.

    days, step: by which they are moved. read: what each says, by its index. year: of dates that say none, the latest of
    a whole date, else the latest that is named. months: for spans, by index, what the date before named, or else the
    first one. is_day_first: whether "15/11" stands there, so that "04/11" is the 4th of November too. is_iso: whether
    "2016-04-11" does, so that "05-02" is the 2nd of May. padded: whether days and months have leading zeros. joined:
    the range of the text to read for a number that stands alone and the date after it, which gives it its month ("3.
    und 5.7.", in two spans). feasts: for spans whose first date is a feast, by index, where in the span it begins.
    """

    def __init__(self, note: NoteContext, days: int) -> None:
        self.days, self.step = days, timedelta(days)
        self.joined: dict[int, tuple[int, int]] = {}
        texts = note.texts
        self.read = read = {index: _date_text(texts[index]) for index in note.with_label(Label.DATE)}
        self.padded = False
        self.feasts: dict[int, int] = {}
        self.year = _YEAR
        self.is_day_first = self.is_iso = False
        self.months: dict[int, int] = {}
        needs_year = needs_month = False
        numbers: list[int] = []
        for index, found in read.items():
            if found.is_padded:
                self.padded = True
            self.is_day_first |= found.is_day_first
            self.is_iso |= found.is_iso
            if numbers and not (index - 1 == numbers[-1] and _joins(note, index)):
                numbers = []
            if found.is_number:
                numbers.append(index)
            elif numbers:
                self._join(note, [*numbers, index])
                numbers = []
            # Whole dates need no other date.
            if found.form is None:
                needs_year = True
                needs_month |= found.is_day
                if found.feast >= 0:
                    self.feasts[index] = found.feast
        if needs_year:
            telling = {
                index: found
                for index, found in read.items()
                if note.spans[index].type is not _BIRTH_DATE
                and not (self.is_day_first and _SLASHED.fullmatch(texts[index]))
            }
            whole = [found.year for found in telling.values() if found.form]
            self.year = max(whole or (found.year for found in telling.values() if found.year), default=_YEAR)
            if needs_month:
                self.months = _carried({index: found.month for index, found in telling.items()}, read)

    def moved(self, text: str, context: DateContext) -> MovedDate | None:
        """Return a text of dates moved; "04/11" or "04-11" is a day where others say so."""
        if self.is_day_first and _SLASHED.fullmatch(text):
            done = moved_date(text.replace("/", "."), self.days, context)
            return done and MovedDate(text, done.slots)
        if self.is_iso and _MONTH_DAY.fullmatch(text):
            year = f"{context.year}-"
            done = moved_date(year + text, self.days, context)
            before = len(year)
            slots = done.slots[1:] if done else ()
            slots = tuple((slot._replace(start=slot.start - before, end=slot.end - before), new) for slot, new in slots)
            return done and MovedDate(text, slots)
        return moved_date(text, self.days, context)

    def _join(self, note: NoteContext, indices: list[int]) -> None:
        """Read numbers and the date after them together, if that can be read."""
        start, end = note.spans[indices[0]].start, note.spans[indices[-1]].end
        if parse_date(note.text[start:end]) is not None:
            self.joined |= dict.fromkeys(indices, (start, end))


def _carried(told: Mapping[int, int], indices: Iterable[int]) -> dict[int, int]:
    """Return for each of the indices the value that the one before it told, or else the first; told: 0 for nothing."""
    value = next(filter(None, told.values()), 0)
    if not value:
        return {}
    carried: dict[int, int] = {}
    for index in indices:
        carried[index] = value
        value = told.get(index) or value
    return carried


def _joins(note: NoteContext, index: int) -> bool:
    """Return whether at most a mark or "und" is between a span and the one before it."""
    return _JOINT.fullmatch(note.text, note.spans[index - 1].end, note.spans[index].start) is not None
