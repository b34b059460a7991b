"""Rules of the group `date` for a weekday and its date: "Montag, den 3.4.", "di 10.6.", "Donnerst., 28.7.88"."""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import DAY, DAY_MONTH, FULL_DATE, ORDERED, B
from deid_core.recognisers.pattern.next_token import SHORT_NUMBER
from deid_core.recognisers.pattern.rule import PatternRule

_LONG = r"(?i:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)s?(?!\p{L})"
_SHORT = r"(?:M[Oo]|D[Ii]|M[Ii]|D[Oo]|F[Rr]|S[Aa]|S[Oo])(?!\p{L})"
_CUT_WORD = rf"(?i:{alternatives('pattern/weekday-abbreviations')})\.?"
_CUT = rf"{_CUT_WORD}(?<=\.)"
"""Weekdays abbreviated to more than two letters; only with their full stop, since "die" is an article."""
WEEKDAY = rf"(?:{_LONG}|{_SHORT}|{_CUT})"
_SMALL = r"(?:mo|di|mi|do|fr|sa|so)(?!\p{L})"

_BETWEEN = rf"\.?,?{B}?(?:(?i:den|dem|der){B})?"
_DATE = rf"(?:{FULL_DATE}|{DAY_MONTH})"
_DAY_ALONE = (
    rf"{DAY}\.(?!\d|{B}?(?:{ORDERED}(?!\p{{L}})))"
    rf"(?={B}?[,;)\n]|\Z|{B}(?:\p{{Ll}}{{2,20}}(?!\p{{L}})(?<!e[nrs]?)|(?:um|ab|vormittag|früh|nachmittag)"
    rf"|\d{{1,2}}[:.]\d\d))"
)

WEEKDAY_RULES = (
    PatternRule(
        "date.weekday",
        PhiType.DATE,
        token_regex=rf"(?:{_LONG}|{_SHORT})\.?",
        pattern=rf"{WEEKDAY}{_BETWEEN}{_DATE}|{_LONG}{B}\({_DATE}\)",
        token_pair=(_CUT_WORD, SHORT_NUMBER),
    ),
    PatternRule(
        "date.weekday_small",  # "di 10.6. 6:15", "so 15.6."
        PhiType.DATE,
        pattern=rf"{_SMALL}{_BETWEEN}{_DATE}",
        score=0.8,
        token_pair=(r"(?:mo|di|mi|do|fr|sa|so)\.?", SHORT_NUMBER),
    ),
    PatternRule(
        "date.weekday_day",  # "Mi 15.", "di 17.": the month follows from the context
        PhiType.DATE,
        pattern=rf"(?:{WEEKDAY}|{_SMALL}){_BETWEEN}{_DAY_ALONE}",
        score=0.7,
        token_pair=(rf"(?:{_LONG}|{_SHORT}|{_SMALL})\.?|{_CUT_WORD}", SHORT_NUMBER),
    ),
)
