"""The dates of a letterhead, which tell the year of its note."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from deid_core.core.note import Note
from deid_core.letterhead.parts import locate
from deid_core.lexicon.months import MONTH_OF, ROMAN, full_year

_MONTHS = MONTH_OF | {roman: number for number, roman in enumerate(ROMAN, 1)}
_NAME, _ROMAN = ("|".join(sorted(names, key=len, reverse=True)) for names in (MONTH_OF, ROMAN))
_INITIAL = "".join({initial for name in MONTH_OF for initial in (name[0], name[0].upper())})
_DATE = re.compile(
    r"(?P<first>\d(?<![\d.]\d)\d?)(?:"
    rf"\.\s?(?P<month>\d\d?|{_ROMAN})\.\s?(?P<year>\d{{4}}|\d\d)"  # "06.02.2017", "6.II.2017"
    r"|(?P<mark>[/-])(?P<number>\d\d?)(?P=mark)(?P<full>\d{4})"  # "06/02/2017", "6-2-2017"
    rf"|\.?[\s-]?(?=[{_INITIAL}])(?P<name>(?i:{_NAME}))(?![^\W\d])\.?[\s-]?(?P<named>\d{{4}}|\d\d)"  # "6. Feb. 2017"
    r"|(?P<rest>\d\d)-(?P<iso_month>\d\d)-(?P<iso_day>\d\d)"  # "2017-02-06", of which "20" is the first
    r")(?!\d|[.,:]\d)"
)
"""It begins with a digit, to which the search skips. The initial is tried first, since most words are no months."""
_BORN = re.compile(
    r"(?:\bgeb(?:oren|urts(?:datum|tag)|\.?-?\s?dat(?:um|\.)?)?\.?(?:\s+am|\s[^\W\d_][\w-]+,)?|\*)\s*:?\s*\Z",
    re.IGNORECASE,
)
_YEARS = range(1980, 2101)
_BORN_CHARS = 40
"""At most, before the date: fields have tabs and blanks between them."""


def header_year(note: Note) -> int | None:
    """Return the year of the latest date in the header that is no birth date; None if there is none in _YEARS."""
    years = (day.year for part in locate(note) for day in _dates(note.text, part.start, part.end))
    return max((year for year in years if year in _YEARS), default=None)


def _dates(text: str, start: int, end: int) -> Iterator[date]:
    """Yield the whole dates in a range of the text that no word or mark before them makes birth dates."""
    for found in _DATE.finditer(text, start, end):
        first, month, year, mark, number, full, name, named, rest, iso_month, iso_day = found.groups()
        at = found.start()
        if mark and at and (text[at - 1].isalnum() or text[at - 1] in "/-"):
            continue  # the end of a number: "06221/12-10-2010"
        if _BORN.search(text, max(0, at - _BORN_CHARS), at):
            continue
        told = month or number or iso_month or name.lower()
        try:
            yield date(
                full_year(year or full or named or first + rest), _MONTHS.get(told) or int(told), int(iso_day or first)
            )
        except ValueError:
            continue  # the 31st of February
