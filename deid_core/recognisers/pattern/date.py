"""Group `date`: all kinds of dates (seed 000, Table 8), from 01.12.1956 to "Sommer 2009" and "(2009)".

Rules are in order of precedence: dates of birth with their trigger, then the most certain forms first. This module has
whole dates, their ranges and dates of birth. Exceptions (units, scores, vertebrae, doses, versions) are next to the
rule that needs them. Times of day are not dates. A weekday belongs to the date after it; a weekday without a date is
kept.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.date_by_style import STYLE_RULES
from deid_core.recognisers.pattern.date_day import DAY_RULES
from deid_core.recognisers.pattern.date_feasts import FEAST_RULES
from deid_core.recognisers.pattern.date_in_words import WORD_RULES
from deid_core.recognisers.pattern.date_month import MONTH_RULES
from deid_core.recognisers.pattern.date_ocr import DATE_OCR_RULES
from deid_core.recognisers.pattern.date_roman_and_spoken import ROMAN_AND_SPOKEN_RULES
from deid_core.recognisers.pattern.date_weekday import WEEKDAY_RULES
from deid_core.recognisers.pattern.date_years import YEAR_RULES
from deid_core.recognisers.pattern.fragments import (
    DAY,
    DAY_MONTH,
    DAY_MONTH_YEAR,
    FULL_DATE,
    ISO_DATE,
    MONTH,
    MONTH_NAME,
    NAMED_DATE,
    NAMED_YEAR,
    NO_NUMBER,
    NO_UNIT,
    NO_VERSION,
    QUOTE,
    SLASHED_DATE,
    YEAR4,
    B,
)
from deid_core.recognisers.pattern.next_token import DIGITS_FIRST, FULL_STOP
from deid_core.recognisers.pattern.other_languages import DATE_RULES as FOREIGN_RULES
from deid_core.recognisers.pattern.rule import PatternRule

# Dates of birth: a trigger, then a date, a year or a month and year.
_BORN = r"(?i:geb|geboren\p{L}{0,2}|geburtsdatum|geburtstag|geb-?datum|gebdat|jahrgang|jg|birth)"
_SPACED = rf"{DAY}{B}{MONTH}{B}(?:{YEAR4}|\d\d(?!\d))"
_BIRTH = (
    rf"(?P<phi>{FULL_DATE}|{DAY_MONTH}|{MONTH}[./]{YEAR4}|{MONTH_NAME}{B}?{NAMED_YEAR}|{YEAR4}{NO_NUMBER}"
    rf"|{MONTH}/\d\d{NO_NUMBER}|[0-3]\d[01]\d(?:19|20)\d\d(?!\d)|{_SPACED})"
)
_BIRTH_RULES = (
    PatternRule(
        "date.birth",
        PhiType.BIRTH_DATE,
        token_regex=rf"{_BORN}\.?",
        pattern=rf"{_BORN}(?:[.-]{{1,2}}{B}?(?i:dat(?:um)?|tag)\b)?\.?(?:{B}in{B}[\p{{L}}][\p{{L}} ./-]{{1,30}}?)?"
        rf"[\s.:,]{{0,5}}(?:(?i:am|im{B}Jahre?|den|date){B}?[:.]?\s{{0,2}})?\(?{_BIRTH}",
    ),
    PatternRule(
        "date.birth_sign",
        PhiType.BIRTH_DATE,
        token_regex=r"[*∗✶]",
        pattern=rf"[*∗✶]{B}{{0,2}}(?P<phi>{FULL_DATE}|{_SPACED}|{YEAR4}{NO_NUMBER}{NO_UNIT})",
        score=0.9,
    ),
)

# A range joined by a dash and dates joined by a slash without blanks are one detection. Whole dates around a slash with
# blanks and around a word ("bis", "und") are one each.
_RANGE = (
    rf"(?=[\d.]{{1,11}}+{B}?[-/+,]{B}?\d)(?:"
    rf"(?:{DAY}\.{B}?[-/,]{B}?){{1,6}}(?:{DAY_MONTH_YEAR}|{DAY_MONTH}|{NAMED_DATE})"
    rf"|{DAY}[-/]{DAY_MONTH_YEAR}"
    rf"|(?:{DAY}\.{MONTH}(?:\.{YEAR4}|\.\d\d(?!\d)|\.)?(?:{B}?-{B}?|/)){{1,6}}{DAY_MONTH_YEAR}"
    rf"|(?:{DAY}\.{MONTH}\.(?:{B}?-{B}?|/)){{1,6}}{DAY_MONTH}"
    rf"|{MONTH}{B}?[-/+]{B}?{MONTH}[/.]{YEAR4})"
)
_LINK = r"(?i:bis|und|u\.|sowie|oder|auf)|[-/+,)]"
"""A word or sign that joins two numbers of a list or range, or ends it."""
_DAYS = rf"{DAY}[-/]{DAY}(?:[-./]\d+)+|(?=[^-/]+[-/]){DAY}\.{MONTH}(?:[-./]\d+)*"


_RANGE_RULES = (
    PatternRule(
        "date.range",
        PhiType.DATE,
        token_regex=_DAYS,
        pattern=_RANGE,
        token_pair=(rf"{DAY}(?:\.{MONTH}(?:[-./]\d+)*)?", r"[-/+,]"),
        second_next=DIGITS_FIRST,
    ),
    PatternRule(
        "date.first_day",  # the "3." of "vom 3. bis 5. März"
        PhiType.DATE,
        pattern=rf"{DAY}\.(?=(?:,{B}?{DAY}\.){{0,4}}{B}?(?:(?i:bis|und|u\.|sowie|oder|auf)|[/,+])[ \n]"
        rf"(?:(?:\p{{Ll}}{{4,12}}{B})?(?:zum|den|dem|auf{B}den|am){B}|(?:erneut|nochmals|wieder|dann){B}"
        rf"(?:am{B})?)?"
        rf"(?:{DAY}\.(?:,{B}?{DAY}\.{B}und{B}{DAY}\.)?{B}?(?:{MONTH_NAME}|{MONTH}\.)))",
        token_pair=(r"\d{1,2}", _LINK),
        next_token=FULL_STOP,
    ),
)

_FULL_RULES = (
    PatternRule(
        "date.numeric",
        PhiType.DATE,
        token_regex=r"\d{1,2}[.,]\d{1,2}[.,]\d+",
        pattern=rf"(?=\d{{1,2}}{B}?[.,]{B}?\d{{1,2}}{B}?[.,])"
        rf"(?:(?=\d{{1,2}}{B}?[.,]{B}?\d{{1,2}}{B}?[.,]{B}?(?:{YEAR4}|{QUOTE}))"
        rf"|{NO_VERSION}(?!(?:\d{{1,2}}\.){{3}}\d))"
        rf"{DAY_MONTH_YEAR}(?!-\d\d-\d\d(?!\d))",  # "8,9, 2014-05-20"
        token_pair=(r"\d{1,2}(?:[.,]\d{1,2})?", r"\d.*|[,'`´’‘]"),
        next_token=r"[.,]",
    ),
    PatternRule(
        "date.iso",
        PhiType.DATE,
        token_regex=r"(?:19|20)\d\d[-/.]\d.*",
        pattern=rf"{ISO_DATE}|(?:19\d\d|20[0-4]\d)-(?:0[1-9]|1[0-2])(?![\d-])",
    ),
    PatternRule(
        "date.slashed",
        PhiType.DATE,
        token_regex=rf"{SLASHED_DATE}.*",
        pattern=rf"(?<!(?i:apgar)[^\n\d]{{0,12}}){SLASHED_DATE}{NO_UNIT}",
    ),
    PatternRule(
        "date.compact",
        PhiType.DATE,
        token_regex=r"(?:19|20)\d{6}",
        pattern=rf"(?<!PZN:?{B}?)(?:19\d\d|20[0-4]\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?![\d])",
        score=0.6,
    ),
    PatternRule(
        "date.named",
        PhiType.DATE,
        pattern=rf"(?:{DAY}\.?{B}?[-/]{B}?)?{NAMED_DATE}",
        token_pair=(r"\d{1,2}(?:[-/]\d{1,2})?", rf"{MONTH_NAME}.*|[-/]"),
    ),
)

RULES = (
    *_BIRTH_RULES,
    *DATE_OCR_RULES,
    *ROMAN_AND_SPOKEN_RULES,
    *_RANGE_RULES,
    *WEEKDAY_RULES,
    *_FULL_RULES,
    *FOREIGN_RULES,
    *FEAST_RULES,
    *WORD_RULES,
    *MONTH_RULES,
    *DAY_RULES,
    *STYLE_RULES,
    *YEAR_RULES,
)
