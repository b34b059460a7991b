"""Numbers in words, as ages and dates have them; put into a group without case ("(?i:…)")."""

from __future__ import annotations

UNIT = "(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)"
"""As it stands in "einundzwanzig"."""
TEEN = "(?:drei|vier|fünf|sech|sieb|acht|neun)zehn"
TENS = "(?:zwanzig|drei(?:ß|ss)ig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)"
