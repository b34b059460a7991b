"""Rules of the group `date` for dates and years in words, from speech recognition: "vierzehnter zwölfter zwanzig"."""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import YEAR4, B
from deid_core.recognisers.pattern.numerals import ORDINAL_STEM, TEEN, TENS, UNIT
from deid_core.recognisers.pattern.rule import PatternRule

_TWO_DIGITS = (
    rf"(?:(?:{UNIT}und)?{TENS}|{TEEN}|zehn|elf|zwölf"
    rf"|null(?:eins|zwo|zwei|drei|vier|fünf|sechs|sieben|acht|neun)|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun)"
)
_SPOKEN_YEAR = rf"(?i:(?:neunzehn|acht?zehn)hundert(?:und)?{_TWO_DIGITS}?|zweitausend(?:und)?{_TWO_DIGITS}?)(?!\p{{L}})"
_SPOKEN_DAY = rf"(?i:(?:{ORDINAL_STEM}|{TEEN}t|(?:{UNIT}und)?(?:zwanzig|drei(?:ß|ss)ig)st)e[rn])(?!\p{{L}})"
_SPOKEN_MONTH = rf"(?i:{ORDINAL_STEM}e[rn])(?!\p{{L}})"

DICTATED_RULES = (
    PatternRule(
        "date.dictated",  # "vierzehnter zwölfter zwanzig", "achtzehnter zweiter neunzehnhundertvierunddreißig"
        PhiType.DATE,
        pattern=rf"{_SPOKEN_DAY}{B}{_SPOKEN_MONTH}{B}(?:{_SPOKEN_YEAR}|(?i:{_TWO_DIGITS})(?!\p{{L}})|{YEAR4}|\d\d(?!\d))",
        token_pair=(_SPOKEN_DAY, _SPOKEN_MONTH),
        score=0.9,
    ),
    PatternRule(
        "date.dictated_year",
        PhiType.DATE,
        token_regex=_SPOKEN_YEAR,
        pattern=rf"{_SPOKEN_YEAR}(?!{B}(?i:euro|mark|franken|mal))",
        score=0.7,
    ),
)
