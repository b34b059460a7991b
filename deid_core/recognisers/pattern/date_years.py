"""Rules of the group `date` for years: "2009", "'09", "seit 97", and two digits after an event ("Leistenbruch 56")."""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives, word_set
from deid_core.recognisers.pattern.alternation import lookbehind_alternation
from deid_core.recognisers.pattern.fragments import NO_UNIT, NO_VALUE, NO_VERSION, QUOTE, YEAR4, B
from deid_core.recognisers.pattern.next_token import SHORT_DIGITS, SHORT_NUMBER
from deid_core.recognisers.pattern.rule import PatternRule

_EVENT_ENDINGS = alternatives("pattern/dated-event-endings")
_EVENT_ABBREVIATIONS = alternatives("pattern/dated-event-abbreviations")
_EVENT = rf"""
    (?:(?i:\p{{L}}{{0,30}}(?:{_EVENT_ENDINGS})|übergeben|geheiratet|verstorben|geschieden)
    |{_EVENT_ABBREVIATIONS})\.?
"""
_EDITIONS = lookbehind_alternation(word_set("pattern/words-before-editions"))
_SIDE = r"(?i:re|li|bds|rechts|links|beids|beidseits)\.?"


YEAR_RULES = (
    PatternRule(
        "date.year",
        PhiType.DATE,
        token_regex=r"(?:19\d\d|20[0-4]\d)(?:[-/]\d{2,4})*",
        pattern=rf"""
        {NO_VALUE}{NO_VERSION}
        (?<!\d(?:[.,:]|{B}?[-/]{B}?))(?:(?<!\d\t)|(?<=(?:19|20)\d\d\t))
        (?<!(?<!\p{{L}})(?:Nr\.?|Nummer|Zimmer|Raum|Serie|insgesamt|je|à|Tel\.?|{_EDITIONS})[:]?{B})
        {YEAR4}(?:(?:[-/]\d\d(?!\d)|{B}?[-/]{B}?{YEAR4})){{0,3}}
        (?!\d|[.,:]\d|\+\d{{1,2}}[ACGT]|/\p{{L}}|{B}?[x×*]{B}?\d|er(?!\p{{L}})[-\ ](?!Jahr)){NO_UNIT}
        """,
        score=0.7,
    ),
    PatternRule(
        "date.year_quoted",
        PhiType.DATE,
        token_regex=QUOTE,
        pattern=rf"(?<=[\s(/]){QUOTE}\d\d(?!\d|[.,:/]\d|\p{{L}}){NO_UNIT}",
        score=0.7,
    ),
    PatternRule(
        "date.year_short",  # "seit 97", "seit 08"
        PhiType.DATE,
        pattern=rf"(?i:seit){B}(?P<phi>[4-9]\d|0\d)(?![\d\p{{L}}]|[.,:/-]\d|{B}?[%x])(?={B}?[),;\n]|\.(?!\d)|{B}\p{{Ll}})"
        rf"{NO_UNIT}(?!{B}(?i:jahr|j\.|tage|woche|monat|min|std|stund))",
        score=0.6,
        token_pair=(r"(?i:seit)", SHORT_NUMBER),
    ),
    PatternRule(
        "date.year_after",  # "Leistenbruch re 56, li 62", "Z. n. Pneumonie 98." in a note with short years
        PhiType.DATE,
        pattern=rf"(?=[\p{{L}}.]{{2,60}}+{B}[04-9]\d)(?:{_EVENT}|(?<={_EVENT}[^\n.;]{{0,20}}{B}){_SIDE}){B}(?P<phi>[4-9]\d"
        rf"|0\d)(?![\d\p{{L}}]|[.,:/-]\d|{B}?[%x])"
        rf"(?={B}?[,;)\n]|\.(?!\d)|\Z|{B}->){NO_UNIT}",
        score=0.5,
        style=lambda style: style.short_years,
        token_pair=(rf"{_EVENT}|{_SIDE}", SHORT_DIGITS),
    ),
)
