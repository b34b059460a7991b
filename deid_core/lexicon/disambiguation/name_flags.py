"""Flags of words where a name is looked for, and the kinds of evidence for a name."""

from __future__ import annotations

from enum import IntEnum, IntFlag, auto

MIN_LETTERS = 4
"""Shorter words are ambiguous."""
LONGEST_SUFFIX = 6
"""Letters of the longest street suffix that is a word by itself."""


class NameFlag(IntFlag):
    """What a word is by its form and by the lists that tell names from other words."""

    AMBIGUOUS = auto()
    """Also a common, medical or clinic word, an eponym, short, or not in mixed case."""
    MEDICAL = auto()
    EPONYM = auto()
    STREET_SUFFIX = auto()
    """Ends like a street."""
    INTRODUCES = auto()
    """Introduces a person's name: a title, a salutation, "geb."."""
    INITIAL = auto()
    ANATOMICAL = auto()
    """Initial that also abbreviates an anatomical term: "A." (arteria)."""
    PARTICLE = auto()
    MORBUS = auto()
    MEDICAL_NOUN = auto()
    """After a name it makes an eponym: "Beispiel Katheter"."""
    POSTCODE = auto()
    RESIDENCE = auto()
    """Introduces a place: "wohnhaft", "Raum"."""
    PREPOSITION = auto()
    """May stand before a place: "in", "aus"."""
    SENTENCE_END = auto()
    COMMA = auto()
    STOP_WORD = auto()
    LISTED = auto()
    """In one of the lists of words that are no names."""
    PERSONAL_NOUN = auto()
    """Denotes a person without naming one: "Mutter", "Oberarzt"."""
    UPPER = auto()
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
