"""The closing formula of a letter: "Mit freundlichen Grüßen", "Hochachtungsvoll", "MfG"; below it stand signatures."""

from __future__ import annotations

import re

_FORMULA = (
    r"(?:mit\s+(?:\w+\.?\s+){0,2}(?:kollegiale[mn]|freundl\w*\.?|besten?|herzlichen?|verbindlichen|vorzüglicher)(?!\w)"
    r"|hochachtungsvoll|mfg\b|vlg\b|lg\b|liebe\s+gr(?:ü|ue)(?:ß|ss)e|herzlich(?:e|en|st)?\b"
    r"|(?:freundliche|beste|viele|schöne)n?\s+gr(?:u|ü|ue)(?:ß|ss)e?|gr(?:u|ü|ue)(?:ß|ss)e?\b"
    r"|danke\b.{0,30}\bgr(?:u|ü|ue)(?:ß|ss)|danke\b.{0,20}\blg\b)"
)
CLOSING = re.compile(_FORMULA, re.IGNORECASE)
"""To be matched at a line's first word."""
CLOSING_LINE = re.compile(rf"^[ \t]*{_FORMULA}", re.IGNORECASE | re.MULTILINE)
"""To be searched in a text."""
