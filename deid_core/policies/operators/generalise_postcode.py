"""Operator `generalise` for postcodes: the first digits, the others as x.

45 CFR 164.514(b)(2)(i)(B) allows the first three digits of an area with more than 20,000 people. The first two digits
of German postcodes name some 95 regions, which are taken to be above that floor; three digits may not be. No table of
inhabitants is shipped, so neither is checked.
"""

from __future__ import annotations

import re

from deid_core.policies.note_context import NoteContext
from deid_core.policies.settings import GeneralisePostcodeSettings

_POSTCODE = re.compile(r"(?:[A-Z]{1,3}[-–\s]\s?)?(\d{4,5})", re.IGNORECASE)
_GERMAN = 5


class GeneralisePostcode:
    """Keeps the first digits of a postcode."""

    def __init__(self, settings: GeneralisePostcodeSettings) -> None:
        self._digits = settings.digits

    def replacement(self, index: int, note: NoteContext) -> str | None:
        """Return "69xxx"; None if the span is no postcode of four or five digits."""
        found = _POSTCODE.fullmatch(note.original(index).strip())
        if found is None:
            return None
        digits = found[1]
        kept = self._digits if len(digits) == _GERMAN else self._digits - 1
        return digits[:kept] + "x" * (len(digits) - kept)
