"""Rules of the group `age` for bare numbers after a relative, a date of birth or a life event.

Family histories write ages so: "Sohn Emil (14), Tochter Ida, 9", "Bruder Karl 57", "Vater mit 52 am Infarkt", "mit 19
Heirat". Numbers of children, grades, units and room numbers are no ages. The words are searched within a sentence.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import NO_UNIT, B
from deid_core.recognisers.pattern.next_token import SHORT_DIGITS, SHORT_NUMBER
from deid_core.recognisers.pattern.rule import PatternRule

AGE = r"(?:1(?:0\d|1[0-5])|[1-9]?\d)(?!\d)"
"""Up to 115 years."""

_RELATIVES = alternatives("pattern/relatives")
_RELATIVE = rf"""
    (?i:(?:stief|halb|schwieger|ur|gro(?:ß|ss)|pflege|zwillings|ex-?){{0,3}}
        (?:{_RELATIVES})(?:e?s|e?n)?)
"""
_NEAR = rf"""
    (?<!\p{{L}})(?:{_RELATIVE}|[Vv]erheiratet|[Vv]erh\.)(?<=[\p{{L}}.])(?!\p{{L}})[^\n.;]{{0,70}}(?:\.[^\n.;]{{0,12}})?
"""
"""A relative earlier in the sentence; the full stop of one abbreviation may be between. Read backwards, the look-behind
saves trying the words where none ends."""
_AGE_NUMBER = r"\d{1,3}|(?i:ca\.?|etwa|über|knapp|fast)"
"""The number of years after "mit", or a word between."""
_AGE_BRACKETED = r"\d{1,3}|(?i:heute|jetzt|inzwischen|mittlerweile|damals|wird|etwa|ca\.?)"
_AFTER_BRACKETED_AGE = r"[),.]|\d.*|(?i:und|u\.?|ca\.?)"
"""The token after "(" and an age or a word of time."""
_SEVERAL_RELATIVES = alternatives("pattern/several-relatives")
_MANY = rf"(?i:(?:zwei|drei|vier|fünf|\d)?(?:enkel|ur-?enkel|stief|halb|pflege)?(?:{_SEVERAL_RELATIVES}))"
"""Children, siblings and others of whom there are several; the number after them may be their number."""
_LIFE = rf"(?:{alternatives('pattern/life-events')}|\p{{L}}{{0,20}}(?:[Kk]rebs|[Tt]od|[Ii]nfarkt))"
_EVENT = rf"(?:{alternatives('pattern/life-events-after-ages')})"
_WORDS_AFTER_AGES = alternatives("pattern/words-after-ages")
_GOES_ON = rf"""
    (?={B}?(?:[,;)\n]|\.(?!\d)|\Z)|{B}(?:{_WORDS_AFTER_AGES}|(?!kind|stent|zig|punkt|tabl|pack|jahr|monat|tag|woche
    |stund|proz
    |ha(?!\p{{L}}))\p{{Ll}}{{2,30}})(?!\p{{L}}))
"""
_NO_NAME = rf"(?!(?i:{alternatives('pattern/words-before-numbers')}|zi|und|oder|wohnt)(?!\p{{L}}))"
"""Not one of the words that often precede a number and are no given names."""

CONTEXT_RULES = (
    PatternRule(
        "age.bracketed",  # Pat. (67); Herr Muster (67); Söhne Emil (14, Schüler) und Karl (heute 9); *3.4.1950 (67)
        PhiType.AGE,
        pattern=rf"\((?:(?:heute|jetzt|inzwischen|damals|wird|etwa|ca\.){B})?(?P<phi>{AGE}(?:{B}\d/\d)?)"
        rf"(?=\)|{B}?,{B}|{B}(?:und|u\.){B}\d{{1,2}}\))"
        rf"(?<=(?:(?<!\p{{L}})(?:(?:Pat\.|Patient(?:in)?|Mann|Frau"
        rf"|(?:Herrn?|Frau|Fr\.|Hr\.){B}\p{{Lu}}[\p{{L}}-]{{1,30}}){B}?|{_NEAR})"
        rf"|\d\d?\.\d\d?\.(?:19|20)\d\d[ \t]{{0,2}}(?:[mwd][ \t]{{1,2}})?)\([\p{{L}}. ]{{0,12}}\d{{1,3}})"
        rf"(?:(?<!(?<!\p{{L}}){_MANY}{B}?\(\d{{1,2}})|(?={B}(?:und|u\.)|,))",
        score=0.7,
        token_pair=(r"\(", _AGE_BRACKETED),
        second_next=_AFTER_BRACKETED_AGE,
    ),
    PatternRule(
        "age.comma",  # "Tochter Ida, 9, und Sohn Karl, 14."
        PhiType.AGE,
        pattern=rf",{B}?(?P<phi>{AGE})(?={B}?[,;)\n]|(?<=\d\d)\.(?!\d)|{B}(?:und|u\.){B}\p{{L}}|\Z)"
        rf"(?<=(?:{_NEAR}|(?<!\p{{L}})(?i:frau|herrn?|fr\.|hr\.)[ ][\p{{L}} .-]{{2,40}}),{B}?\d{{1,3}})"
        rf"(?<!\d,{B}?\d{{1,3}})",
        score=0.7,
        token_pair=(",", SHORT_DIGITS),
    ),
    PatternRule(
        "age.relative",  # "Bruder Karl 57", "mutter † 91", "Enkel Tom 12,"
        PhiType.AGE,
        token_regex=_RELATIVE,
        pattern=rf"(?=[\p{{L}}-]{{2,80}}+{B}\(?(?:\p{{L}}[\p{{L}}-]{{2,20}}+{B}){{0,2}}(?:†{B}?)?[1-9]\d)"
        rf"{_RELATIVE}(?!\p{{L}}){B}\(?(?:{_NO_NAME}\p{{L}}[\p{{L}}-]{{2,20}}{B}){{0,2}}(?:†{B}?)?(?P<phi>[1-9]\d)"
        rf"(?![\d\p{{L}}]|[.,:/-]\d|{B}?[%x]|{B}(?i:zig|py|pack|kinder|jahre?n?{B}(?:jünger|älter)|sitzung"
        rf"|prozent)){NO_UNIT}"
        rf"(?={B}?[,;)\n]|\.(?!\d)|{B}\p{{L}}|\Z)",
        score=0.6,
    ),
    PatternRule(
        "age.dead",  # "† 63", "† mit 49"
        PhiType.AGE,
        pattern=rf"†{B}?(?:(?:mit|ca\.){B})?(?P<phi>{AGE})(?![.,:/-]\d|\.{B}?\d)",
        score=0.8,
        token_pair=("†", SHORT_NUMBER),
    ),
    PatternRule(
        "age.died",  # mit 80 verstorben; mit 80 an einem Herzinfarkt gestorben; starb mit 81 an
        PhiType.AGE,
        pattern=rf"(?i:mit){B}(?:ca\.{B}|etwa{B}|über{B})?(?P<phi>{AGE})(?!\p{{L}})(?:(?={B}"
        rf"(?:\p{{L}}[\p{{L}}.-]{{0,30}}{B}){{0,4}}"
        rf"(?:ver|ge)?(?i:st)(?:(?i:orben|arb)|\.))|(?<=(?<!\p{{L}})(?:ver)?st[ae]rb[^\n.;\d]{{0,30}}"
        rf"(?:\d{{4}}{B})?mit{B}\d{{1,3}}))",
        score=0.8,
        token_pair=("mit|Mit|MIT", _AGE_NUMBER),
    ),
    PatternRule(
        "age.at",  # "Mutter Mammakarzinom mit 49", "Menopause mit 51", "Mit 19 Heirat"
        PhiType.AGE,
        pattern=rf"(?:[Mm]it|MIT|m){B}(?:ca\.{B}|etwa{B})?(?P<phi>{AGE})(?:(?={B}{_EVENT})|(?!{B}?[%/]){NO_UNIT}{_GOES_ON}"
        rf"(?<=(?:{_NEAR}|(?<!\p{{L}}){_LIFE}[^\n.;]{{0,12}})(?:[Mm]it|MIT|{B}m){B}[\p{{L}}. ]{{0,6}}\d{{1,3}}))",
        score=0.7,
        token_pair=("mit|Mit|MIT|m", _AGE_NUMBER),
    ),
)
