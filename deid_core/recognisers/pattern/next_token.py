"""Expressions for the second token of PatternRule.token_pair, shared by rules of dates, ages and numbers.

A recogniser has room for MAX_CONDITIONS different conditions (rule.py), so each of these serves many rules. They may
allow more than a rule needs: the rule's pattern then fails at its first character.
"""

from __future__ import annotations

from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import MONTH_NAME
from deid_core.recognisers.pattern.ocr import READ_AS_DIGIT, SCAN_LETTERS

SHORT_NUMBER = (
    r"(?:[0-3]?\d\.)?\d{1,3}|,"
    r"|(?i:zum|vom|auf|am|den|dem|mit|ca\.?|etwa|über|heute|jetzt|inzwischen|damals|wird|fast|knapp)"
)
"""A short number, or a word between the cue and its number: "ab dem 12.", "Vater mit ca. 60", "Mi, 15."."""
DAY_NUMBER = r"\d{1,2}|(?i:den|dem|am|zum|vom|auf)"
"""A day, or a word between the cue and the day: "bis zum 5."."""
AFTER_DAY_NUMBER = r"\.|\d{1,2}|den"
"""The token after DAY_NUMBER: the full stop of the day, or the day: "vom 5. auf den 6."."""
AGE_NUMBER = r"\d{1,3}|(?i:ca\.?|etwa|über|knapp|fast)"
"""The number of years after "mit", or a word between."""
LINK = r"(?i:bis|und|u\.|sowie|oder|auf)|[-/+,)]"
"""A word or sign that joins two numbers of a list or range, or ends it."""
SCANNED_NUMBER = rf"{READ_AS_DIGIT}{{1,4}}(?:[.-]{READ_AS_DIGIT}{{1,4}}){{0,2}}\.?|[-/]"
"""A number in which OCR may have read letters."""
MONTH_ABBREVIATED = rf"(?i:{alternatives('pattern/hyphenated-months')})"
DATE_WORD = rf"""
    {MONTH_NAME}.*|{MONTH_ABBREVIATED}(?:-.*)?|[-/]|[IVX]{{1,4}}\.?|[kc]tober
    |KW|Kalenderwoche|(?i:quartal|advents?.*|weihnachts.+|oster.+|pfingst.+|fasten.+)|(?:ig)?er(?:-.*)?
    |d\.|ds\.?|dieses|lfd\.?|l\.|d\.[MJ]\.|l\.M\.|d
"""
"""A token that makes the number before it part of a date: months, feasts, calendar weeks, "d. M."."""
DATE_LETTERS = rf"(?=[\p{{L}}0])(?:{DATE_WORD})"
"""DATE_WORD without "-" and "/", since "67/min" and "5 -" are common."""
AGE_UNIT = r"""
    (?:[Jj]g?|(?i:jahren?|j(?:ä|a)e?h?r.*|lebens\p{L}+|lj|monaten?|mts?|wochen?|tagen?|geb|geburtstags?
    |geburtstag\p{L}{0,2})|Mon?|a)
    \.?(?:-.*)?|war|-|;|\d{1,2}/\d{1,2}
"""
"""The unit of an age, or a token between the number and the unit."""
LETTERED_NUMBER = r"\p{L}{0,5}-?\d.*|[:/-]|\p{Lu}{1,3}|Nr\.?"
"""An identifying number, possibly with letters before it, or a token between the cue and the number."""
SHORT_DIGITS = r"\d{1,3}"
DIGITS_FIRST = r"\d.*"
FULL_STOP = r"\."
SCANNED_FIRST = rf"[{SCAN_LETTERS}].*"
"""The rest of a misread number that begins with a letter, after a token that ends within the number."""
DIGIT_GROUP = r"\d{2,9}|\d{1,6}[-/.]\d{1,6}(?:[-/]\d{1,4})?\p{L}?"
"""A group of digits of an identifying number."""
