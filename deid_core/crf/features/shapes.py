"""Shapes of a word: what is left when the letters are forgotten. Pure functions of the word."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

_BOUNDARY = 2
_REMEMBERED = 1 << 15
"""Word types have few class strings: 60,000 of them, of letters and numbers, 689."""


class _Classes(dict[int, str]):
    """For `str.translate`: a character's class, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        found = self[code] = character_class(chr(code))
        return found


def character_class(character: str) -> str:
    """X capital, x small letter, d digit, and the character itself for all else; dashes and quotes are one each."""
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


def stanford_shape(word: str) -> str:
    """Stanford's shape chris2 (seed 000, Table 3, without its list of known small words).

    The classes of the two first and the two last characters in their order, and between them the set of the inner
    ones, sorted: "Heidelberg" → "Xxxxx"; words up to four letters keep the order.
    """
    return stanford_of(character_classes(word))


def short_shape(word: str) -> str:
    """Runs of one class as one character: "Müller-Lüdenscheid" → "Xx-Xx", "12.03.2010" → "d.d.d"."""
    return short_of(character_classes(word))


def character_classes(word: str) -> str:
    """The class of each character, of which the two shapes above are made: "Müller-7" → "Xxxxxx-d"."""
    return word.translate(_CLASSES)


@lru_cache(_REMEMBERED)
def stanford_of(classes: str) -> str:
    """`stanford_shape` of a word with these classes."""
    if len(classes) <= 2 * _BOUNDARY:
        return classes
    inner = "".join(sorted(set(classes[_BOUNDARY:-_BOUNDARY])))
    return classes[:_BOUNDARY] + inner + classes[-_BOUNDARY:]


@lru_cache(_REMEMBERED)
def short_of(classes: str) -> str:
    """`short_shape` of a word with these classes."""
    return "".join(key for key, _ in groupby(classes))


def abstract_shape(word: str) -> str:
    """Seed 003's shape (Table 4): "7534-Df" → "####-Aa"; longer than 12 characters it is cut."""
    return "".join("#" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c for c in word[:12])


def orthography(word: str) -> tuple[str, ...]:
    """Seed 003's binary indicators (Table 4): which of them hold for the word."""
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
