"""Group `date`: all kinds of date representations (seed 000, Table 8), from 01.12.1956 to "Sommer 2009" and "(2009)".

Rules in order of precedence: dates of birth by their trigger, then the surest form first. Here stand those for whole
dates, their ranges and dates of birth. What speaks against a date (units, scores, vertebrae, doses, versions) stands
beside the rule that needs it. Times of day are no dates. Weekdays belong to the date behind them; alone they are kept.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.date_by_style import HABIT_RULES
from deid_core.recognisers.pattern.date_day import DAY_RULES
from deid_core.recognisers.pattern.date_feasts import FEAST_RULES
from deid_core.recognisers.pattern.date_month import MONTH_RULES
from deid_core.recognisers.pattern.date_ocr import NOISE_RULES
from deid_core.recognisers.pattern.date_roman_and_spoken import RARE_RULES
from deid_core.recognisers.pattern.date_weekday import WEEKDAY_RULES
from deid_core.recognisers.pattern.date_words import WORD_RULES
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
from deid_core.recognisers.pattern.next_token import DIGITS_FIRST, FULL_STOP, LINK
from deid_core.recognisers.pattern.rule import NOWHERE, PatternRule

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
        rf"{_BORN}\.?",
        rf"{_BORN}(?:[.-]{{1,2}}{B}?(?i:dat(?:um)?|tag)\b)?\.?(?:{B}in{B}[\p{{L}}][\p{{L}} ./-]{{1,30}}?)?"
        rf"[\s.:,]{{0,5}}(?:(?i:am|im{B}Jahre?|den|date){B}?[:.]?\s{{0,2}})?\(?{_BIRTH}",
    ),
    PatternRule(
        "date.birth_sign",
        PhiType.BIRTH_DATE,
        r"[*∗✶]",
        rf"[*∗✶]{B}{{0,2}}(?P<phi>{FULL_DATE}|{_SPACED}|{YEAR4}{NO_NUMBER}{NO_UNIT})",
        score=0.9,
    ),
)

# Ranges and lists without words between are one detection; with words ("bis", "und") each date is its own.
_RANGE_RULES = (
    PatternRule(
        "date.range",
        PhiType.DATE,
        rf"{DAY}[-/]{DAY}(?:[-./]\d+)+|(?=[^-/]+[-/]){DAY}\.{MONTH}(?:[-./]\d+)*",
        rf"(?=[\d.]{{1,11}}+{B}?[-/+,]{B}?\d)(?:"
        rf"(?:{DAY}\.{B}?[-/,]{B}?){{1,6}}(?:{DAY_MONTH_YEAR}|{DAY_MONTH}|{NAMED_DATE})"
        rf"|{DAY}[-/]{DAY_MONTH_YEAR}"
        rf"|(?:{DAY}\.{MONTH}(?:\.{YEAR4}|\.\d\d(?!\d)|\.)?(?:{B}?-{B}?|/)){{1,6}}{DAY_MONTH_YEAR}"
        rf"|(?:{DAY}\.{MONTH}\.{B}?[-/]{B}?){{1,6}}{DAY_MONTH}"
        rf"|{MONTH}{B}?[-/+]{B}?{MONTH}[/.]{YEAR4})",
        before=(rf"{DAY}(?:\.{MONTH}(?:[-./]\d+)*)?", r"[-/+,]"),
        then=DIGITS_FIRST,
    ),
    PatternRule(
        "date.first_day",  # the "3." of "vom 3. bis 5. März"
        PhiType.DATE,
        NOWHERE,
        rf"{DAY}\.(?=(?:,{B}?{DAY}\.){{0,4}}{B}?(?:(?i:bis|und|u\.|sowie|oder|auf)|[/,+])[ \n]"
        rf"(?:(?:\p{{Ll}}{{4,12}}{B})?(?:zum|den|dem|auf{B}den|am){B}|(?:erneut|nochmals|wieder|dann){B}"
        rf"(?:am{B})?)?"
        rf"(?:{DAY}\.(?:,{B}?{DAY}\.{B}und{B}{DAY}\.)?{B}?(?:{MONTH_NAME}|{MONTH}\.)))",
        before=(r"\d{1,2}", LINK),
        direct=FULL_STOP,
    ),
)

_FULL_RULES = (
    PatternRule(
        "date.numeric",
        PhiType.DATE,
        r"\d{1,2}[.,]\d{1,2}[.,]\d+",
        rf"(?=\d{{1,2}}{B}?[.,]{B}?\d{{1,2}}{B}?[.,])"
        rf"(?:(?=\d{{1,2}}{B}?[.,]{B}?\d{{1,2}}{B}?[.,]{B}?(?:{YEAR4}|{QUOTE}))"
        rf"|{NO_VERSION}(?!(?:\d{{1,2}}\.){{3}}\d))"
        rf"{DAY_MONTH_YEAR}",
        before=(r"\d{1,2}(?:[.,]\d{1,2})?", r"\d.*|[,'`´’‘]"),
        direct=r"[.,]",
    ),
    PatternRule(
        "date.iso",
        PhiType.DATE,
        r"(?:19|20)\d\d[-/.]\d.*",
        rf"{ISO_DATE}|(?:19\d\d|20[0-4]\d)-(?:0[1-9]|1[0-2])(?![\d-])",
    ),
    PatternRule(
        "date.slashed", PhiType.DATE, rf"{SLASHED_DATE}.*", rf"(?<!(?i:apgar)[^\n\d]{{0,12}}){SLASHED_DATE}{NO_UNIT}"
    ),
    PatternRule(
        "date.compact",
        PhiType.DATE,
        r"(?:19|20)\d{6}",
        rf"(?<!PZN:?{B}?)(?:19\d\d|20[0-4]\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?![\d])",
        score=0.6,
    ),
    PatternRule(
        "date.named",
        PhiType.DATE,
        NOWHERE,
        rf"(?:{DAY}\.?{B}?[-/]{B}?)?{NAMED_DATE}",
        before=(r"\d{1,2}(?:[-/]\d{1,2})?", rf"{MONTH_NAME}.*|[-/]"),
    ),
)

RULES = (
    *_BIRTH_RULES,
    *NOISE_RULES,
    *RARE_RULES,
    *_RANGE_RULES,
    *WEEKDAY_RULES,
    *_FULL_RULES,
    *FEAST_RULES,
    *WORD_RULES,
    *MONTH_RULES,
    *DAY_RULES,
    *HABIT_RULES,
    *YEAR_RULES,
)
