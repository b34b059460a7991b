"""Expressions for the second token of PatternRule.token_pair, shared by rules of dates, ages and numbers.

A recogniser has room for 62 different conditions (recogniser.py), so each of these serves many rules. They may
allow more than a rule needs: the rule's pattern then fails at its first character.
"""

from __future__ import annotations

from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import MONTH_NAME
from deid_core.recognisers.pattern.ocr import SCAN_LETTERS

SHORT_NUMBER = (
    r"(?:[0-3]?\d\.)?\d{1,3}|,"
    r"|(?i:zum|vom|auf|am|den|dem|mit|ca\.?|etwa|über|heute|jetzt|inzwischen|damals|wird|fast|knapp)"
)
"""A short number, or a word between the cue and its number: "ab dem 12.", "Vater mit ca. 60", "Mi, 15."."""
MONTH_ABBREVIATED = rf"(?i:{alternatives('pattern/hyphenated-months')})"
DATE_LETTERS = rf"""
    (?=[\p{{L}}0])(?:{MONTH_NAME}.*|{MONTH_ABBREVIATED}(?:-.*)?|[IVX]{{1,4}}\.?|KW|Kalenderwoche
    |(?i:advents?.*|weihnachts.+|oster.+|pfingst.+|fasten.+)|(?:ig)?er(?:-.*)?
    |d\.|ds\.?|dieses|lfd\.?|l\.|d\.[MJ]\.|l\.M\.|d)
"""
"""A token that makes the number before it part of a date: months, feasts, calendar weeks, "d. M."."""
SHORT_DIGITS = r"\d{1,3}"
DIGITS_FIRST = r"\d.*"
FULL_STOP = r"\."
SCANNED_FIRST = rf"[{SCAN_LETTERS}].*"
"""The rest of a misread number that begins with a letter, after a token that ends within the number."""
