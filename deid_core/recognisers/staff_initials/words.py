"""Which words can be initials by their form, and short words that cannot."""

from __future__ import annotations

import re

from deid_core.core.word_lists import word_set
from deid_core.recognisers.staff_initials.flags import InitialsFlag

_CANDIDATE = InitialsFlag.CANDIDATE.value
_ABBREVIATED_CANDIDATE = (InitialsFlag.CANDIDATE | InitialsFlag.ABBREVIATION).value

INITIALS = re.compile(r"[^\W\d_]{2,4}\.?")
BETWEEN = word_set("staff_initials/before-initials")
"""What may be between a cue word and its initials."""
UNITS = word_set("staff_initials/units")
"""Units, sides and the like, frequent next to slashes and at line ends. Other single letters can be initials."""
_NEVER = word_set("staff_initials/never-initials")
_ABBREVIATIONS = word_set("staff_initials/abbreviations")


def candidate_flags(word: str) -> int:
    """Return CANDIDATE for two to four letters with or without a full stop, with ABBREVIATION for a usual one."""
    if not INITIALS.fullmatch(word):
        return 0
    lower = word.rstrip(".").lower()
    if lower in _NEVER:
        return 0
    return _ABBREVIATED_CANDIDATE if lower in _ABBREVIATIONS else _CANDIDATE
