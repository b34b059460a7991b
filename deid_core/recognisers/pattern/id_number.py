"""The announced number that rules of the group `id` share: its expressions and checks.

A number may have letters before, within and after it, and blanks. OCR reads its 0 and 1 as O, l and I ("44O 28l B").
"""

from __future__ import annotations

import regex

from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import MONTH_NAME, SLASHED_DATE, B
from deid_core.recognisers.pattern.ocr import DIGIT
from deid_core.recognisers.pattern.rule import phi_text

REGISTER = rf"(?:[BCFHJKLMOPSTUWX]|{alternatives('pattern/court-registers')})"
DIVISION = r"(?:\d{1,4}|[IVX]{1,4}|[ivx]{2,4})"
FILE_YEAR = rf"(?:(?:19|20)\d\d|{DIGIT}\d)(?!\d)"
FILE_END = rf"(?:{B}?[a-z](?![\p{{L}}.])|-\d{{1,2}}(?!\d))?(?:{B}(?:eA|EA|PKH|BtG|Hw|[A-Z](?![\p{{L}}.])))?"
COURT_FILE = rf"""
    (?:(?:[SLBW]{B})?{DIVISION}{B}{REGISTER}{B}
    (?:(?:[A-Za-z]|\d{{1,4}}{B}(?:\(\d{{1,3}}\){B})?{REGISTER}){B})?{DIGIT}{{1,6}}/{FILE_YEAR}{FILE_END})
"""
"""A court's file: division, register, number and year; the registers' letters are listed, since a pulse and a blood
pressure look the same ("88 RR 140/80")."""
_FIRST = r"(?:\d|(?=[OIl]{1,4}\d)[OIl])"
BETWEEN = r"(?:[ \t.:#=]|(?<=:[ \t]{0,2})\n){0,12}(?:(?:lautet|ist|wird|alt|neu|intern|extern|Praxis|Klinik):?[ \t])?"
"""Between the word and its number."""
_NO_PREFIX_WORDS = alternatives("pattern/words-that-are-no-prefix")
_NO_WORD = rf"""
    (?!{MONTH_NAME}|IBAN|[A-Z]{{2}}\d{{2}}{B}\d{{4}}{B}|\d{{1,2}}\.{B}?\d{{1,2}}\.(?!\d\d-\d{{3}})
    |(?:{_NO_PREFIX_WORDS}|(?i:tel|fax|uhr))(?!\p{{L}})|(?i:nr|sn|imo|rr|seit|bk)(?![\p{{L}}\d-]))
"""
_PREFIX = r"(?:\p{Lu}{1,6}(?!\p{Ll})[ ]?[-/.]?|\p{Lu}\p{Ll}{1,3}(?!\p{L})[-/ ]?|\p{Ll}{1,4}(?!\p{L})[-/ ]?)"
_DATE = rf"\d\d?\.{B}?(?:\d|{MONTH_NAME})"
_GOES_ON = rf"""
    (?:{B}?(?:[-/.]|//){B}?(?=[\p{{L}}\d]{{0,9}}\d)[\p{{L}}\d]{{1,20}}+
    |[-/]\p{{L}}{{1,4}}(?!\p{{L}})
    |{B}(?i:XVII|XVI|X?I?[XV]?I{{1,3}}){B}(?=\d)\d{{1,5}}
    |{B}[A-Za-z]{B}?(?=[OIl]{{0,2}}\d){DIGIT}{{2,4}}(?![\p{{L}}\d,.]\d|[\p{{L}}\d])
    |{B}[A-Z](?![\p{{L}}\d]|\.{B}?[\p{{L}}\d])
    |(?<=\d){B}[a-z](?=[,;)])
    |(?<=\d\d|-\p{{Lu}}{{1,3}}){B}[\dl](?=[ ]{{0,2}}(?:[,;)\n\t]|\.[\s]|\Z)|[ ]{{2}}|{B}bzw)
    |{B}\d{{3}}\.\d{{1,2}}(?=[ ]?[\t\n,;)]|\Z)
    |{B}(?!\d{{5}}{B}\p{{Lu}}|{_DATE})(?=[OIl]{{0,3}}\d){_NO_WORD}{DIGIT}{{2,12}}(?!\p{{L}}
    |[.,:]?\d))
"""
"""A further part of a number: after a separator, a letter, a register, or digits after a blank."""
DIGIT_NEAR = r"(?=[\p{L} ./-]{0,30}+\d)"
"""The first digit of a value comes after at most 24 characters ("S XVII FamRZ a lOlOlO/O5"). Most text that is no value
fails at this look-ahead, before the alternations."""
VALUE = (
    rf"{DIGIT_NEAR}(?P<phi>{COURT_FILE}"
    rf"|{_NO_WORD}(?:{_PREFIX}[ ]?){{0,2}}{_FIRST}[\p{{L}}\d]{{0,29}}+{_GOES_ON}{{0,6}})(?![.,]?\d)"
)
"""A number with its letters, separators and blanks; it includes neither a date nor a postcode with its town."""

_RUN = regex.compile(r"[OIl]*\d[\dOIl]*")
_DISEASE = regex.compile(r"[1-4]\d0[1-9](?:/[1-4]\d0[1-9])?|43\d\d")
"""Numbers of occupational diseases: "Nr. 4103", "4103/4104"."""
_MONTH_OR_YEAR = regex.compile(r"(?:\d{1,2}[./-])?(?:19|20)\d\d|(?:19|20)\d\d[/-]\d{1,2}|\d{1,2}[./-]\d{1,2}")
_AFTER_WORD = regex.compile(r"\p{L}{3,}\.?\s(.*)")
_SLASHED = regex.compile(SLASHED_DATE)


def digit_count(number: str) -> int:
    """Return the number of digits, including letters that OCR read for them."""
    return sum(map(len, _RUN.findall(number)))


def is_month_or_year(number: str) -> bool:
    """Return whether a number may be a month and year, a range of years or a day and month."""
    return _MONTH_OR_YEAR.fullmatch(number) is not None


def has_three_digits(match: regex.Match[str]) -> bool:
    """Return whether a number has at least three digits."""
    return digit_count(phi_text(match)) >= 3


def has_four_digits(match: regex.Match[str]) -> bool:
    """Return whether a number has at least four digits and is no occupational disease."""
    number = phi_text(match)
    return digit_count(number) >= 4 and _DISEASE.fullmatch(number) is None


def has_seven_digits(match: regex.Match[str]) -> bool:
    """Return whether a number has at least seven digits."""
    return digit_count(phi_text(match)) >= 7


def is_record_number(match: regex.Match[str]) -> bool:
    """Return whether a number has five digits, or four and a letter or separator, and is no month and year.

    After a word neither is a date: "Protokoll GMALL 07/2003", "Befund Echo 06/08/2004".
    """
    number = phi_text(match)
    after_word = _AFTER_WORD.match(number)
    if after_word and (is_month_or_year(after_word[1]) or _SLASHED.fullmatch(after_word[1])):
        return False
    enough = 4 if any(not character.isdecimal() for character in number) else 5
    return digit_count(number) >= enough and not is_month_or_year(number)


def is_case_number(match: regex.Match[str]) -> bool:
    """Return whether a number has six digits, or five with a separator or after ":" or a tab; no month and year."""
    number = phi_text(match)
    parted = any(mark in number for mark in "-/") or any(mark in match.group()[: -len(number)] for mark in ":\t")
    return digit_count(number) >= (5 if parted else 6) and not is_month_or_year(number)
