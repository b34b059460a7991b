"""Rules of the group `date` for dates of birth with their trigger, whole dates and their ranges.

"geb. 1956", "* 1.12.1956"; "01.12.1956", "2010-03-12", "3. März"; "10.-12.3.2010", and the "3." of "3. bis 5. März".
Exceptions (units, scores, versions) are next to the rule that needs them.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
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
from deid_core.recognisers.pattern.rule import PatternRule

# Dates of birth: a trigger, then a date, a year or a month and year.
_BORN = r"(?i:geb|geboren\p{L}{0,2}|geburtsdatum|geburtstag|geb-?datum|gebdat|jahrgang|jg|birth)"
_SPACED = rf"{DAY}{B}{MONTH}{B}(?:{YEAR4}|\d\d(?!\d))"
_BIRTH = (
    rf"(?P<phi>{FULL_DATE}|{DAY_MONTH}|{MONTH}[./]{YEAR4}|{MONTH_NAME}{B}?{NAMED_YEAR}|{YEAR4}{NO_NUMBER}"
    rf"|{MONTH}/\d\d{NO_NUMBER}|[0-3]\d[01]\d(?:19|20)\d\d(?!\d)|{_SPACED})"
)
BIRTH_RULES = (
    PatternRule(
        "date.birth",
        PhiType.BIRTH_DATE,
        token_regex=rf"{_BORN}\.?",
        pattern=rf"{_BORN}(?:[.-]{{1,2}}{B}?(?i:dat(?:um)?|tag)\b)?\.?(?:{B}in{B}[\p{{L}}][\p{{L}} ./-]{{1,30}}?)?"
        rf"[\s.:,]{{0,5}}(?:(?i:am|im{B}Jahre?|den|date){B}?[:.]?\s{{0,2}})?\(?{_BIRTH}",
        certain=True,
    ),
    PatternRule(
        "date.birth_sign",
        PhiType.BIRTH_DATE,
        token_regex=r"[*∗✶]",
        pattern=rf"[*∗✶]{B}{{0,2}}(?P<phi>{FULL_DATE}|{_SPACED}|{YEAR4}{NO_NUMBER}{NO_UNIT})",
        score=0.9,
        certain=True,
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


RANGE_RULES = (
    PatternRule(
        "date.range",
        PhiType.DATE,
        token_regex=_DAYS,
        pattern=_RANGE,
        token_pair=(rf"{DAY}(?:\.{MONTH}(?:[-./]\d+)*)?", r"[-/+,]"),
        second_next=DIGITS_FIRST,
        certain=True,
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

FULL_RULES = (
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
        certain=True,
    ),
    PatternRule(
        "date.iso",
        PhiType.DATE,
        token_regex=r"(?:19|20)\d\d[-/.]\d.*",
        pattern=rf"{ISO_DATE}|(?:19\d\d|20[0-4]\d)-(?:0[1-9]|1[0-2])(?![\d-])",
        certain=True,
    ),
    PatternRule(
        "date.slashed",
        PhiType.DATE,
        token_regex=rf"{SLASHED_DATE}.*",
        # Not the months of "Kontrolle in 3/6/12 Mon.".
        pattern=r"(?<!(?i:apgar)[^\n\d]{0,12})(?![1-9]\d?/[1-9]\d?/\d\d"
        rf"{B}?(?i:mon(?:at(?:en?)?|\.)|wo(?:chen?|\.)|jahren?)(?!\p{{L}})){SLASHED_DATE}{NO_UNIT}",
        certain=True,
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
        certain=True,
    ),
)
