"""The closing formula of a letter: "Mit freundlichen Grüßen", "Hochachtungsvoll", "MfG"; below it stand signatures."""

from __future__ import annotations

import re

_GREETING = r"gr(?:u|ü|ue)(?:ß|ss)"
"""Gruß, Grüße, also typed without ü and ß."""
_KINDLY = r"kollegiale[mn]|freundl\w*\.?|besten?|herzlichen?|verbindlichen|vorzüglicher"
"""After "Mit" and up to two words at the beginning of a line, found in closing formulas only."""
_FORMULA = (
    rf"(?:mit\s+(?:\w+\.?\s+){{0,2}}(?:{_KINDLY})(?!\w)"
    r"|hochachtungsvoll|mfg\b|vlg\b|lg\b|liebe\s+gr(?:ü|ue)(?:ß|ss)e|herzlich(?:e|en|st)?\b"
    rf"|(?:freundliche|beste|viele|schöne)n?\s+{_GREETING}e?|{_GREETING}e?\b"
    rf"|danke\b.{{0,30}}\b{_GREETING}|danke\b.{{0,20}}\blg\b)"
)
FIRST_LETTERS = "bdfghlmsv"
"""First letters of all formulas, in lower case."""
CLOSING = re.compile(_FORMULA, re.IGNORECASE)
"""Matched at the first word of a line."""
CLOSING_LINE = re.compile(rf"^[ \t]*{_FORMULA}", re.IGNORECASE | re.MULTILINE)
"""Searched in a text."""
