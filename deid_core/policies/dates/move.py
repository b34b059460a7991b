"""Move the moments of a date span by days, and write them in the form found.

A month without a day is moved as its 15th, a season as the middle of it, a week as its Monday. A year that stands
alone is kept or moved by whole years. A feast becomes the nearest one of its form, a day without a month the day of
the moved date, by the month that the note tells.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from deid_core.lexicon.months import ROMAN
from deid_core.policies.agreement import Agreement
from deid_core.policies.dates.feasts import nearest_feast
from deid_core.policies.dates.parse import (
    MONTHS,
    ORDINALS,
    SEASONS,
    WEEKDAYS,
    DateSlot,
    Moment,
    ParsedDate,
    ordinal_stem,
    parse_date,
    season_parts,
    weekday_of,
    years_between,
)
from deid_core.policies.normal_form import in_case_of

_MIDDLE, _SEASON_MONTHS = 15, (4, 7, 10, 1)
_DAYS_OF_YEAR = 365.25
_SHORT = 4
"""Letters of the longest short form of a month."""
_DECEMBER = 12
_DAYS_OF_ALL = 28
"""Days that each month has."""


class DateContext(NamedTuple):
    """What decides, besides its own text, how a date is moved.

    year, month: for dates that say none; 0 for a month that nothing tells. padded: whether days and months of two
    digits tell that others have a leading zero. years: whether years that stand alone are moved as well. article:
    before the text, for a feast.
    """

    year: int
    month: int
    padded: bool
    years: bool
    article: Agreement = Agreement.NOTHING


class MovedDate(NamedTuple):
    """A text of dates, and the slots of it that are written anew, with what is written."""

    text: str
    slots: tuple[tuple[DateSlot, str], ...]

    def part(self, start: int, end: int) -> str:
        """Return what becomes of the range [start, end) of the text."""
        parts: list[str] = []
        at = start
        for slot, value in self.slots:
            if start <= slot.start and slot.end <= end:
                parts += (self.text[at : slot.start], value)
                at = slot.end
        return "".join(parts) + self.text[at:end]


def moved_date(text: str, days: int, context: DateContext) -> MovedDate | None:
    """Return a text of dates moved by days; None if it cannot be read or has an impossible date."""
    parsed = parse_date(text)
    if parsed is None:
        return None
    try:
        return MovedDate(text, tuple(sorted(_written(text, parsed, days, context))))
    except (ValueError, OverflowError):  # 31.2., or a year before 1 or after 9999
        return None


class DayForm(NamedTuple):
    """A text that is one whole date, as most are. To move it so costs less than `moved_date`.

    padded, unpadded: its templates for `str.format`, if the note's other dates have leading zeros or not. They take
    day, month, year, the last two digits of the year, and the month's name, which months has.
    """

    day: date
    padded: str
    unpadded: str
    months: tuple[str, ...]

    def moved(self, step: timedelta, *, padded: bool) -> str | None:
        """Return the text of the moved date; None for a year before 1 or after 9999."""
        try:
            new = self.day + step
        except OverflowError:
            return None
        month, year = new.month, new.year
        template = self.padded if padded else self.unpadded
        return template.format(new.day, month, year, year % 100, self.months[month - 1])


def day_form(text: str, parsed: ParsedDate) -> DayForm | None:
    """Return the form of a text that is one whole date in numbers, or with the name of its month; None for others."""
    if parsed.day is None:
        return None
    [moment] = parsed.moments
    if any(slot.text.upper() in ROMAN or ordinal_stem(slot.text) is not None for slot in moment.slots):
        return None
    months = ("",) * len(MONTHS)
    templates = []
    for padded in (True, False):
        pad = ":02d" if (padded if moment.padded is None else moment.padded) else ""
        parts: list[str] = []
        at = 0
        for start, end, field, old in moment.slots:
            parts += (_escaped(text[at:start]), f"{{0{pad}}}" if field == "day" else f"{{1{pad}}}")
            if field == "year":
                mark = _mark(old)
                parts[-1] = mark + ("{2:04d}" if len(old) - len(mark) == len("2010") else "{3:02d}")
            elif field == "month" and len(old) > len("12"):
                parts[-1] = "{4}"
                months = tuple(_month_name(old, month) for month in range(1, len(MONTHS) + 1))
            at = end
        templates.append("".join((*parts, _escaped(text[at:]))))
    with_zeros, without = templates
    return DayForm(parsed.day, with_zeros, without, months)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _written(text: str, parsed: ParsedDate, days: int, context: DateContext) -> list[tuple[DateSlot, str]]:
    """Return the new text of each slot. Raises ValueError or OverflowError for a date that does not exist."""
    written: list[tuple[DateSlot, str]] = []
    for number, moment in enumerate(parsed.moments):
        if moment.day is not None and moment.month is None:
            written.append(_day_alone(moment, days, context))
        elif moment.feast is not None:
            feast = moment.feast.of_year(moment.year or parsed.year or context.year)
            name, day = nearest_feast(moment.feast, context.article, feast + timedelta(days))
            written.append((moment.slots[0], in_case_of(name, moment.slots[0].text)))
            written += [(slot, _year(slot.text, day.year)) for slot in moment.slots[1:]]
        elif moment.is_year:
            written += _years_alone(moment, days) if context.years else []
        else:
            written += _moved_moment(text, parsed, number, days, context)
    for slot in parsed.weekdays:
        number = (weekday_of(slot.text) + days) % 7
        written.append((slot, in_case_of(WEEKDAYS[number + 7 * (len(slot.text) == 2)], slot.text)))
    return written


def _day_alone(moment: Moment, days: int, context: DateContext) -> tuple[DateSlot, str]:
    """Return a day of the month that the note tells; one of 1 to 28 if nothing tells it or it has no such day."""
    [slot], old = moment.slots, moment.day or 1
    try:
        day = (date(context.year, context.month, old) + timedelta(days)).day
    except ValueError:
        day = (old - 1 + days) % _DAYS_OF_ALL + 1
    return slot, _number(slot.text, day, context.padded if moment.padded is None else moment.padded)


def _years_alone(moment: Moment, days: int) -> list[tuple[DateSlot, str]]:
    """Return years moved by whole years. Raises ValueError for a decade, which nothing can be moved by."""
    if moment.year is None:
        raise ValueError("a decade")
    new_year = moment.year + round(days / _DAYS_OF_YEAR)
    return [(slot, _year(slot.text, new_year)) for slot in moment.slots]


def _moved_moment(
    text: str, parsed: ParsedDate, number: int, days: int, context: DateContext
) -> list[tuple[DateSlot, str]]:
    """Return the new text of the slots of the moment of this number, which has a month, a season or a week."""
    moment = parsed.moments[number]
    new = _date_of(moment, context.year) + timedelta(days)
    pad = context.padded if moment.padded is None else moment.padded
    if moment.day and len(moment.slots) == 1:
        # The month is that of the first date after it that says one.
        later = next((m for m in parsed.moments[number:] if any(s.field == "month" for s in m.slots)), None)
        if later is not None:
            new_later = _date_of(later, context.year) + timedelta(days)
            return [_with_month(text, moment.slots[0], new, new_later, later, context.padded)]
    calendar = new.isocalendar().year if moment.week else new.year
    return [(slot, _value(slot.text, slot.field, new, calendar, pad)) for slot in moment.slots]


def _with_month(
    text: str, slot: DateSlot, new: date, new_later: date, later: Moment, padded: bool
) -> tuple[DateSlot, str]:
    """Return a day that took its month from a later date, with its own month if that is another one now."""
    pad = padded if later.padded is None else later.padded
    day = _value(slot.text, "day", new, new.year, pad)
    if new.month == new_later.month:
        return slot, day
    old = next(s.text for s in later.slots if s.field == "month")
    month = _value(old, "month", new, new.year, pad)
    end = slot.end + text.startswith(".", slot.end)
    return slot._replace(end=end), f"{day}. {month}" if len(old) > 2 else f"{day}.{month}."


def day_of(moment: Moment, year: int) -> date | None:
    """Return the day that a moment is moved by; None if nothing tells its month. year: for one that has none.

    Raises ValueError or OverflowError for a day that does not exist.
    """
    if moment.feast is not None:
        return moment.feast.of_year(moment.year or year)
    is_known = moment.month is not None or moment.season is not None or moment.week is not None
    return _date_of(moment, year) if is_known else None


def _date_of(moment: Moment, year: int) -> date:
    year = moment.year or year
    if moment.week is not None:
        return date.fromisocalendar(year, moment.week, 1)
    if moment.season is not None:
        return date(year, _SEASON_MONTHS[moment.season], _MIDDLE)
    assert moment.month is not None  # noqa: S101 - years alone are not moved by days
    if moment.day == 29 and moment.month == 2 and moment.year is None:
        return date(2000, 2, 29)
    return date(year, moment.month, moment.day or _MIDDLE)


def _value(old: str, field: str, new: date, year: int, pad: bool) -> str:
    if field == "day":
        return _number(old, new.day, pad)
    if field == "year":
        return _year(old, year)
    if field == "years":
        # Winter alone is in two years.
        second = new.year + (new.month == _DECEMBER)
        return _year(old, second) if _season_of(new) == 0 else _year(old.split("/")[0], year)
    if field == "week":
        return str(new.isocalendar().week)
    if field == "season":
        prefix, season = season_parts(old)
        name = _season(season, new)
        # "Frühfrühling" is no word.
        return in_case_of(name if not prefix or name in SEASONS[:2] else prefix + name.lower(), old)
    number = (new.month + 2) // 3 if field == "quarter" else new.month
    if old.upper() in ROMAN:
        return in_case_of(ROMAN[number - 1], old)
    if len(old) > 2 and ordinal_stem(old) is None:
        return _month_name(old, new.month)
    return _number(old, number, pad and field != "quarter")


def _number(old: str, new: int, pad: bool) -> str:
    """Return a day or month in digits, or in words as the old one: "achten", "dritter"."""
    stem = ordinal_stem(old)
    if stem is None:
        return f"{new:02d}" if pad else str(new)
    word = ORDINALS[new - 1] + old[len(stem) :].lower()
    return in_case_of(word.capitalize() if old[0].isupper() else word, old)


def _year(old: str, year: int) -> str:
    """Return a year in the form of the old one; of two years ("2010/11") it is the second."""
    if "/" in old:
        first, second = old.split("/")
        return f"{_year(first, year - years_between(old))}/{_year(second, year)}"
    mark = _mark(old)
    return mark + (f"{year:04d}" if len(old) - len(mark) == 4 else f"{year % 100:02d}")


def _mark(old: str) -> str:
    """Return the apostrophe before a year of two digits."""
    return old[0] if old[0] in "'’" else ""


def _month_name(old: str, month: int) -> str:
    name, short = MONTHS[month - 1]
    letters = old.rstrip(".")
    is_short = len(letters) < _SHORT or old.endswith(".")
    # "Mai" is both: the full name follows it unless a full stop says otherwise.
    if letters.lower() == "mai" and not old.endswith("."):
        is_short = False
    stop = "." if old.endswith(".") and short != name else ""
    return in_case_of((short if is_short else name), letters) + stop


def _season(old: str, new: date) -> str:
    number = _season_of(new)
    if number == 1:
        return SEASONS[0] if old.lower() == SEASONS[0].lower() else SEASONS[1]
    return SEASONS[(4, 1, 2, 3)[number]]


def _season_of(day: date) -> int:
    """Return 0 for winter, 1 for spring, 2 for summer, 3 for autumn."""
    return (day.month % _DECEMBER) // 3
