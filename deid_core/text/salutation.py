"""The word that ends a letter's header. Tables before it hold addressee, clinic and patient (seed 000, Figure 2)."""

from __future__ import annotations

import re

SALUTATION = re.compile(
    r"\b(?:sehr\s+(?:geehrte|verehrte)|liebe[rs]?\s+(?:kolleg|herr|frau)|guten\s+tag)", re.IGNORECASE
)
STEMS = ("ehr", "ebe", "uten")
"""One is in every salutation; looking for them first is faster, and a text without a salutation is searched whole."""


def has_salutation(text: str) -> bool:
    """Whether one stands anywhere in the text."""
    lowered = text.lower()
    return any(stem in lowered for stem in STEMS) and SALUTATION.search(text) is not None
