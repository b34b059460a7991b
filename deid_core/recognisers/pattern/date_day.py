"""Rules of the group `date` for a day and month ("12.3.") and for a day without its month ("am 16.").

A day and month of single digits needs more context than the end of a sentence ("INR 2.3."). A day without month needs a
word of time before it or another day beside it, and no counted noun after it ("am 3. Tag", "bis zur 5. Woche").
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import (
    DAY,
    DAY_MONTH,
    FULL_DATE,
    MONTH,
    MONTH_NAME,
    NO_NUMBER,
    NO_UNIT,
    NO_VALUE,
    NO_VERSION,
    ORDERED,
    YEAR4,
    B,
)
from deid_core.recognisers.pattern.next_token import DATE_LETTERS, FULL_STOP, SHORT_NUMBER
from deid_core.recognisers.pattern.rule import PatternRule

_DAY_NUMBER = r"\d{1,2}|(?i:den|dem|am|zum|vom|auf)"
"""A day, or a word between the cue and the day: "bis zum 5."."""
_AFTER_DAY_NUMBER = r"\.|\d{1,2}|den"
"""The token after _DAY_NUMBER: the full stop of the day, or the day: "vom 5. auf den 6."."""
_NOT_AFTER_OPEN = (
    r"(?i:jahr|j\.|mon?\b|monat|woche|wo\.|tag|st(?:unde|d)|min|fach|mal|er\b|a\b|t\b|tesla|ch\b|charr|tubus|promille)"
    rf"|auf{B}\d"
)
"""What tells that a number before it is a value: "seit 2.5 Jahren", "am 1.5 Tesla MRT", "vom 1.5 auf 2.3"."""
_AFTER_SHORT = rf"(?={B}?(?:[-/,:;)]|bis|und|u\.)|{B}\p{{Ll}}|{B}?\(|\t\d{{1,2}}\.)"
_WORDS_BEFORE_DAYS = alternatives("pattern/words-before-days")
_DAY_HINT = rf"""
    (?<=(?<!\p{{L}})(?i:{_WORDS_BEFORE_DAYS})[,:]?{B}
    |\d\.{B}(?i:und|u\.|oder|auf|zum|bis){B}|\d\.,{B}|\d\.\t)
"""
_AT_LINE = rf"""
    (?<=(?:\A|\n)[-•*]?{B}{{0,2}})(?:
    (?={DAY}\.{MONTH}\.(?:{B}?\n|{B}?\Z|[\t ]{{1,3}}(?:\p{{Ll}}|\d{{1,2}}[:.]\d\d|[(])|{B}{B}))
    |(?=(?:[4-9]\.\d|\d\.[5-9])\.\t)
    |(?<=(?:\A|\n)(?:[0-3]\d\.\d{{1,2}}|\d\.(?:0[1-9]|1[0-2]))\.[^\n]{{0,300}}\n))
"""
"""An entry of a list by days: "5.8.⏎Anruf", "1.9.⇥CT", below one with a sure date; "1.1.⇥Diagnose" is a section."""
_COUNTED = rf"""
    (?:\d|{ORDERED}(?!\p{{L}})
    |\p{{Ll}}{{3,20}}(?:en|n|ten){B}(?:\p{{Ll}}{{3,20}}en{B})?{ORDERED}(?!\p{{L}})
    |(?:\p{{Ll}}{{1,8}}\.{B}?-?){{1,2}}(?:Tag|Woche|Monat))
"""
"""A number, or what an ordinal counts: "Tag", "postoperativen Tag", "p.-o. Tag"."""
_COUNTED_NEXT = rf"""
    {B}?(?i:bzw\.?|u\.|und|oder|bis|[-–/]){B}?(?:zu[mr]{B})?\d{{1,2}}\.{B}?(?:\p{{Ll}}{{3,20}}en{B}){{0,2}}{ORDERED}
    (?!\p{{L}})
"""
"""A second ordinal that counts: "bzw. 4. Tag", "bis zum 6. postoperativen Tag"."""
_DAY_ALONE = rf"""
    {DAY}\.(?!{B}?d\.{B}?[MJ]\.|{B}\p{{Lu}}\p{{Ll}}{{1,7}}-{B}?\n|{B}?(?:[lIO]{{1,2}}|[IVX]{{1,4}})\.
        |{B}?{_COUNTED}|{_COUNTED_NEXT}|{B}?{MONTH_NAME})
    (?={B}?(?:[,;)\n]|\Z)|{B}(?:\p{{Ll}}|\p{{Lu}}(?<=[6-9]\.{B}\p{{Lu}}|\d\d\.{B}\p{{Lu}})))
"""
_MONTHED_RULES = (
    PatternRule(
        "date.day",  # "am 16. gezogen", "am 10. und 11."; not "am 3. Tag", "am 2. postoperativen Tag"
        PhiType.DATE,
        pattern=rf"(?:(?:[Aa]m|AM|Nacht{B}(?:zum|vom|auf{B}den)){B}"
        rf"(?P<phi>{_DAY_ALONE})|(?:und|u\.|,){B}(?:am{B})?(?P<phi>{_DAY_ALONE})(?<=(?<!\p{{L}})[Aa]m{B}\d{{1,2}}\.(?:,{B}\d{{1,2}}\.)?"
        rf"(?:,|{B}und|{B}u\.){B}(?:am{B})?\d{{1,2}}\.))",
        score=0.6,
        token_pair=(r"[Aa]m|AM|Nacht|und|u\.|,", _DAY_NUMBER),
        second_next=_AFTER_DAY_NUMBER,
    ),
    PatternRule(
        "date.day_month",  # "12.3."; single digits need more context than the end of a sentence: "INR 2.3."
        PhiType.DATE,
        token_regex=rf"{DAY}\.{MONTH}",
        pattern=rf"(?=\d{{1,2}}\.{B}?\d{{1,2}}\.(?!\d))(?:{_DAY_HINT}|{_AT_LINE}"
        rf"|(?<=[Vv]on{B})(?=[\d. ]{{4,8}}bis{B}\d)"
        rf"|(?<!\+){NO_VERSION}{NO_VALUE}(?<![(\[]?(?:auf|um|von"
        rf"|auf{B}ca\.){B})(?=0\d\.|[1-3]\d\.|\d\.{B}?(?:0|1[0-2])|\d\.\d\.(?:{_AFTER_SHORT}|{B}\d{{1,2}}[:.]\d\d)))"
        rf"{DAY_MONTH}{NO_UNIT}",
        score=0.8,
        token_pair=(DAY, SHORT_NUMBER),
        next_token=FULL_STOP,
    ),
    PatternRule(
        "date.day_month_open",  # "am 12.3 Aufnahme", "vom 12.3 bis 15.3 stationär": the second full stop is missing
        PhiType.DATE,
        token_regex=rf"{DAY}\.{MONTH}",
        pattern=rf"{DAY}\.{MONTH}(?<=(?<!\p{{L}})(?i:am|vom|zum|dem|den|seit|vom{B}{DAY}\.{MONTH}{B}bis){B}[\d.]{{3,5}})"
        rf"{NO_NUMBER}{NO_UNIT}(?!{B}?-?(?:{_NOT_AFTER_OPEN}))",
        score=0.9,
    ),
    PatternRule(
        "date.glued",  # the blank before the date is missing: "am12.3.2009", "seit2009"
        PhiType.DATE,
        token_regex=r"(?i:am|vom|bis|seit|den|dem|ab|zum|im|und|geb)\d{1,4}",
        pattern=rf"\p{{L}}{{2,4}}(?P<phi>{FULL_DATE}|{DAY_MONTH}|{MONTH}[./]{YEAR4}|{MONTH}/\d\d{NO_NUMBER}"
        rf"|{YEAR4}{NO_NUMBER}{NO_UNIT})",
        score=0.9,
    ),
)

_ENDS = rf"(?={B}?[,;)\n]|\Z|{B}\p{{Ll}}|{B}\d{{1,2}}[:.]\d\d(?!\d))"
_NO_MEASURE = (
    rf"(?<!(?<!\p{{L}})(?i:band|kapitel|punkt|grad|stufe|wert|spiegel|hf|puls|rr|af){B}[\p{{L}} ]{{2,9}}\d\d\.)"
)
_OPEN_DAY_RULES = (
    PatternRule(
        "date.day_open",  # "DK bis 14.", "ab 22. ein Bett", "für den 18. oder 19.", "seit 29. krank"; two digits
        PhiType.DATE,
        pattern=rf"(?:(?i:bis|ab|seit|den|vom|zum)|(?<=(?i:nacht){B})auf){B}(?:zum{B}|den{B})?"
        rf"(?P<phi>(?=\d\d|0){_DAY_ALONE}){_ENDS}{_NO_MEASURE}",
        score=0.5,
        token_pair=(r"(?i:bis|ab|seit|den|vom|zum|auf)", _DAY_NUMBER),
        second_next=_AFTER_DAY_NUMBER,
    ),
    PatternRule(
        "date.day_this_month",  # "am 27. d.M.", "12. ds. Mts."
        PhiType.DATE,
        pattern=rf"{DAY}\.{B}?(?:d\.{B}?(?:[MJ]|Mts|Mon)\.|ds?\.{B}?(?:Mts|Mon|M)\.?|dieses{B}Monats"
        rf"|(?:lfd|l)\.{B}?M(?:ts)?\.)",
        score=0.9,
        token_pair=(r"\d{1,2}", DATE_LETTERS),
    ),
)

DAY_RULES = (*_MONTHED_RULES, *_OPEN_DAY_RULES)
