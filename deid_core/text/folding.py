"""Fold words and split them into parts, for search terms."""

from __future__ import annotations

from functools import lru_cache

_FOLD = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e", "á": "a", "ı": "i", "ş": "s", "ç": "c"}
)
_MIN_PART = 3
"""Shorter parts of a hyphenated word are no search terms of their own."""
_MIN_ADJECTIVE = 5
ADJECTIVE_ENDINGS = ("sche", "schen", "scher", "sches", "schem")
"""Endings that make an adjective of a name: "die Mustersche Familie"."""
APOSTROPHES = "'’`´"
"""What may stand before them."""


@lru_cache(100_000)
def folded(word: str) -> str:
    """Return the word in lower case with umlauts and accents written out: Müller and MUELLER become equal."""
    return word.lower().translate(_FOLD)


def without_adjective_ending(word: str) -> str:
    """Return the folded name in an adjective, "muster" of "Mustersche" and "MUSTER'SCHEN"; "" of other words.

    A name of four letters or less needs an apostrophe: "Menschen" is no adjective of Men.
    """
    plain = folded(word)
    if not plain.endswith(ADJECTIVE_ENDINGS):
        return ""
    name = plain[: plain.rindex("sche")]
    bare = name.rstrip(APOSTROPHES)
    return bare if len(bare) >= (_MIN_ADJECTIVE if bare == name else _MIN_PART) else ""


def parts(word: str) -> list[str]:
    """Return the word and, if it is hyphenated, its parts of at least three letters."""
    if "-" not in word:
        return [word]
    return [word, *(part for part in word.split("-") if len(part) >= _MIN_PART and part[0].isalpha())]
