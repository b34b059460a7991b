"""How a note writes days and numbers, and dates that only this habit tells from other numbers.

"Labor 2.6. Hb 9" is a date where decimals have a comma, "26-01" where the letter's date is 24-01-2012, "22/5" where it
is 12/06/2014, and "5.3. Visite" at a line's beginning where the list goes on with 6.3. and not with 5.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

import regex

from deid_core.labels import PhiType
from deid_core.recognise.patterns.date_weekday import WEEKDAY
from deid_core.recognise.patterns.following import NUMBER_WORD
from deid_core.recognise.patterns.fragments import DAY, DAY_MONTH, MONTH, NO_UNIT, NO_VALUE, NO_VERSION, B
from deid_core.recognise.patterns.rule import PatternRule

_COMMA = regex.compile(r"(?<![\d.,])\d{1,3},\d{1,2}(?![\d.,])")
_POINT = regex.compile(r"(?<![\d.,])\d{1,3}\.\d{1,2}(?![\d.,]|[ ]?(?:h|Uhr|uhr)\b|\.)")
_DASHED = regex.compile(r"(?<![\d-])[0-3]?\d-[01]?\d-(?:19|20)?\d\d(?![\d-])")
_SLASHED = regex.compile(r"(?<![\d/])[0-3]?\d/[01]?\d/(?:19|20)?\d\d(?![\d/])")
_SCANNED = regex.compile(r"(?<![\p{L}\d])[lIOo]\d|\d[lIOo](?=[\d\s/.,)]|\Z)|\b(?:arn|vorn|irn|dern|rnit)\b")
_SHORT_YEAR = regex.compile(r"(?<![\d.])\d{1,2}\.[01]?\d\.\d\d(?![\d.])|(?<![\d/])[01]?\d/[6-90]\d(?![\d/])")
_ENTRY = regex.compile(r"(?<=\n[-•*]?[ \t]{0,3})(\d{1,2})\.[ ]?(\d{1,2})\.(\d\d(?:\d\d)?(?!\d))?(?=[\s:])")
_MORE_COMMAS = 3
"""Decimals with a comma must be so many times those with a point, of which some are times of day."""
_FEW_SCANNED = 3
_NO_SECTION = 4
"""A lone "2.1." at a line's beginning heads a section, a lone "5.3." is a day."""


class Habits:
    """What a note does. Each habit is looked for in the whole note, so only when a candidate asks, and once."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def comma(self) -> bool:
        """Decimals with a comma."""
        commas = len(_COMMA.findall(self._text))
        return commas > 0 and commas >= _MORE_COMMAS * len(_POINT.findall(self._text))

    @cached_property
    def dashed(self) -> bool:
        """Days as 26-01."""
        return _DASHED.search(self._text) is not None

    @cached_property
    def slashed(self) -> bool:
        """Days as 22/5."""
        return _SLASHED.search(self._text) is not None

    @cached_property
    def entries(self) -> bool:
        """Entries by days."""
        return _lists_days(_ENTRY.findall("\n" + self._text))

    @cached_property
    def scanned(self) -> bool:
        """Misread letters of a scan."""
        return len(_SCANNED.findall(self._text)) >= _FEW_SCANNED

    @cached_property
    def short_years(self) -> bool:
        """Years of two digits."""
        return _SHORT_YEAR.search(self._text) is not None


@lru_cache(4)
def habits(text: str) -> Habits:
    """The habits of a whole note; kept, since many candidates of one note ask."""
    return Habits(text)


def _lists_days(entries: Sequence[tuple[str, str, str]]) -> bool:
    """Whether lines begin with days ("5.3.", "6.3.") rather than with the numbers of sections ("5.1.", "5.2.")."""
    if not entries:
        return False
    if any(int(first) > 12 or first[0] == "0" or second[0] == "0" or year for first, second, year in entries):
        return True
    numbers = [(int(first), int(second)) for first, second, _ in entries]
    if len(numbers) == 1:
        return numbers[0][0] >= _NO_SECTION and numbers[0][1] <= 12
    days = sum(first < later and second == same for (first, second), (later, same) in pairwise(numbers))
    sections = sum(first == same and second < later for (first, second), (same, later) in pairwise(numbers))
    return days > sections


def _writes_commas(match: regex.Match[str]) -> bool:
    return habits(match.string).comma


def _lists_by_day(match: regex.Match[str]) -> bool:
    return habits(match.string).entries


def _writes_dashes(match: regex.Match[str]) -> bool:
    return habits(match.string).dashed


def _writes_slashes(match: regex.Match[str]) -> bool:
    return habits(match.string).slashed


_HEAD = rf"(?:(?<=(?P<head>(?<!\p{{L}}){WEEKDAY}\.?,?{B})))?"
_VALUE_BEHIND = rf"(?={B}[<>]?{B}?\d{{1,4}}(?:,\d{{1,2}})?(?![\d.:/-])(?!{B}?(?:h|Uhr)(?!\p{{L}})))"
_BEFORE_DAY = rf"(?<=(?<!\p{{L}})(?i:am|vom|bis|seit|zum|ab|den|dem|labor|für|v\.|oder|und),?{B})"
_NO_SPAN = (
    rf"(?!{B}?(?i:tage?n?|wochen?|monate?n?|jahre?n?|stunden?|std|minuten?|uhr|jährig\p{{Ll}}*+|[x×]|mal)(?!\p{{L}}))"
)
_NO_GRADE = rf"(?<!(?<!\p{{L}})(?i:AHI|BE|RQ|kategorie|score|grad|klasse|stufe|stadium|faktor|dioptrien|sphäre){B})"
_SURE_DAY = r"(?=(?:1[3-9]|2\d|3[01])/|0[1-9]/|\d{1,2}/0)"
_NO_FRACTION = r"""
    (?<!(?<!\p{L})(?i:RR|VAS|NRS|VRS|GCS|MMST?|MMSE|Apgar|score|skala|kraftgrad|janda|grad|MRC|stimmgabel|visus|titer
        |barthel|summe|regio|zahn|zähne|LK|lymphknoten|pN\p{L}{0,3}|stanz\p{L}{0,6}|zylinder|index|stufe|stadium|seite|S
        |blatt|zimmer|station|[HBL]W[SK]|Th|L|C)[.: \t(]{0,4}+)
"""

HABIT_RULES = (
    PatternRule(
        "date.day_month_comma",  # "Labor 2.6. Hb 9,1", "Gewicht 1.3. 71,4" where decimals have a comma
        PhiType.DATE,
        rf"{DAY}\.{MONTH}",
        rf"(?={DAY_MONTH}){_HEAD}(?<![+\d.,-]|[=<≤≥±~≈]{B}?){_NO_GRADE}(?<!(?:\A|\n)[-•*]?[ \t]{{0,3}}){NO_VERSION}"
        rf"(?:{NO_VALUE}{DAY_MONTH}{NO_UNIT}|{DAY_MONTH}{_VALUE_BEHIND})",
        score=0.6,
        check=_writes_commas,
        before=(DAY, NUMBER_WORD),
    ),
    PatternRule(
        "date.day_month_value",  # "Gewicht 1.3. 71,4": a value follows, so what stands before it is none
        PhiType.DATE,
        rf"{DAY}\.{MONTH}",
        rf"(?<![+\d.,-]){NO_VERSION}{DAY_MONTH}(?={B}[<>]?{B}?\d{{1,3}}[.,]\d{{1,2}}(?![\d.:/-]))",
        score=0.6,
    ),
    PatternRule(
        "date.day_month_entry",  # "5.3. Visite", a line below "6.3. Sono"; not "5.1. Anamnese"
        PhiType.DATE,
        rf"{DAY}\.{MONTH}",
        rf"(?<=(?:\A|\n)[-•*]?[ \t]{{0,3}}){DAY_MONTH}{NO_UNIT}(?=[\s:])",
        score=0.7,
        check=_lists_by_day,
    ),
    PatternRule(
        "date.day_month_bare",  # "16.12   Impfung" at a line's beginning, in brackets or behind a comma: no full stop
        PhiType.DATE,
        r"(?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2])",
        rf"(?:(?<=(?:\A|\n)[-•*]?[ \t]{{0,3}})(?=[\d.]{{5}}(?:[ \t]{{1,6}}\p{{L}}|\n))"
        rf"|(?<=\([\p{{L}}.,: -]{{0,40}})(?=[\d.]{{5}}[,)]))[\d.]{{5}}{NO_UNIT}",
        score=0.5,
        check=_lists_by_day,
    ),
    PatternRule(
        "date.day_month_dashed",  # "am 26-01", "Labor 28-03: Leuko" where the letter's date is 24-01-2012
        PhiType.DATE,
        rf"{DAY}-{MONTH}",
        rf"{_HEAD}(?<![\d/.,-])(?:(?=\d\d-0\d|(?:[2]\d|1[3-9]|3[01])-1)|{_BEFORE_DAY}){DAY}-{MONTH}"
        rf"(?![\d/-]|[.,:]\d){NO_UNIT}{_NO_SPAN}",
        score=0.7,
        check=_writes_dashes,
    ),
    PatternRule(
        "date.day_month_slashed",  # "zuletzt am 22/5", "Kontrolle 14/3:" where the letter's date is 12/06/2014
        PhiType.DATE,
        rf"{DAY}/{MONTH}",
        rf"{_HEAD}(?<![\d/.,-])(?:{_SURE_DAY}|{_BEFORE_DAY}){_NO_FRACTION}{NO_VALUE}{DAY}/{MONTH}"
        rf"(?![\d/-]|[.,:]\d){NO_UNIT}{_NO_SPAN}",
        score=0.6,
        check=_writes_slashes,
    ),
    PatternRule(
        "date.day_month_padded",  # "Labor 18/07: Hb": no fraction has a zero before its denominator
        PhiType.DATE,
        r"(?:1[3-9]|2\d|3[01])/0[1-9]",
        rf"{_HEAD}{_NO_FRACTION}{NO_VALUE}(?<![\d/.,-])\d\d/0\d(?![\d/-]|[.,:]\d){NO_UNIT}",
        score=0.6,
    ),
)
