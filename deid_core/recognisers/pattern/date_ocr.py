"""Rules of the group `date` for OCR errors, l, I, O, o, S instead of digits: "l4.ll.2OOl", "2o.8.", "l998".

A match needs at least one such letter and one digit, and must read as a valid date. These rules come before those for
clean dates, which would take only the "3.9." of "3.9.2O16".
"""

from __future__ import annotations

import regex

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.date_weekday import WEEKDAY
from deid_core.recognisers.pattern.fragments import NO_VALUE, B
from deid_core.recognisers.pattern.next_token import SCANNED_FIRST
from deid_core.recognisers.pattern.ocr import AS_DIGITS, READ_AS_DIGIT, SCAN_LETTERS
from deid_core.recognisers.pattern.rule import PatternRule, phi_text

_SCANNED_NUMBER = rf"{READ_AS_DIGIT}{{1,4}}(?:[.-]{READ_AS_DIGIT}{{1,4}}){{0,2}}\.?|[-/]"
"""A number in which OCR may have read letters."""
_END = r"(?![\p{L}\d])"
_NUMERIC = (
    rf"{READ_AS_DIGIT}{{1,2}}\.{B}?{READ_AS_DIGIT}{{1,2}}\.(?:{B}?{READ_AS_DIGIT}{{4}}"
    rf"|{READ_AS_DIGIT}{{2}})?{_END}(?!\.?\d)"
    rf"|{READ_AS_DIGIT}{{1,2}}-{READ_AS_DIGIT}{{2}}-{READ_AS_DIGIT}{{4}}{_END}"
)
_SCANNED = rf"(?!I{{1,3}}\.){NO_VALUE}(?:{_NUMERIC})"
_BEGINS = rf"(?={READ_AS_DIGIT}{{1,2}}[.-])"
"""The beginning of _NUMERIC, tested before the expensive parts."""
_WEEKDAY = rf"(?:(?<=(?P<head>(?<!\p{{L}})(?:{WEEKDAY}|D[l1]|FRElTAG|M0|S0|D0)\.?,?{B}(?:den{B}|dern{B})?)))?"


def _reads_as_date(match: regex.Match[str]) -> bool:
    """Return whether a match with a letter in place of a digit reads as a date, a month and year, or a year."""
    text = phi_text(match)
    if not any(letter in text for letter in SCAN_LETTERS) or not any(letter.isdecimal() for letter in text):
        return False
    parts = [int(part) for part in regex.split(r"[ ./-]+", text.translate(AS_DIGITS).strip(" ./"))]
    if len(parts) == 1:
        return _is_year(parts[0])
    if "/" in text:
        return 1 <= parts[0] <= 12
    return 1 <= parts[0] <= 31 and 1 <= parts[1] <= 12 and (len(parts) < 3 or parts[2] < 100 or _is_year(parts[2]))


def _is_year(number: int) -> bool:
    return 1850 <= number <= 2049


DATE_OCR_RULES = (
    PatternRule(
        "date.scanned_birth",  # "geb. am 3o. 9. 191o"
        PhiType.BIRTH_DATE,
        token_regex=r"(?i:geb|geboren|geburtsdatum|geb-datum|gebdat)\.?|\*",
        pattern=rf"(?:\p{{L}}[\p{{L}}-]{{2,15}}\.?|\*)[\s:,]{{0,5}}(?:am{B})?(?=[\d. -]{{0,12}}[{SCAN_LETTERS}])"
        rf"(?P<phi>{_NUMERIC})",
        check=_reads_as_date,
        score=0.9,
        certain=True,
    ),
    PatternRule(
        "date.scanned",  # a letter in the first number
        PhiType.DATE,
        token_regex=rf"\d{{1,2}}\.\d{{1,2}}[{SCAN_LETTERS}]|\d{{1,2}}-[{SCAN_LETTERS}].*",
        pattern=rf"(?=[\d. -]{{0,10}}[{SCAN_LETTERS}]){_BEGINS}{_WEEKDAY}{_SCANNED}",
        check=_reads_as_date,
        score=0.8,
        token_pair=(rf"{READ_AS_DIGIT}{{1,2}}\.?(?<=[{SCAN_LETTERS}]\d?\.?)", _SCANNED_NUMBER),
    ),
    PatternRule(
        "date.scanned_after",  # a letter in a later number
        PhiType.DATE,
        pattern=rf"(?=[\d. -]{{0,10}}[{SCAN_LETTERS}]){_BEGINS}{_WEEKDAY}{_SCANNED}",
        check=_reads_as_date,
        score=0.8,
        token_pair=(r"\d{1,2}(?:[.-]\d{1,2}){0,2}", _SCANNED_NUMBER),
        next_token=rf"[.-]|{SCANNED_FIRST}",
    ),
    PatternRule(
        "date.scanned_month",
        PhiType.DATE,
        pattern=rf"(?=[\d/]{{0,6}}[{SCAN_LETTERS}]){READ_AS_DIGIT}{{1,2}}/(?:{READ_AS_DIGIT}{{4}}|[\d0O]{READ_AS_DIGIT}){_END}",
        check=_reads_as_date,
        score=0.6,
        token_pair=(r"O[1-9]|[lI]{2}|[lI][0O12]|\d{1,2}/\d{1,2}", _SCANNED_NUMBER),
    ),
    PatternRule(
        "date.scanned_year",
        PhiType.DATE,
        token_regex=r"[lI]9[\dlIO]{2}|(?=\d+[lIO])2[O0][\dlIO]{2}|19\d[oO]|[l1I]9[oO]\d",
        pattern=rf"(?:[lI1]9{READ_AS_DIGIT}{{2}}|2[O0]{READ_AS_DIGIT}{{2}}){_END}",
        check=_reads_as_date,
        score=0.7,
        token_pair=("2|19|20", _SCANNED_NUMBER),
        next_token=SCANNED_FIRST,
    ),
)
