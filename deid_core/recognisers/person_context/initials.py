"""Which words can be initials by their form, and short words that cannot."""

from __future__ import annotations

import re

from deid_core.core.word_lists import word_set

INITIALS = re.compile(r"[^\W\d_]{2,4}\.?")
BETWEEN = word_set("staff_initials/before-initials")
"""What may be between a cue word and its initials."""
UNITS = word_set("staff_initials/units")
"""Units, sides and the like, frequent next to slashes and at line ends. Other single letters can be initials."""
_NEVER = word_set("staff_initials/never-initials")


def may_be_initials(word: str) -> bool:
    """Return whether a word has two to four letters, with or without a full stop, and is no usual short word."""
    return INITIALS.fullmatch(word) is not None and word.rstrip(".").lower() not in _NEVER
