"""Whether the capitals of a text tell anything: in small letters throughout, or in capitals, they do not."""

from __future__ import annotations

_FLAT_SHARE = 0.04
"""A text with a smaller share of words with one capital is in small letters, or in capitals, throughout."""
_MIN_WORDS = 20
"""Shorter texts are read as they are written."""


def has_one_capital(word: str) -> bool:
    """Whether small letters follow the first, for words that begin with a capital: "Klinik", not "KLINIK"."""
    return len(word) > 1 and word[1:].lower() == word[1:]


def is_flat(words: int, with_one_capital: int) -> bool:
    """Whether a text with so many words, and so many that have one capital, says nothing by its capitals."""
    return words >= _MIN_WORDS and with_one_capital < words * _FLAT_SHARE
