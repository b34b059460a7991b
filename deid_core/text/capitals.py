"""Decide whether the capitals of a text are informative; in a text all in lower or all in upper case they are not."""

from __future__ import annotations

_FLAT_SHARE = 0.04
"""Least share of words with one capital in a text with informative capitals."""
_MIN_WORDS = 20
"""In shorter texts capitals always count."""


def has_one_capital(word: str) -> bool:
    """Return whether lower case follows the first letter of a capitalised word: "Klinik", not "KLINIK"."""
    return len(word) > 1 and word[1:].lower() == word[1:]


def is_flat(words: int, with_one_capital: int) -> bool:
    """Return whether the capitals of a text are not informative, given its words and those with one capital."""
    return words >= _MIN_WORDS and with_one_capital < words * _FLAT_SHARE
