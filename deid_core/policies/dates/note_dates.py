"""What the dates of a note tell each other: a year or month that one leaves out, and how numbers are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from deid_core.core.labels import Label, PhiType
from deid_core.policies.dates.move import DayForm, day_form
from deid_core.policies.dates.parse import parse_date
from deid_core.policies.note_context import NoteContext

_PADDED = re.compile(r"(?<!\d)0\d\s?[./-]")
_NUMBER = re.compile(r"\d{1,2}\.?")
_JOINT = re.compile(r"[\s./,'’–-]{1,4}|\s(?:und|u\.|bis|zum|auf den)\s")
_SLASHED = re.compile(r"(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|1[0-2])")
_MONTH_DAY, _ISO = re.compile(r"(?:0[1-9]|1[0-2])-[0-3]\d"), re.compile(r"\d{4}-\d\d-\d\d")
_MONTHS = 12
_BIRTH_DATE = PhiType.BIRTH_DATE


def note_dates(note: NoteContext) -> NoteDates:
    """Return what the dates of a note share; all operators share it."""
    return note.shared(NoteDates, lambda: NoteDates(note))


class DateText(NamedTuple):
    """What the text of a date says by itself, and what it tells the note's others.

    is_padded: whether it has leading zeros. is_number: whether it is a number alone. form: for one day with month and
    year. is_day: whether it has a day without a month. is_year: whether it has years and nothing else. feast: where a
    feast begins that is its first date, -1 for none. year, month: 0 for none. is_day_first: whether it is a day, a
    slash and a month, and no month and year. is_iso: whether it is a whole date of ISO 8601. is_whole: whether one of
    its dates has day, month and year.
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
    is_whole: bool = False


_NO_DATE = DateText(False, False, None, False, False, -1, 0, 0)


@lru_cache(20_000)
def _date_text(text: str) -> DateText:
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
    is_whole = any(moment.day and moment.month and moment.year for moment in parsed.moments)
    return DateText(is_padded, is_number, form, is_day, is_year, feast, year, month, is_day_first, is_iso, is_whole)


class NoteDates:
    """What the dates of a note share.

    read: what each says, by its index. year: of dates that say none, the latest of a whole date, else the latest that
    is named, 0 if none is. is_year_sure: whether a whole date is among them. latest: the latest that is alone. All
    without births. months: for spans, by index, what the date before named, or else the first one. is_day_first:
    whether "15/11" stands there, so that "04/11" is the 4th of November too. is_iso: whether "2016-04-11" does, so that
    "05-02" is the 2nd of May. padded: whether days and months have leading zeros. joined: the range of the text to read
    for a number that stands alone and the date after it, which gives it its month ("3. und 5.7.", in two spans).
    feasts: for spans whose first date is a feast, by index, where in the span it begins.
    """

    def __init__(self, note: NoteContext) -> None:
        self.joined: dict[int, tuple[int, int]] = {}
        texts = note.texts
        self.read = read = {index: _date_text(texts[index]) for index in note.with_label(Label.DATE)}
        self.padded = False
        self.feasts: dict[int, int] = {}
        self.year = 0
        self.latest: date | None = None
        self.is_day_first = self.is_iso = self.is_year_sure = False
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
            self.is_year_sure = any(found.is_whole for found in telling.values())
            self.latest = max((found.form.day for found in telling.values() if found.form), default=None)
            self.year = self.latest.year if self.latest else max((found.year for found in telling.values()), default=0)
            if needs_month:
                self.months = _carried({index: found.month for index, found in telling.items()}, read)

    def reading(self, text: str, year: int) -> tuple[str, int]:
        """Return a text of dates as it is to be read, and how many characters were put before it.

        "04/11" or "04-11" is a day where others say so; year: of the second.
        """
        if self.is_day_first and _SLASHED.fullmatch(text):
            return text.replace("/", "."), 0
        if self.is_iso and _MONTH_DAY.fullmatch(text):
            before = f"{year}-"
            return before + text, len(before)
        return text, 0

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
