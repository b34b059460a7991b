"""The writing style of a whole note: its date formats and decimal commas resolve ambiguous places."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import regex

_COMMA = regex.compile(r"(?<![\d.,])\d{1,3},\d{1,2}(?![\d.,])")
_POINT = regex.compile(r"(?<![\d.,])\d{1,3}\.\d{1,2}(?![\d.,]|[ ]?(?:h|Uhr|uhr)\b|\.)")
_DASHED = regex.compile(r"(?<![\d-])[0-3]?\d-[01]?\d-(?:19|20)?\d\d(?![\d-])")
_SLASHED = regex.compile(r"(?<![\d/])[0-3]?\d/[01]?\d/(?:19|20)?\d\d(?![\d/])")
_SHORT_YEAR = regex.compile(r"(?<![\d.])\d{1,2}\.[01]?\d\.\d\d(?![\d.])|(?<![\d/])[01]?\d/[6-90]\d(?![\d/])")
_ENTRY = regex.compile(r"(?<=\n[-•*]?[ \t]{0,3})(\d{1,2})\.[ ]?(\d{1,2})\.(\d\d(?:\d\d)?(?!\d))?(?=[\s:])")
_COMMAS_PER_POINT = 3
"""Decimals with a comma must be so many times as frequent as those with a point, some of which are times of day."""
_FIRST_DAY = 4
"""A single "2.1." at the beginning of a line numbers a section; a single "5.3." is a day."""


class DocumentStyle:
    """The style of one note. Each property searches the whole note, so it is computed on first use and kept."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def decimal_commas(self) -> bool:
        """Whether decimals have a comma."""
        commas = len(_COMMA.findall(self._text))
        return commas > 0 and commas >= _COMMAS_PER_POINT * len(_POINT.findall(self._text))

    @cached_property
    def dashed_dates(self) -> bool:
        """Whether some date is written like 24-01-2012."""
        return _DASHED.search(self._text) is not None

    @cached_property
    def slashed_dates(self) -> bool:
        """Whether some date is written like 12/06/2014."""
        return _SLASHED.search(self._text) is not None

    @cached_property
    def dated_entries(self) -> bool:
        """Whether lines begin with a day and month ("5.3. Visite")."""
        return _are_days(_ENTRY.findall("\n" + self._text))

    @cached_property
    def short_years(self) -> bool:
        """Whether some date has a year of two digits: "3.4.98", "5/98"."""
        return _SHORT_YEAR.search(self._text) is not None


def _are_days(entries: Sequence[tuple[str, str, str]]) -> bool:
    """Return whether lines begin with days ("5.3.", "6.3.") and not with section numbers ("5.1.", "5.2.")."""
    if not entries:
        return False
    if any(int(first) > 12 or first[0] == "0" or second[0] == "0" or year for first, second, year in entries):
        return True
    numbers = [(int(first), int(second)) for first, second, _ in entries]
    if len(numbers) == 1:
        return numbers[0][0] >= _FIRST_DAY and numbers[0][1] <= 12
    days = sum(first < later and second == same for (first, second), (later, same) in pairwise(numbers))
    sections = sum(first == same and second < later for (first, second), (same, later) in pairwise(numbers))
    return days > sections
