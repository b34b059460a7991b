"""How a note writes days, years and numbers, and whether a scan made it: what one place leaves open, others tell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

import regex

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


class DocumentStyle:
    """What a note does. Each habit is looked for in the whole note, so only when a candidate asks, and once."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def comma(self) -> bool:
        """Decimals have a comma."""
        commas = len(_COMMA.findall(self._text))
        return commas > 0 and commas >= _MORE_COMMAS * len(_POINT.findall(self._text))

    @cached_property
    def dashed(self) -> bool:
        """Days and months are parted by hyphens: a date such as 24-01-2012 stands somewhere."""
        return _DASHED.search(self._text) is not None

    @cached_property
    def slashed(self) -> bool:
        """Days and months are parted by strokes: a date such as 12/06/2014 stands somewhere."""
        return _SLASHED.search(self._text) is not None

    @cached_property
    def entries(self) -> bool:
        """Lines begin with the day of an entry."""
        return _lists_days(_ENTRY.findall("\n" + self._text))

    @cached_property
    def scanned(self) -> bool:
        """Words and numbers have the misread letters of a scan."""
        return len(_SCANNED.findall(self._text)) >= _FEW_SCANNED

    @cached_property
    def short_years(self) -> bool:
        """Years have two digits: "3.4.98", "5/98"."""
        return _SHORT_YEAR.search(self._text) is not None


@lru_cache(1)
def habits(text: str) -> DocumentStyle:
    """The habits of a whole note; kept until the next note asks, since many candidates of one note do."""
    return DocumentStyle(text)


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
