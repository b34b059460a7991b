"""Rules of the group `date` for words: months, seasons, feasts, quarters, weeks, decades, dictated ordinals.

A month's or a feast's name that is nothing else is a date by itself ("seit Ostern", "Februar"); one that is a person's
name too (August, Mai, Silvester) needs a word of time before or a year behind, a season one of both.
"""

from __future__ import annotations

from deid_core.labels import PhiType
from deid_core.recognise.patterns.fragments import (
    DAY_MONTH,
    FULL_DATE,
    MONTH_NAME,
    NAMED_YEAR,
    NO_UNIT,
    QUOTE,
    YEAR4,
    B,
)
from deid_core.recognise.patterns.rule import NOWHERE, PatternRule

_SURE_MONTH = r"(?i:Januar|Jänner|Jaenner|Februar|Feber|September|Oktober|November|Dezember|Juni|Juli)(?!\p{L})"
_BEFORE_MONTH = rf"""
    (?<=(?<!\p{{L}})(?i:im|seit|ab|bis|anfang|anf\.|mitte|ende|vom|zum|monat|letzten|vergangenen|diesen|kommenden
    |nächsten|diesem|vorigen){B})
"""
_NO_PERSON = rf"(?<!(?<!\p{{L}})(?i:Herrn?|Frau|Fr\.|Hr\.|Dr\.|Dr|Prof\.|Familie|Schwester|Sr\.|Pfleger){B})"

_SEASON = r"(?i:früh(?:jahr|ling|sommer)|(?:spät|hoch)?sommer|(?:spät)?herbst|winter)(?!\p{L})"
_BEFORE_SEASON = rf"""
    (?<=(?<!\p{{L}})(?i:im|seit|seit{B}dem|ab|bis|bis{B}zum|zum|diesem|diesen|vergangenen|letzten|vorigen|kommenden
    |nächsten|anfang|mitte|ende){B})
"""
_NO_HABIT = rf"(?!{B}(?:wie|und|oder){B}im(?!\p{{L}}))(?<!(?:wie|oder|[Ii]mpfung)\s(?i:im){B}\p{{L}}{{6,11}})"
"""What stands here is no habit: "im Sommer wie im Winter"."""
_SHORT_YEAR = rf"(?:{QUOTE}\d\d(?!\d)|\d\d/\d\d(?!\d)|\d\d(?!\d|[.,:/-]\d|\p{{L}}){NO_UNIT})"
_SEASON_YEAR = rf"{B}(?:{YEAR4}(?:/\d{{2,4}})?|{_SHORT_YEAR})"

_FEAST_DAYS = r"(?:sonntag|montag|samstag|dienstag|wochenende|ferien|nacht|abend|tag|fest|feiertage?|feiertagen|zeit)?"
_FEAST = rf"""
    (?i:weihnachten|weihnachts(?:fest|tag|feiertage?n?|ferien|zeit|abend)|heilig(?:er[ ])?abend|ostern
    |(?:oster|pfingst)(?:sonntag|montag|samstag|ferien|wochenende|feiertage?n?|tage?)|pfingsten|palmsonntag|karfreitag|gründonnerstag
    |himmelfahrt(?:stag)?|fronleichnam(?:stag)?|allerheiligen|allerseelen|nikolaustag|aschermittwoch|rosenmontag
    |faschingsdienstag|(?:weiber)?fastnacht{_FEAST_DAYS}|fasnacht|fasnet|karneval|muttertag|vatertag|martinstag
    |dreikönig(?:e|s|stag)?|lichtme(?:ss|ß)|bettag|halloween|volkstrauertag|totensonntag|reformationstag|erntedank(?:fest)?
    |neujahrs(?:tag|morgen|nacht|fest)|silvester(?:abend|nacht)|(?:sommer|herbst|winter|oster|weihnachts|pfingst|schul)ferien
    |ramadan|zuckerfest|opferfest|chanukka|jahreswechsel)(?!\p{{L}}|-\p{{L}})
"""
_PERSONAL_FEAST = r"(?i:silvester|nikolaus|fasching|neujahr|advent)(?!\p{L}|-\p{L})"
_BEFORE_FEAST = rf"""
    (?<=(?<!\p{{L}})(?i:an|zu|seit|vor|nach|über|bis|auf|zum|am|im|von|ab|um|gegen){B})
"""
_FEAST_DATE = rf"(?:,?{B}(?:(?:den|dem){B})?(?:{FULL_DATE}|{DAY_MONTH})|{B}{NAMED_YEAR})"

_ORDINAL = r"""
    (?i:ersten|zweiten|dritten|vierten|fünften|sechsten|siebten|siebenten|achten|neunten|zehnten|elften|zwölften
    |(?:drei|vier|fünf|sech|sieb|acht|neun)zehnten
    |(?:(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und)?(?:zwanzig|drei(?:ß|ss)ig)sten)(?!\p{L})
"""

WORD_RULES = (
    PatternRule(
        "date.month_name_year",
        PhiType.DATE,
        rf"{MONTH_NAME}(?:-{MONTH_NAME})?",
        rf"{MONTH_NAME}(?:{B}?[-/]{B}?{MONTH_NAME})?{B}?[/,]?{B}?{NAMED_YEAR}",
    ),
    PatternRule(
        "date.month_name",  # "im August", "Mai bis Juni 2009"; "OCT" is an eye's examination
        PhiType.DATE,
        MONTH_NAME,
        rf"(?!OCT){MONTH_NAME}(?:(?<={_BEFORE_MONTH}\p{{L}}{{2,9}}\.?)|(?={B}?(?:,|bis|und|u\.|oder){B}{MONTH_NAME}))",
        score=0.8,
    ),
    PatternRule("date.month_alone", PhiType.DATE, _SURE_MONTH, rf"{_NO_PERSON}{_SURE_MONTH}(?!{B}?\()", score=0.6),
    PatternRule(
        "date.season",
        PhiType.DATE,
        _SEASON,
        rf"{_NO_PERSON}{_SEASON}(?:{B}?(?:/|auf){B}?{_SEASON})?{_SEASON_YEAR}|{_BEFORE_SEASON}{_SEASON}{_NO_HABIT}",
        score=0.9,
    ),
    PatternRule(
        "date.feast",  # "seit Ostern", "Pfingstmontag, den 5.6.2017", "Weihnachten 05"
        PhiType.DATE,
        _FEAST,
        rf"{_NO_PERSON}{_FEAST}{_FEAST_DATE}?",
    ),
    PatternRule(
        "date.feast_personal",  # "an Silvester", "Fasching 2013"; alone they are names
        PhiType.DATE,
        _PERSONAL_FEAST,
        rf"{_NO_PERSON}{_PERSONAL_FEAST}{_FEAST_DATE}|{_BEFORE_FEAST}{_PERSONAL_FEAST}(?!{B}\p{{Lu}}\p{{Ll}})",
    ),
    PatternRule(
        "date.feast_of",  # "Mariä Himmelfahrt", "Buß- und Bettag", "Tag der Deutschen Einheit"
        PhiType.DATE,
        NOWHERE,
        rf"(?:(?i:christi|mariä|maria){B}(?i:himmelfahrt|lichtme(?:ss|ß)|empfängnis)|[Tt]ag{B}der{B}(?:[Dd]eutschen|dt\.){B}Einheit"
        rf"|(?i:bu(?:ß|ss))-{B}und{B}(?i:bettag)|[Hh]eilige[nr]?{B}(?:[Dd]rei{B}[Kk]önigen?|[Aa]bend)){_FEAST_DATE}?",
        before=(
            r"(?i:christi|mariä|maria|tag|bu(?:ß|ss)|heilige[nr]?)",
            r"(?i:himmelfahrt|lichtme.+|empfängnis|der|-|drei|abend)",
        ),
    ),
    PatternRule(
        "date.feast_numbered",  # "2. Advent", "am 1. Weihnachtsfeiertag"
        PhiType.DATE,
        NOWHERE,
        rf"[1-4]\.{B}?(?:(?i:advent(?:ssonntag)?|(?:weihnachts|oster|pfingst)(?:feier)?tag)(?!\p{{L}}){_FEAST_DATE}?"
        rf"|(?i:quartal){B}?(?:{YEAR4}|{_SHORT_YEAR})?)",
        before=("[1-4]", r"(?i:advent.*|weihnachts.+|oster.+|pfingst.+|quartal)"),
    ),
    PatternRule("date.quarter", PhiType.DATE, r"Q[1-4]|I{1,3}|IV", rf"(?:Q[1-4]{B}?/?{B}?|(?:I{{1,3}}|IV)/){YEAR4}"),
    PatternRule(
        "date.week",  # "KW 41", "KW 12/2009"
        PhiType.DATE,
        r"KW|Kalenderwoche",
        rf"(?:KW|Kalenderwoche){B}?\d{{1,2}}(?:{B}?/{B}?(?:{YEAR4}|\d\d(?!\d)))?(?!\d|[.,:/]\d)",
        score=0.9,
    ),
    PatternRule(
        "date.week_numbered",
        PhiType.DATE,
        NOWHERE,
        rf"\d{{1,2}}\.{B}?(?:KW|Kalenderwoche)(?!\p{{L}})(?:{B}?{YEAR4})?",
        before=(r"\d{1,2}", r"KW|Kalenderwoche"),
        score=0.9,
    ),
    PatternRule(
        "date.spoken",  # dictated: "am achten Oktober", "vom ersten bis zum neunten oktober 2001", "am zweiten zehnten"
        PhiType.DATE,
        NOWHERE,
        rf"{_ORDINAL}(?:{B}{MONTH_NAME}(?:{B}{YEAR4})?|(?={B}(?:bis|und){B}(?:zum{B}|am{B})?{_ORDINAL}{B}{MONTH_NAME})"
        rf"|(?<=(?<!\p{{L}})(?:am|vom|zum|den){B}\p{{L}}{{5,20}}){B}{_ORDINAL}(?!{B}\p{{Lu}}))",
        before=(_ORDINAL, rf"{MONTH_NAME}|bis|und|{_ORDINAL}"),
    ),
    PatternRule(
        "date.decade",
        PhiType.DATE,
        NOWHERE,
        rf"(?:19|20)?\d0(?:iger|er)(?:{B}|-)?(?i:jahren?)(?!\p{{L}})",
        score=0.7,
        before=(r"[2-9]0|19[2-9]0|20[0-4]0", r"(?:ig)?er(?:-.*)?"),
    ),
)
