"""Rules of the group `date` for a month and its year in digits: "12/2009", "PTCA 3/10", "05/17-02/18".

With two digits of a year it looks like a fraction ("LP 12/12", "Inegy 10/20", "IVS 12/13"). It then needs a word of
time, a procedure or a diagnosis before it, and no score, vertebra or dose around it.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import DASH, MONTH, NO_NUMBER, NO_UNIT, NO_VALUE, QUOTE, YEAR4, B
from deid_core.recognisers.pattern.rule import PatternRule

_NO_DOSE = rf"(?!{B}?\(?[\d½¼](?:[.,/]\d)?{B}?{DASH}{B}?[\d½¼])"
"""No dosage scheme (1-0-1) follows: "Inegy 10/20 0-0-1" is no month."""
_SCORE_WORDS = alternatives("pattern/words-before-score-fractions")
_SCORES = rf"""
    (?<!(?<!\p{{L}})(?:{_SCORE_WORDS}|Schmerz\p{{L}}{{0,10}}|[yra]{{0,2}}(?i:pN\d)\p{{Ll}}{{0,2}}(?:\(sn\))?{B}?\(|pN\d?\p{{Ll}}?
    |0,\d{{1,3}}\s{{1,20}}\()
        (?:[ \t:=]|von|mit|bei|bis|{DASH}){{0,4}})
"""
_NO_SCORE = rf"""
    (?!{B}?(?:[Ss]ystol|[Dd]iastol|Punkt|Skala|Ableitung|Segment|Lautst|Herzger|der{B}|aller{B}|Gelenk|Lymphkn
        |LK(?!\p{{L}})|Stanz|Zylinder|Herde))
"""
_DATED = rf"(?i:{alternatives('pattern/dated-words')}|\p{{L}}{{2,30}}(?:{alternatives('pattern/dated-noun-endings')}))"
"""Words that may have a date after them: words of time, procedures and diagnoses. Names of drugs have other endings."""
_YEAR_HINT = rf"""
    (?<=(?<!\p{{L}}){_DATED}(?:{B}[^\n\d;:=]{{0,24}})?[ ,(]|\d/{B}?\d\d(?:,|{B}und|{B}u\.|{B}bis|{B}?-){B}?)
"""
_SHORT = rf"{MONTH}/{B}?{QUOTE}?\d\d(?:{B}?-{B}?{MONTH}/{QUOTE}?\d\d)?(?![\d/]|[.,:-]\d)"
_SURE_SHORT = rf"""
    (?:0[1-9]/(?:[0-3]\d|[6-9]\d)|{MONTH}/(?:0\d|[6-9]\d|{QUOTE}\d\d)
    |(?<=\({B}?){MONTH}/[0-3]\d(?={B}?(?:[,;)]|bis))
    |(?<=(?:\A|[\n\t])[-•*\t ]{{0,3}}){MONTH}/[0-3]\d(?=:|{B}?-?{B}\p{{L}}))
    (?![\d/]|[.,:-]\d)
"""
"""No fraction: a zero before month or year, a year of the last century, alone in brackets, or before an entry."""

MONTH_RULES = (
    PatternRule(
        "date.month_year",
        PhiType.DATE,
        token_regex=r"\d{1,2}[./-](?:19|20)\d\d(?:[-/]\d{1,2}[./]\d{4})?",
        pattern=rf"(?<!(?:Titer|Verdünnung){B}(?:von{B})?){NO_VALUE}{MONTH}[./-]{YEAR4}"
        rf"(?:{B}?[-/]{B}?{MONTH}[./]{YEAR4})?{NO_NUMBER}{NO_UNIT}",
    ),
    PatternRule(
        "date.month_year_short",  # 12/09, PTCA 3/10; not 3/6, LP 12/12, BWK 11/12, 120/80, NRS 3/10, "10/40 mg"
        PhiType.DATE,
        token_regex=rf"{MONTH}/\d\d(?:-{MONTH}/\d\d)?",
        pattern=rf"(?=\d{{1,2}}/)(?:{_SCORES}{NO_VALUE}(?:{_SURE_SHORT}|{_YEAR_HINT}{_SHORT})){NO_UNIT}{_NO_SCORE}{_NO_DOSE}",
        score=0.7,
        token_pair=(MONTH, "/"),
    ),
    PatternRule(
        "date.month_span",  # "Interferon 05/17-02/18"
        PhiType.DATE,
        token_regex=rf"{MONTH}/\d\d-{MONTH}/\d\d",
        pattern=rf"{MONTH}/\d\d-{MONTH}/\d\d(?![\d/-]|[.,:]\d){NO_UNIT}",
        score=0.8,
    ),
)
