"""Find the salutation, which ends a letter's header (seed 000, Figure 2)."""

from __future__ import annotations

import re

SALUTATION = re.compile(
    r"[sSſlLgG](?<=\b.)(?i:(?<=s)ehr\s+(?:geehrte|verehrte)|(?<=l)iebe[rs]?\s+(?:kolleg|herr|frau)|(?<=g)uten\s+tag)"
)
"""A search for the first letters comes first, since it is several times faster than one for the edge of a word."""
STEMS = ("ehr", "ebe", "uten")
"""Every salutation contains one of these; they are searched first, since it is faster."""


def has_salutation(text: str) -> bool:
    """Return whether the text has a salutation."""
    lower = text.lower()
    return any(stem in lower for stem in STEMS) and SALUTATION.search(text) is not None
