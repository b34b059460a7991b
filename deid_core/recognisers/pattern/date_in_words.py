"""Rules of the group `date` for words: months, seasons, quarters, weeks, decades, dictated ordinals.

A month that has no other meaning is a date by itself ("Februar"). One that is also a name (August, Mai) needs a word of
time before it or a year after it; a season needs one of these, too. Feasts are in date_feasts.py.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import MONTH_NAME, NAMED_YEAR, NO_PERSON, NO_UNIT, QUOTE, YEAR4, B
from deid_core.recognisers.pattern.next_token import DATE_LETTERS
from deid_core.recognisers.pattern.numerals import ORDINAL_STEM, TEEN, UNIT
from deid_core.recognisers.pattern.rule import PatternRule

_SURE_MONTH = rf"(?:(?i:{alternatives('pattern/unambiguous-months')})|JuIi|ApriI|märz|MÄRZ)(?!\p{{L}})"
_BEFORE_MONTH = rf"(?<=(?<!\p{{L}})(?i:{alternatives('pattern/words-before-months')}){B}?|\({B}?)"

_SEASON = (
    r"(?:(?i:fr(?:ü|ue)h(?:jahre?s?|lings?|sommers?|herbste?s?|winters?)|(?:sp(?:ä|ae)t|hoch|alt)?sommers?"
    r"|(?:sp(?:ä|ae)t)?herbst(?:e?s|e)?|winters?|(?:sommer|winter)semesters?|(?:sommer|winter)halbjahre?s?)(?!\p{L})"
    r"|(?i:frühj)\.?(?!\p{L})|(?:WS|SS)(?=[ ]?(?:19|20)\d\d))"
)
_BEFORE_SEASON = rf"(?<=(?<!\p{{L}})(?i:{alternatives('pattern/words-before-seasons')}){B})"
_NO_HABIT = rf"(?!{B}(?:wie|und|oder){B}im(?!\p{{L}}))(?<!(?:wie|oder|[Ii]mpfung)\s(?i:im){B}\p{{L}}{{6,11}})"
"""Not a season in general ("im Sommer wie im Winter")."""
_SHORT_YEAR = rf"(?:{QUOTE}\d\d(?!\d)|\d\d/\d\d(?!\d)|\d\d(?!\d|[.,:/-]\d|\p{{L}}){NO_UNIT})"
_SEASON_YEAR = rf"{B}(?:{YEAR4}(?:/\d{{2,4}})?|{_SHORT_YEAR})"

_ORDINAL = rf"(?i:{ORDINAL_STEM}e[nr]?|{TEEN}te[nr]?|(?:{UNIT}und)?(?:zwanzig|drei(?:ß|ss)ig)ste[nr]?)(?!\p{{L}})"

WORD_RULES = (
    PatternRule(
        "date.month_name_year",
        PhiType.DATE,
        token_regex=rf"{MONTH_NAME}(?:-{MONTH_NAME})?",
        pattern=rf"{MONTH_NAME}(?:{B}?[-/]{B}?{MONTH_NAME})?{B}?[/,]?{B}?{NAMED_YEAR}",
        certain=True,
    ),
    PatternRule(
        "date.month_name",  # "im August", "Mai bis Juni 2009"; "OCT" is an eye's examination
        PhiType.DATE,
        token_regex=MONTH_NAME,
        pattern=rf"(?!OCT){MONTH_NAME}(?:(?<={_BEFORE_MONTH}\p{{L}}{{2,9}}\.?)|(?={B}?(?:,|bis|und|u\.|oder){B}{MONTH_NAME}))",
        score=0.8,
    ),
    PatternRule(
        "date.month_alone",
        PhiType.DATE,
        token_regex=_SURE_MONTH,
        pattern=rf"{NO_PERSON}{_SURE_MONTH}(?!{B}?\()",
        score=0.6,
    ),
    PatternRule(
        "date.season",
        PhiType.DATE,
        token_regex=_SEASON,
        pattern=rf"{NO_PERSON}{_SEASON}(?:{B}?(?:/|auf){B}?{_SEASON})?{_SEASON_YEAR}|{_BEFORE_SEASON}{_SEASON}{_NO_HABIT}",
        score=0.9,
    ),
    PatternRule(
        "date.quarter",  # "Q3/2019", "Quartal IV/19", "II/2010"
        PhiType.DATE,
        token_regex=r"Q[1-4]",
        pattern=rf"(?:Q[1-4]{B}?/?{B}?|(?:I{{1,3}}|IV){B}?/{B}?){YEAR4}"
        rf"|(?:Q[1-4]|(?<=(?i:quartal|quart\.){B})(?:I{{1,3}}|IV))/\d\d(?!\d)",
        token_pair=(r"I{1,3}|IV", "/"),
    ),
    PatternRule(
        "date.week",  # "KW 41", "KW 12/2009"
        PhiType.DATE,
        token_regex=r"KW|Kalenderwoche",
        pattern=rf"(?:KW|Kalenderwoche){B}?\d{{1,2}}(?:{B}?/{B}?(?:{YEAR4}|\d\d(?!\d)))?(?!\d|[.,:/]\d)",
        score=0.9,
    ),
    PatternRule(
        "date.week_numbered",
        PhiType.DATE,
        pattern=rf"\d{{1,2}}\.{B}?(?:KW|Kalenderwoche)(?!\p{{L}})(?:{B}?{YEAR4})?",
        token_pair=(r"\d{1,2}", DATE_LETTERS),
        score=0.9,
    ),
    PatternRule(
        "date.spoken",  # dictated: "am achten Oktober", "vom ersten bis zum neunten oktober 2001", "elfter dritter"
        PhiType.DATE,
        pattern=rf"{_ORDINAL}(?:{B}{MONTH_NAME}(?:{B}{YEAR4})?|(?={B}(?:bis|und){B}(?:zum{B}|am{B})?{_ORDINAL}{B}{MONTH_NAME})"
        rf"|(?<=(?<!\p{{L}})(?:am|vom|zum|den){B}\p{{L}}{{5,20}}){B}{_ORDINAL}(?!{B}\p{{Lu}})"
        rf"|(?<=er){B}{_ORDINAL}(?<=er)(?={B}?(?:[.,;)\n]|\Z)))",
        token_pair=(_ORDINAL, rf"{MONTH_NAME}|bis|und|{_ORDINAL}"),
    ),
    PatternRule(
        "date.decade",
        PhiType.DATE,
        pattern=rf"(?:19|20)?\d0(?:iger|er)(?:(?:{B}|-)?(?i:jahren?)(?!\p{{L}})|(?!\p{{L}})"
        rf"(?<=(?:Anfang|Mitte|Ende){B}der{B}(?:19|20)?\d0(?:iger|er))(?!{B}\p{{Lu}}))",
        score=0.7,
        token_pair=(r"[2-9]0|19[2-9]0|20[0-4]0", DATE_LETTERS),
        whole=True,
    ),
)
