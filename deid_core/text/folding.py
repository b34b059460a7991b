"""Fold words and split them into parts, for search terms."""

from __future__ import annotations

from functools import lru_cache

_FOLD = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e", "á": "a", "ı": "i", "ş": "s", "ç": "c"}
)
_MIN_PART = 3
"""Shorter parts of a hyphenated word are no search terms of their own."""
ADJECTIVE_ENDINGS = ("sche", "schen", "scher", "sches", "schem")
"""Endings that make an adjective of a name: "die Mustersche Familie"."""


@lru_cache(100_000)
def folded(word: str) -> str:
    """Return the word in lower case with umlauts and accents written out: Müller and MUELLER become equal."""
    return word.lower().translate(_FOLD)


def without_adjective_ending(word: str) -> str:
    """Return the name in an adjective, "Muster" of "Mustersche" and "Muster'schen"; "" of what has no such ending."""
    for ending in ADJECTIVE_ENDINGS:
        if word.endswith(ending):
            name = word.removesuffix(ending).rstrip("'’")
            return name if len(name) >= _MIN_PART else ""
    return ""


def parts(word: str) -> list[str]:
    """Return the word and, if it is hyphenated, its parts of at least three letters."""
    if "-" not in word:
        return [word]
    return [word, *(part for part in word.split("-") if len(part) >= _MIN_PART and part[0].isalpha())]
