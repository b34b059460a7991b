"""What a word can be in a person's name by its spelling, as flags of a word type."""

from __future__ import annotations

import re
from enum import IntFlag

from deid_core.core.word_lists import word_set
from deid_core.lexicon.cue_words import NOT_A_NAME
from deid_core.text.tokens import WORD, token_kind


class PartFlag(IntFlag):
    """What a word can be in a name."""

    INITIALS = 1
    """Initials in any case: "A.", "A.B.", "a."."""
    CAPITAL_INITIALS = 2
    """Initials whose first letter is a capital."""
    NOT_A_NAME = 4
    """A word that is found in the place of a name, and is none: "Kollegin"."""
    NOUN = 8
    """A noun by its ending."""
    NOBILITY = 16
    """A word of nobility: "Graf"."""
    GENERATION = 32
    """A part after the name: "jun."."""
    ALL_CAPITALS = 64
    """A word without lower-case letters."""


_INITIALS_FLAG = PartFlag.INITIALS.value
_CAPITAL_INITIALS = PartFlag.CAPITAL_INITIALS.value
_NOT_A_NAME = PartFlag.NOT_A_NAME.value
_NOUN = PartFlag.NOUN.value
_NOBILITY_FLAG = PartFlag.NOBILITY.value
_GENERATION_FLAG = PartFlag.GENERATION.value
_ALL_CAPITALS = PartFlag.ALL_CAPITALS.value

_INITIALS = re.compile(r"[^\W\d_]\.(?:-?[^\W\d_]\.)*")
_MAX_INITIALS_CHARS = 6
_NOUN_ENDINGS = tuple(
    noun + ending for noun in word_set("person_context/noun-endings") for ending in ("", "e", "en", "es", "er", "s")
)
"""Endings of nouns that no name has. In telegraphic notes such nouns follow a role word."""
_NOBILITY = frozenset(("Freiherr", "Freifrau", "Graf", "Gräfin", "Ritter", "Baron", "Baronin", "Edler"))
"""These are part of the name. After them "von" continues it."""
_GENERATION = frozenset(("jun", "sen", "jr", "junior", "senior"))


def part_flags(word: str) -> int:
    """Return the PartFlag values of a word as a plain int."""
    lower = word.lower()
    flags = _NOUN if lower.endswith(_NOUN_ENDINGS) else 0
    if lower in NOT_A_NAME:
        flags |= _NOT_A_NAME
    if len(word) <= _MAX_INITIALS_CHARS and _INITIALS.fullmatch(word):
        flags |= _INITIALS_FLAG | (_CAPITAL_INITIALS if word[0].isupper() else 0)
    if word in _NOBILITY:
        flags |= _NOBILITY_FLAG
    if lower.rstrip(".") in _GENERATION:
        flags |= _GENERATION_FLAG
    if word.isupper() and token_kind(word) == WORD:
        flags |= _ALL_CAPITALS
    return flags
