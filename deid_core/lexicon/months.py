"""The months as letters write them, in names or Roman numbers, and years of two digits."""

from __future__ import annotations

from deid_core.core.word_lists import word_list

MONTH_OF = {
    name: number for number, names in enumerate(word_list("policies/month-spellings"), 1) for name in names.split()
}
"""The number of each name or abbreviation, in small letters and without full stop."""
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_CENTURY = 30
"""Two digits up to this are of this century."""


def full_year(digits: str) -> int:
    """Return the year of two digits or more."""
    number = int(digits)
    return number if len(digits) > 2 else number + (2000 if number <= _CENTURY else 1900)
