"""Numbers in words, for ages and dates; use them in a group that ignores case ("(?i:…)")."""

from __future__ import annotations

from deid_core.core.word_lists import alternatives

UNIT = "(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)"
"""The unit as in "einundzwanzig"."""
TEEN = "(?:drei|vier|fünf|sech|sieb|acht|neun)zehn"
TENS = "(?:zwanzig|drei(?:ß|ss)ig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)"
ORDINAL_STEM = rf"(?:{alternatives('pattern/ordinal-stems')})"
"""An ordinal up to the twelfth, without its ending."""
