"""Read the text of a date span: its days, months, years, weekdays, seasons and feasts, and where each stands.

"17.–25.4.2011" has two moments, the 17th and the 25th of April 2011; "Montag, 4. Mai" one and a weekday. What a moment
does not say is None. O, l and I within numbers are read as 0 and 1, as text recognition writes them. Days and months
may be ordinal numbers in words ("am achten dritten") and months Roman numbers ("3.XI.2010").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from deid_core.core.word_lists import word_list
from deid_core.lexicon.months import MONTH_OF, ROMAN, full_year
from deid_core.policies.dates.feasts import Feast, feast_of, feasts

MONTHS = [tuple(line.split()) for line in word_list("policies/months")]
"""The full and the short name of each month, as dates are written back."""
_weekdays, _seasons = ([line.split() for line in word_list(f"policies/{name}")] for name in ("weekdays", "seasons"))
WEEKDAYS = [names[0] for names in _weekdays]
"""Seven full names from Monday, then seven short ones."""
SEASONS = [names[0] for names in _seasons]
"""Spring, summer, autumn, winter: "Frühjahr", then "Frühling" and the others."""
ORDINALS = word_list("policies/ordinals")
"""Of 1 to 31, without endings."""


class DateSlot(NamedTuple):
    """A range [start, end) of the span's text that says one field: day, month, year, weekday, season, week, feast.

    A field "years" is two years with a slash between ("Winter 2010/11"); "decade" is never written anew.
    """

    start: int
    end: int
    field: str
    text: str
    """What stands there."""


class Moment(NamedTuple):
    """A date as far as it is said; season counts from 0 for spring, week is ISO's. Of two years it has the second.

    slots: what is written anew if it is moved; a day of "17.–25.4." has no slot for the month. padded: whether day and
    month have a leading zero; None if the note's other dates tell it.
    """

    slots: tuple[DateSlot, ...]
    padded: bool | None
    day: int | None = None
    month: int | None = None
    year: int | None = None
    season: int | None = None
    week: int | None = None
    feast: Feast | None = None

    @property
    def is_year(self) -> bool:
        """Whether it says years alone, or a decade."""
        told = (self.day, self.month, self.season, self.week, self.feast)
        return all(each is None for each in told)


class ParsedDate(NamedTuple):
    """The moments of a span in the order of its text, and the slots of weekdays.

    year, month: the last that it says. day: of a text that is one date with day, month and year.
    """

    moments: tuple[Moment, ...]
    weekdays: tuple[DateSlot, ...]
    year: int | None
    month: int | None
    day: date | None


def _by_name(names: list[tuple[str, int]]) -> tuple[dict[str, int], str]:
    """Return the number of each name in small letters, and a pattern that finds them."""
    numbers = {name.lower(): number for name, number in names}
    return numbers, _any_of(numbers)


def _any_of(names: Iterable[str]) -> str:
    """Return a pattern of names, the longest first; a line may end at a blank in them."""
    return "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in sorted(names, key=len, reverse=True))


_MONTH = _any_of(MONTH_OF)
_WEEKDAY_OF, _WEEKDAY = _by_name([(name, number % 7) for number, names in enumerate(_weekdays) for name in names])
_SEASON_OF, _SEASON = _by_name([(name, max(number - 1, 0)) for number, names in enumerate(_seasons) for name in names])
_ORDINAL_OF, _ORDINAL = _by_name([(name, number) for number, name in enumerate(ORDINALS, 1)])
_ORDINAL = f"(?:{_ORDINAL})e[nrs]?"
_SEASON_PREFIX = "Früh|Spät|Frueh|Spaet"

_TENS = "zwanz|drei(?:ß|ss)|vierz|fünfz|fuenfz|sechz|siebz|achtz|neunz"

_N, _YEAR = "[0-9OIl]{1,2}", "[12Il][0-9OoIl]{3}"
_SHORT_YEAR = f"['’]?(?:{_YEAR}|[0-9OIl]{{2}})"
_NAMED_YEAR = rf"(?:(?P<years>(?:{_YEAR}|\d\d)/\d\d(?:\d\d)?)|(?P<year>{_YEAR}|['’]?[0-9OIl]{{2}}(?!\.|\s?[/-]\s?\d)))"
"""After a season or feast; "Silvester 31.12." goes on with a day."""
_DAY_OF_MONTH, _MONTH_OF_YEAR = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])"
_ROMAN_QUARTER, _OF_YEAR = "IV|I{1,3}", rf"(?:\s?[/.]?\s?(?P<year>{_SHORT_YEAR}))?"
_TWO_DAY, _TWO_MONTH = "(?:0[1-9]|[12][0-9]|3[01])", "(?:0[1-9]|1[0-2])"
_NEXT_YEAR = "|".join(f"{year:02d}/{year + 1:02d}" for year in range(12))
"""The ends of two years that follow each other: "2010/11" has no month, "2010/03" has one."""
_ROMAN = f"(?:{'|'.join(sorted(ROMAN, key=len, reverse=True))})"
_FORMS = {
    "2010-03-12": r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})",
    "12032010": rf"(?P<day>{_TWO_DAY})(?P<month>{_TWO_MONTH})(?P<year>(?:19|20)\d\d|3[2-9]|[4-9]\d)",
    "20100312": r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)",
    "12.3.2010": rf"(?P<day>{_N})(?P<mark>\s?[./-]\s?|\s)(?P<month>{_N})\s?(?P=mark)\s?(?P<year>{_SHORT_YEAR})",
    "2010/03": rf"(?!..(?:{_NEXT_YEAR}))(?P<year>{_YEAR})[/-](?P<month>{_TWO_MONTH})(?![\w./-]*\d)",
    "Winter 2010/11": rf"(?P<season>(?:{_SEASON_PREFIX})?(?:{_SEASON}))s?(?:\s{_NAMED_YEAR})?",
    "Ostern 05": rf"(?P<feast>{_any_of(feasts())})(?:e?s|n)?(?:\s{_NAMED_YEAR})?(?!/\d)",
    "achten Oktober 2010": rf"(?P<ordinal>{_ORDINAL})\s(?P<name>(?:{_MONTH})\b\.?|{_ORDINAL})(?:\s?(?P<year>{_YEAR}))?",
    "achten": rf"(?P<ordinal>{_ORDINAL})",
    "3.XI.2010": rf"(?P<day>{_N})\.\s?(?P<roman>[XVI]+)(?:\.\s?(?P<year>{_SHORT_YEAR})|\.)",
    "XI.2010": rf"(?P<roman>{_ROMAN})\s?\.\s?(?P<year>{_SHORT_YEAR})(?!\.)",
    "3. März 2010": rf"(?P<day>{_N})(?:\.\s?|\s)(?P<name>(?:{_MONTH})\b\.?)(?:\s?(?P<year>{_SHORT_YEAR}))?",
    "14-MRZ-97": rf"(?P<day>{_N})-(?P<name>(?:{_MONTH})\b\.?)-(?P<year>{_SHORT_YEAR})",
    "März 2010": rf"(?P<name>(?:{_MONTH})\b\.?)(?:\s?(?P<year>{_SHORT_YEAR}))?",
    "3.4.": rf"(?P<day>{_N})\.\s?(?P<month>{_N})\.",
    "12/09": rf"(?P<month>{_MONTH_OF_YEAR}|[OIl][0-9Ol]|[0-9][OIl])\s?/\s?(?P<year>{_SHORT_YEAR})",
    "31/3": rf"(?P<day>{_DAY_OF_MONTH})[/\s.-](?P<month>{_MONTH_OF_YEAR})(?:\s(?P<year>{_YEAR}))?(?![./-]?\d)",
    "4.15": rf"(?P<month>{_MONTH_OF_YEAR})\.(?P<year>00|1[3-9]|[2-9]\d)",
    "2010/11": rf"(?P<years>{_YEAR}/\d\d(?:\d\d)?)",
    "3.2010": rf"(?P<month>{_N})[.\s-]\s?(?P<year>{_YEAR})",
    "KW 12/2009": rf"KW\s?(?P<week>\d{{1,2}})(?:\s?[/.]\s?(?P<year>{_SHORT_YEAR}))?",
    "12. KW": rf"(?P<week>\d{{1,2}})\.\s?(?:KW|Kalenderwoche)(?:\s(?P<year>{_YEAR}))?",
    "1. Quartal 2010": rf"(?P<quarter>[1-4]|{_ROMAN_QUARTER})\.?\s?(?:Quartal|Qu?\.?){_OF_YEAR}",
    "Q3/10": rf"Q\.?\s?(?P<quarter>[1-4])(?!\d){_OF_YEAR}",
    "II/10": rf"(?P<quarter>{_ROMAN_QUARTER})\s?/\s?(?P<year>{_SHORT_YEAR})",
    "VIII/10": rf"(?P<roman>{_ROMAN})\s?/\s?(?P<year>{_SHORT_YEAR})",
    "90er Jahren": rf"(?P<decade>(?:\d\d)?\d0er(?:n|(?:[\s-]Jahre?n?))?|(?:{_TENS})iger[\s-]Jahre?n?)",
    "IX.": rf"(?P<roman>{_ROMAN})\.(?!\s?\d)",
    "Montag": rf"(?P<weekday>(?:{_WEEKDAY})\b)",
    "'09": rf"(?P<year>{_YEAR}|['’]\d\d|3[2-9]|[4-9]\d)",
    "12.": rf"(?P<day>{_N})\.?",
}
"""An example, and what it has the form of; the first form that fits counts."""
_FIELD_OF = {"name": "month", "roman": "month", "ordinal": "day"}
_FIELDS = (*_FIELD_OF, "quarter", "day", "month", "year", "years", "decade", "week", "season", "weekday", "feast")
# `re` wants each group's name once, so the names have the number of the form.
_NUMBERED = [re.sub(r"(\(\?P[<=]\w+)", rf"\1_{number}", form) for number, form in enumerate(_FORMS.values())]
_PATTERN = re.compile(rf"(?<!\w)(?:{'|'.join(_NUMBERED)})(?!\w)", re.IGNORECASE)
_GROUPS: dict[str | None, list[tuple[str, str]]] = {
    last: [
        (group, _FIELD_OF.get(field, field))
        for group in _PATTERN.groupindex
        if (field := group.partition("_")[0]) in _FIELDS and group.partition("_")[2] == last.partition("_")[2]
    ]
    for last in _PATTERN.groupindex
}
"""By each group of a form, which may be the last of a match: all groups of the form, and the fields that they say."""
_EARLY_OR_LATE = re.compile(_SEASON_PREFIX, re.IGNORECASE)
_JOINTS = re.compile(
    r"(?:[\s,.;:()/+&–—-]|\b(?:d\.\s?M|ds\.(?:\s?Mts)?)\.?|\b(?:bis|vom|von|zum|zur|auf|am|den|dem|der|und|u|ab|d)\b"
    r"|\bseit\b|\bim\b|\b(?:Anfang|Mitte|Ende)\b)*",
    re.IGNORECASE,
)
"""What may stand between dates, and after a day: "d. M." and "ds. Mts." (of this month)."""
_DIGITS = str.maketrans("OoIlLi", "001111")


@lru_cache(20_000)
def parse_date(text: str) -> ParsedDate | None:
    """Return what a date span says; None if it has a word or number that is no part of a date, or an impossible one."""
    moments: list[Moment] = []
    weekdays: list[DateSlot] = []
    at = 0
    for match in _PATTERN.finditer(text):
        if not _JOINTS.fullmatch(text, at, match.start()):
            return None
        at = match.end()
        slots = [
            DateSlot(*match.span(group), field, word)
            for group, field in _GROUPS[match.lastgroup]
            if (word := match[group]) is not None
        ]
        if slots[0].field == "weekday":
            weekdays.append(slots[0])
            continue
        moment = _moment(slots)
        if moment is None or _has_ending(text, moment):
            return None
        moments.append(moment)
    if not _JOINTS.fullmatch(text, at) or not (moments or weekdays):
        return None
    completed = _completed(moments)
    if any(moment.day is not None and moment.month is None and not _is_ordinal(text, moment) for moment in completed):
        return None
    years = [moment.year for moment in completed if moment.year]
    months = [moment.month for moment in completed if moment.month]
    day = None if weekdays or len(completed) > 1 else whole_day(completed[0])
    return ParsedDate(
        tuple(completed), tuple(weekdays), years[-1] if years else None, months[-1] if months else None, day
    )


def _has_ending(text: str, moment: Moment) -> bool:
    """Return whether a feast has an ending that another feast may not have: "Advents", but not "Karfreitags"."""
    end = moment.slots[0].end
    return moment.feast is not None and moment.feast.form not in ("day", "days") and text[end : end + 1].isalpha()


def _is_ordinal(text: str, moment: Moment) -> bool:
    """Return whether a day is an ordinal number: "12." and "zwölften", but not "12", which may be a year."""
    [slot] = moment.slots
    return text.startswith(".", slot.end) or ordinal_stem(slot.text) is not None


def whole_day(moment: Moment) -> date | None:
    """Return the day of a moment with day, month and year; None for others, and for the 31st of February."""
    if moment.day is None or moment.month is None or moment.year is None:
        return None
    try:
        return date(moment.year, moment.month, moment.day)
    except ValueError:
        return None


def season_parts(text: str) -> tuple[str, str]:
    """Return what says early or late, and the season after it: "Früh", "sommer"; the first is "" for none."""
    found = _EARLY_OR_LATE.match(text)
    at = found.end() if found and text.lower() not in _SEASON_OF else 0
    return text[:at], text[at:]


def weekday_of(text: str) -> int:
    """Return the weekday that a slot says, 0 for Monday."""
    return _WEEKDAY_OF[text.lower()]


def _moment(slots: list[DateSlot]) -> Moment | None:
    values: dict[str, int] = {}
    feast: Feast | None = None
    for _, _, field, word in slots:
        lower = word.lower()
        if field == "season":
            values[field] = _SEASON_OF[season_parts(lower)[1]]
        elif field == "feast":
            feast = feast_of(word)
        elif field == "quarter":
            values["month"] = 3 * (int(word) if word.isdigit() else ROMAN.index(word.upper()) + 1) - 1
        elif field == "month" and lower.rstrip(".") in MONTH_OF:
            values[field] = MONTH_OF[lower.rstrip(".")]
        elif field == "month" and word.upper() in ROMAN:
            values[field] = ROMAN.index(word.upper()) + 1
        elif (ordinal := ordinal_stem(word)) is not None:
            values[field] = _ORDINAL_OF[ordinal]
        elif field == "years":
            first = full_year(word.translate(_DIGITS).split("/")[0])
            values["year"] = first + years_between(word)
        elif field != "decade":
            if not (digits := word.lstrip("'’").translate(_DIGITS)).isdigit():
                return None
            values[field] = full_year(digits) if field == "year" else int(digits)
    if not 1 <= values.get("month", 1) <= 12 or not 1 <= values.get("day", 1) <= 31 or values.get("week", 1) > 53:
        return None
    return Moment(tuple(slots), _is_padded(slots), feast=feast, **values)


def years_between(word: str) -> int:
    """Return the years from the first to the second of "1975/77"."""
    first, second = word.translate(_DIGITS).split("/")
    return (int(second) - int(first)) % 100


def ordinal_stem(word: str) -> str | None:
    """Return the stem in small letters of an ordinal number in words; None for another word."""
    stem = word.lower().rstrip("nrs").removesuffix("e")
    return stem if stem in _ORDINAL_OF else None


def _is_padded(slots: Sequence[DateSlot]) -> bool | None:
    """Return whether day and month have a leading zero; None if that cannot be seen, as in "12.10."."""
    if len(slots) > 1 and slots[0].end == slots[1].start:
        # "150360"
        return True
    numbers = [slot.text for slot in slots if slot.field in ("day", "month")]
    if any(number[0] in "0Oo" and len(number) == 2 for number in numbers):
        return True
    # "1. Mai", not "01. Mai".
    return None if all(len(number) == 2 for number in numbers) else False


def _completed(moments: list[Moment]) -> list[Moment]:
    """Give months and years to days, months and feasts that stand before them: "17.–25.4.2011", "22.4.–8.5.2013"."""
    completed: list[Moment] = []
    later: Moment | None = None
    for moment in reversed(moments):
        month, year = moment.month, moment.year
        if later is not None:
            if moment.day is not None and month is None:
                month, year = later.month, later.year
            elif (moment.day is not None or moment.feast is not None) and year is None:
                year = later.year
                if year is not None and month is not None and later.month is not None and later.month < month:
                    year -= 1
        later = moment._replace(month=month, year=year)
        completed.append(later)
    return completed[::-1]
