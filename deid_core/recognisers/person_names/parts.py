"""What a word may be of a name by its spelling, as bits of a word type; data of the recogniser `context`."""

from __future__ import annotations

import re

from deid_core.lexicon.cue_words import NOT_A_NAME
from deid_core.text.tokens import WORD, token_kind

INITIALS, CAPITAL_INITIALS, NOBODY, NOUN, NOBLE, YOUNGER, ALL_CAPITALS = 1, 2, 4, 8, 16, 32, 64
""""A." or "A.B."; the same with a capital; a word of NOT_A_NAME; a noun by its ending; a word of nobility; "jun."; a
word without small letters."""

_INITIALS = re.compile(r"[^\W\d_]\.(?:-?[^\W\d_]\.)*")
_MOST_INITIALS = 6
"""Characters of them."""
_NOUNS = (
    "ung heit keit schaft tion ismus itis ose thek tät enz anz gramm graphie grafie skopie tomie pathie ämie urie "
    "therapie schmerz infarkt störung klappe druck beschwerde symptomatik kontrolle befund termin mittel wert verlauf "
    "dyspnoe medikation anamnese insuffizienz logie arzt ärztin abteilung station klinik"
).split()
_NOUN_ENDINGS = tuple(noun + ending for noun in _NOUNS for ending in ("", "e", "en", "es", "er", "s"))
_NOUN_ENDING = re.compile(rf"(?:{'|'.join(_NOUNS)})(?:e[nsr]?|s)?$", re.IGNORECASE)
"""Endings of nouns that no name has: what a role word may be followed by in telegraphic notes."""
_NOBLE = frozenset("Freiherr Freifrau Graf Gräfin Ritter Baron Baronin Edler".split())
"""Behind these "von" goes on with the name, and these themselves are a part of it."""
_YOUNGER = frozenset("jun sen jr junior senior".split())
"""Behind a name a part of it: "Muster jun."."""


def part_bits(word: str) -> int:
    """The bits of a word."""
    lower = word.lower()
    # Of ASCII letters the expression knows no other case than `lower`; it tries each letter of the word.
    bits = NOUN if (lower.endswith(_NOUN_ENDINGS) if word.isascii() else _NOUN_ENDING.search(word)) else 0
    if lower in NOT_A_NAME:
        bits |= NOBODY
    if len(word) <= _MOST_INITIALS and _INITIALS.fullmatch(word):
        bits |= INITIALS | (CAPITAL_INITIALS if word[0].isupper() else 0)
    if word in _NOBLE:
        bits |= NOBLE
    if lower.rstrip(".") in _YOUNGER:
        bits |= YOUNGER
    if word.isupper() and token_kind(word) == WORD:
        bits |= ALL_CAPITALS
    return bits
