"""Find the salutation, which ends a letter's header (seed 000, Figure 2)."""

from __future__ import annotations

import re

SALUTATION = re.compile(
    r"\b(?:sehr\s+(?:geehrte|verehrte)|liebe[rs]?\s+(?:kolleg|herr|frau)|guten\s+tag)", re.IGNORECASE
)
STEMS = ("ehr", "ebe", "uten")
"""Every salutation contains one of these; they are searched first, since it is faster."""


def has_salutation(text: str) -> bool:
    """Return whether the text has a salutation."""
    lower = text.lower()
    return any(stem in lower for stem in STEMS) and SALUTATION.search(text) is not None
