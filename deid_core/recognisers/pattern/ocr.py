"""OCR errors: letters for digits."""

from __future__ import annotations

DIGIT = r"[\dlIO]"
"""A digit, or a letter that OCR often reads for one, in numbers of all kinds."""
SCAN_LETTERS = "lIOoiS|"
READ_AS_DIGIT = rf"[\d{SCAN_LETTERS}]"
"""DIGIT and letters that OCR reads more rarely for a digit, for dates, whose form is unambiguous."""
AS_DIGITS = str.maketrans(SCAN_LETTERS, "1100151")
