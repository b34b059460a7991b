"""Rules for dates and ages in other languages: "4 March 2018", "March 4, 2018", "10 marzo", "71 ans", "62-year-old"."""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.age_context import AGE
from deid_core.recognisers.pattern.fragments import YEAR4, B
from deid_core.recognisers.pattern.rule import PatternRule

_MONTH = rf"(?i:{alternatives('pattern/foreign-months')}|april|august|september|november)"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_OF = rf"(?:{B}(?i:of|de|di|del)(?!\p{{L}}))?"
_YEARS_OLD = rf"(?:years?|yrs?)(?:-|{B})(?i:old|of{B}age)|ans|anni|años|anos|yaşında|jaar{B}oud"

DATE_RULES = (
    PatternRule(
        "date.foreign",
        PhiType.DATE,
        # "4th" is two tokens.
        token_pair=(_DAY, rf"{_MONTH}.*|(?i:of|de|di|del|st|nd|rd|th|er)"),
        pattern=rf"{_DAY}(?i:st|nd|rd|th|er|\.|º)?{_OF}{B}{_MONTH}(?!\p{{L}})(?:,?{_OF}{B}{YEAR4})?",
        certain=True,
    ),
    PatternRule(
        "date.foreign_month_first",
        PhiType.DATE,
        token_regex=_MONTH,
        pattern=rf"{_MONTH}{B}(?:{_DAY}(?i:st|nd|rd|th)?,?{B})?{YEAR4}",
        certain=True,
    ),
)
AGE_RULES = (
    PatternRule(
        "age.foreign",
        PhiType.AGE,
        token_pair=(AGE, r"-|(?:years?|yrs?|ans|anni|años|anos|yaşında|jaar).*"),
        pattern=rf"(?P<phi>{AGE})(?:-|{B})(?:{_YEARS_OLD})(?!\p{{L}}|{B}d['’i])",
        certain=True,
    ),
    PatternRule(
        "age.foreign_at",
        PhiType.AGE,
        token_regex="aged?",
        pattern=rf"(?:aged|(?<=at{B}the{B})age{B}of){B}(?P<phi>{AGE})(?![\d.,:/-]\d|\p{{L}})",
        certain=True,
    ),
)
