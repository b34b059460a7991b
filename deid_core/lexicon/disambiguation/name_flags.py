"""Flags of words where a name is looked for, and the kinds of evidence for a name.

A flag says what a word is by its form and by the lists that tell names from other words. Flags are plain integers:
arithmetic with members of an IntFlag is slow, and numba knows none.
"""

from __future__ import annotations

from enum import IntEnum, auto

MIN_LETTERS = 4
"""Shorter words are ambiguous."""
LONGEST_SUFFIX = 6
"""Letters of the longest street suffix that is a word by itself."""

AMBIGUOUS = 1 << 0
"""Also a common, medical or clinic word, an eponym, short, or not in mixed case."""
MEDICAL = 1 << 1
EPONYM = 1 << 2
STREET_SUFFIX = 1 << 3
"""Ends like a street."""
INTRODUCES = 1 << 4
"""Introduces a person's name: a title, a salutation, "geb."."""
INITIAL = 1 << 5
ANATOMICAL = 1 << 6
"""Initial that also abbreviates an anatomical term: "A." (arteria)."""
PARTICLE = 1 << 7
MORBUS = 1 << 8
MEDICAL_NOUN = 1 << 9
"""After a name it makes an eponym: "Beispiel Katheter"."""
POSTCODE = 1 << 10
RESIDENCE = 1 << 11
"""Introduces a place: "wohnhaft", "Raum"."""
PREPOSITION = 1 << 12
"""May stand before a place: "in", "aus"."""
SENTENCE_END = 1 << 13
COMMA = 1 << 14
STOP_WORD = 1 << 15
LISTED = 1 << 16
"""In one of the lists of words that are no names."""
PERSONAL_NOUN = 1 << 17
"""Denotes a person without naming one: "Mutter", "Oberarzt"."""
UPPER = 1 << 18
"""Begins with a capital."""


class Evidence(IntEnum):
    """What makes a match a name: the rows of the table in evidence.py."""

    NONE = 0
    TITLE = auto()
    PAIR = auto()
    INITIAL = auto()
    ADJACENT_NAME = auto()
    POSTCODE = auto()
    HOUSE_NUMBER = auto()
    STREET_LIST = auto()
    RESIDENCE = auto()
    PREPOSITION = auto()
    LIST = auto()
