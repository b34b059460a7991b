"""The closing formula of a letter: "Mit freundlichen Grüßen", "Hochachtungsvoll", "MfG"; below it stand signatures."""

from __future__ import annotations

import re

_GREETING = r"gr(?:u|ü|ue)(?:ß|ss)"
"""Gruß, Grüße, and how they are typed without ü and ß."""
_KINDLY = r"kollegiale[mn]|freundl\w*\.?|besten?|herzlichen?|verbindlichen|vorzüglicher"
"""What stands behind "Mit" at the beginning of a line, be it behind two other words, in a closing formula only."""
_FORMULA = (
    rf"(?:mit\s+(?:\w+\.?\s+){{0,2}}(?:{_KINDLY})(?!\w)"
    r"|hochachtungsvoll|mfg\b|vlg\b|lg\b|liebe\s+gr(?:ü|ue)(?:ß|ss)e|herzlich(?:e|en|st)?\b"
    rf"|(?:freundliche|beste|viele|schöne)n?\s+{_GREETING}e?|{_GREETING}e?\b"
    rf"|danke\b.{{0,30}}\b{_GREETING}|danke\b.{{0,20}}\blg\b)"
)
FIRST_LETTERS = "bdfghlmsv"
"""Of all formulas, in small letters."""
CLOSING = re.compile(_FORMULA, re.IGNORECASE)
"""To be matched at a line's first word."""
CLOSING_LINE = re.compile(rf"^[ \t]*{_FORMULA}", re.IGNORECASE | re.MULTILINE)
"""To be searched in a text."""
