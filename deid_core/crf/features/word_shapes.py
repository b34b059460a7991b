"""Word shapes: classes of characters instead of letters. Pure functions of the word."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

_BOUNDARY = 2
_REMEMBERED = 1 << 15
"""Word types have few class strings: 60,000 types of letters and numbers have 689."""


class _Classes(dict[int, str]):
    """For `str.translate`: the class of a character, computed on first use."""

    def __missing__(self, code: int) -> str:
        found = self[code] = character_class(chr(code))
        return found


def character_class(character: str) -> str:
    """Return X for a capital, x for a small letter, d for a digit, - for dashes, ' for quotes, else the character."""
    if character.isdigit():
        return "d"
    if character.isalpha():
        return "X" if character.isupper() else "x"
    if character in "-–—_":
        return "-"
    if character in "'’`´\"„“”»«":
        return "'"
    return character


_CLASSES = _Classes()


def character_classes(word: str) -> str:
    """Return the class of each character: "Müller-7" → "Xxxxxx-d"."""
    return word.translate(_CLASSES)


@lru_cache(_REMEMBERED)
def stanford_of(classes: str) -> str:
    """Return Stanford's shape chris2 (seed 000, Table 3, without its list of known small words) of character classes.

    The classes of the two first and the two last characters in their order, and between them the set of the inner
    ones, sorted: "Heidelberg" → "Xxxxx"; words up to four letters keep the order.
    """
    if len(classes) <= 2 * _BOUNDARY:
        return classes
    inner = "".join(sorted(set(classes[_BOUNDARY:-_BOUNDARY])))
    return classes[:_BOUNDARY] + inner + classes[-_BOUNDARY:]


@lru_cache(_REMEMBERED)
def short_of(classes: str) -> str:
    """Return character classes without repetition: "Müller-Lüdenscheid" → "Xx-Xx", "12.03.2010" → "d.d.d"."""
    return "".join(key for key, _ in groupby(classes))


def abstract_shape(word: str) -> str:
    """Return seed 003's shape (Table 4) of at most 12 characters: "7534-Df" → "####-Aa"."""
    return "".join("#" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c for c in word[:12])


def orthography(word: str) -> tuple[str, ...]:
    """Return those of seed 003's binary indicators (Table 4) that hold for the word."""
    found = []
    if word.isupper() and len(word) > 1:
        found.append("all_capitals")
    if word[:1].isupper():
        found.append("capitalised")
    if any(c.isupper() for c in word[1:]) and not word.isupper():
        found.append("inner_capital")
    if any(c.isdigit() for c in word):
        found.append("digit")
    if any(not c.isalnum() for c in word):
        found.append("punctuation")
    if not word.isascii():
        found.append("not_ascii")
    return tuple(found)
