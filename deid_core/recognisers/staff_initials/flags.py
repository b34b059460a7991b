"""What a word can be in the search for staff initials, and the positions where initials are found, as flags."""

from __future__ import annotations

from enum import IntFlag, auto


class InitialsFlag(IntFlag):
    """What a word can be in the search for staff initials. One number per word type has the flags of all rules."""

    CANDIDATE = auto()
    """Two to four letters that are no usual short word."""
    ABBREVIATION = auto()
    """A candidate that is a usual abbreviation: initials only where the note repeats it as such."""

    WRITER_CUE = auto()
    """Before the initials of who wrote or corrected."""
    READER_CUE = auto()
    """Before the initials of who read or saw."""
    USER_CUE = auto()
    """Before a user name."""
    LOG_CUE = auto()
    """Released, printed or recorded; a user name can follow."""

    CHAIN_PART = auto()
    """Can be one part of a chain."""
    WHOLE_CHAIN = auto()
    """Is a chain in one token: "pa-sb"."""
    REFERENCE_LABEL = auto()
    """Label of a letter's reference: "Unser Zeichen"."""
    BEFORE_CHAIN = auto()
    """Can be before a chain: a joint, a date or a year."""
    AFTER_CHAIN = auto()
    """Can be after a chain."""
    CHAIN_JOINT = auto()
    """Joins the parts of a chain."""

    PAIR_LEFT = auto()
    """Can be before the slash of a pair."""
    PAIR_RIGHT = auto()
    """Can be after the slash of a pair."""
    SLASH = auto()
    """The slash of a pair."""
    JOINS_SIGNERS = auto()
    """Joins the initials of those who sign together."""

    OPENS_BRACKET = auto()
    CLOSES_BRACKET = auto()
    COMMA = auto()
    COLON = auto()
    FULL_STOP = auto()
    ENDS_SENTENCE = auto()
    """A mark that can end a sentence."""

    DIGIT = auto()
    """Begins with a digit."""
    LETTER = auto()
    """Begins with a letter."""
    DOTTED = auto()
    """An abbreviation with inner full stop that can end a sentence: "o.k.", "i.v."; not "St."."""
    DATE_PART = auto()
    """Can be part of a date or time."""

    COLUMN_HEADING = auto()
    """Heading of a table column that holds initials."""


class Position(IntFlag):
    """Where initials are in an entry; positions.py has examples."""

    ENTRY_END = 1
    """Ends a line after the end of a sentence, a gap or a cell boundary."""
    BRACKET = 2
    """Alone in brackets at the end of a line or sentence."""
    ENTRY_START = 4
    """After the date or time of an entry, at the end of the line or before a colon."""
    INNER_BRACKET = 8
    """In brackets elsewhere."""
    LINE_END = 16
    """Ends a line otherwise."""

    STRONG = ENTRY_END | BRACKET | ENTRY_START
    """Positions that are evidence for initials."""
