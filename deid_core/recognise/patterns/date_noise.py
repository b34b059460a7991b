"""Rules of the group `date` for scanned letters, where l, I and O stand for 1 and 0: "l4.ll.2OOl", "O5/96", "l998".

A rule here needs at least one such letter, and that what it reads as is a date.
"""

from __future__ import annotations

import regex

from deid_core.labels import PhiType
from deid_core.recognise.patterns.fragments import NO_VALUE, B
from deid_core.recognise.patterns.rule import NOWHERE, PatternRule, found

_DIGIT = r"[\dlIO]"
_AS_DIGITS = str.maketrans("lIO", "110")
_END = r"(?![\p{L}\d])"

_SCANNED = (
    rf"(?!I{{1,3}}\.){NO_VALUE}{_DIGIT}{{1,2}}\.{B}?{_DIGIT}{{1,2}}\."
    rf"(?:{B}?{_DIGIT}{{4}}|{_DIGIT}{{2}})?{_END}(?!\.?\d)"
)


def _reads_as_date(match: regex.Match[str]) -> bool:
    """Day, month and year, day and month, month and year, or a year, with a letter in place of a digit."""
    text = found(match)
    if not any(letter in text for letter in "lIO"):
        return False
    parts = [int(part) for part in regex.split(r"[ ./]+", text.translate(_AS_DIGITS).strip(" ./"))]
    if len(parts) == 1:
        return _is_year(parts[0])
    if "/" in text:
        return 1 <= parts[0] <= 12
    return 1 <= parts[0] <= 31 and 1 <= parts[1] <= 12 and (len(parts) < 3 or parts[2] < 100 or _is_year(parts[2]))


def _is_year(number: int) -> bool:
    return 1900 <= number <= 2049


NOISE_RULES = (
    PatternRule(
        "date.scanned",  # a letter in the first number
        PhiType.DATE,
        r"\d{1,2}\.\d{1,2}[lIO]",
        _SCANNED,
        check=_reads_as_date,
        score=0.8,
        before=(rf"{_DIGIT}{{1,2}}(?<=[lIO]\d?)", rf"{_DIGIT}{{1,2}}|\d{{1,2}}\.\d.*"),
    ),
    PatternRule(
        "date.scanned_behind",  # a letter in a number behind
        PhiType.DATE,
        NOWHERE,
        _SCANNED,
        check=_reads_as_date,
        score=0.8,
        before=(r"\d{1,2}(?:\.\d{1,2})?", rf"(?=\d{{0,3}}[lIO]){_DIGIT}{{1,4}}"),
    ),
    PatternRule(
        "date.scanned_month",
        PhiType.DATE,
        NOWHERE,
        rf"{_DIGIT}{{1,2}}/(?:{_DIGIT}{{4}}|[\d0O]{_DIGIT}){_END}",
        check=_reads_as_date,
        score=0.6,
        before=(r"O[1-9]|[lI]{2}|[lI][0O12]", "/"),
    ),
    PatternRule(
        "date.scanned_year",
        PhiType.DATE,
        r"[lI]9[\dlIO]{2}|2[O0][\dlIO]{2}",
        rf"(?:[lI1]9{_DIGIT}{{2}}|2[O0]{_DIGIT}{{2}}){_END}",
        check=_reads_as_date,
        score=0.7,
        before=("2|19|20", r"O[\dlIO]{2}|[lIO]{1,2}|[lO]\d"),
    ),
)
