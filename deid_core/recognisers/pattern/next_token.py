"""What may stand behind a word so that rules of dates, ages and numbers are tried there: few expressions, shared.

Each is the second of a rule's `before`. A recogniser has room for 62 of them (pattern.py), and a rule that is tried
once too often fails at its first character; so each of these serves many rules.
"""

from __future__ import annotations

from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import MONTH_NAME
from deid_core.recognisers.pattern.ocr import HALVES, READ_AS_DIGIT, SCAN_LETTERS, SCANNED_MONTH

SHORT_NUMBER = (
    r"(?:[0-3]?\d\.)?\d{1,3}|,"
    r"|(?i:zum|vom|auf|am|den|dem|mit|ca\.?|etwa|über|heute|jetzt|inzwischen|damals|wird|fast|knapp)"
)
"""A short number, or what stands between a word and its number: "ab dem 12.", "Vater mit ca. 60", "Mi, 15."."""
DAY_NUMBER = r"\d{1,2}|(?i:den|dem|am|zum|vom|auf)"
"""A day, or what stands between a word and it: "bis zum 5."."""
AFTER_DAY_NUMBER = r"\.|\d{1,2}|den"
"""What follows DAY_NUMBER: the day's full stop, or the day: "vom 5. auf den 6."."""
AGE_NUMBER = r"\d{1,3}|(?i:ca\.?|etwa|über|knapp|fast)"
"""The number of years behind "mit", or what stands between."""
LINK = r"(?i:bis|und|u\.|sowie|oder|auf)|[-/+,)]"
"""What joins two numbers of a list or a span, or ends it."""
SCANNED_NUMBER = rf"{READ_AS_DIGIT}{{1,4}}(?:[.-]{READ_AS_DIGIT}{{1,4}}){{0,2}}\.?|[-/]"
"""A number in which a scan may have read letters."""
_HYPHENATED_MONTHS = alternatives("pattern/hyphenated-months")
MONTH_ABBREVIATED = rf"(?i:{_HYPHENATED_MONTHS})"
DATE_WORD = rf"""
    {MONTH_NAME}.*|{SCANNED_MONTH}|{MONTH_ABBREVIATED}(?:-.*)?|[-/]|[IVX]{{1,4}}\.?|[kc]tober
    |KW|Kalenderwoche|(?i:quartal|advents?.*|weihnachts.+|oster.+|pfingst.+|fasten.+)|(?:ig)?er(?:-.*)?
    |d\.|ds\.?|dieses|lfd\.?|l\.|d\.[MJ]\.|l\.M\.|d|{"|".join(sorted({half for word in HALVES for half in word}))}
"""
"""What makes a number before it a date or a part of one: months, feasts, calendar weeks, "d. M."."""
DATE_LETTERS = rf"(?=[\p{{L}}0])(?:{DATE_WORD})"
"""Those of letters, for rules that take no mark: "67/min" and "5 -" are common."""
AGE_UNIT = r"""
    (?:[Jj]|(?i:jahren?|j(?:ä|a)e?h?r.*|lebens\p{L}+|lj|monaten?|mts?|wochen?|tagen?|geb|geburtstags?
    |geburtstag\p{L}{0,2})|Mon?|a)
    \.?(?:-.*)?|war|-|;|\d{1,2}/\d{1,2}
"""
"""The unit of an age, or what stands between the number and it."""
LETTERED_NUMBER = r"\p{L}{0,5}-?\d.*|[:/-]|\p{Lu}{1,3}|Nr\.?"
"""A number that identifies, with letters before it, or what stands between a word and it."""
SHORT_DIGITS = r"\d{1,3}"
SOME_DIGITS = r"\d{3,4}"
DIGITS_FIRST = r"\d.*"
FULL_STOP = r"\."
SCANNED_FIRST = rf"[{SCAN_LETTERS}].*"
"""Digits that a letter begins, directly behind a token that ends within a scanned number."""
DIGIT_GROUP = r"\d{2,9}|\d{1,6}[-/.]\d{1,6}(?:[-/]\d{1,4})?\p{L}?"
"""A group of the digits of a number that identifies."""
