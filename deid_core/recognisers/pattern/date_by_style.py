"""Rules of the group `date` for forms that only the style of the note (document_style.py) tells from other numbers.

"Labor 2.6. Hb 9" is a date if decimals have a comma, "26-01" if another date is 24-01-2012, "22/5" if another date is
12/06/2014, and "5.3. Visite" at the beginning of a line if the list continues with 6.3. and not with 5.4.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.date_weekday import WEEKDAY
from deid_core.recognisers.pattern.fragments import DAY, DAY_MONTH, MONTH, NO_UNIT, NO_VALUE, NO_VERSION, B
from deid_core.recognisers.pattern.next_token import FULL_STOP, SHORT_NUMBER
from deid_core.recognisers.pattern.rule import PatternRule

_HEAD = rf"(?:(?<=(?P<head>(?<!\p{{L}}){WEEKDAY}\.?,?{B})))?"
_VALUE_BEHIND = rf"(?={B}[<>]?{B}?\d{{1,4}}(?:,\d{{1,2}})?(?![\d.:/-])(?!{B}?(?:h|Uhr)(?!\p{{L}})))"
_BEFORE_DAY = rf"(?<=(?<!\p{{L}})(?i:{alternatives('pattern/words-before-fraction-days')}),?{B})"
_NO_SPAN = (
    rf"(?!{B}?(?i:tage?n?|wochen?|monate?n?|jahre?n?|stunden?|std|minuten?|uhr|jährig\p{{Ll}}*+|[x×]|mal)(?!\p{{L}}))"
)
_NO_GRADE = rf"(?<!(?<!\p{{L}})(?i:AHI|BE|RQ|kategorie|score|grad|klasse|stufe|stadium|faktor|dioptrien|sphäre){B})"
_SURE_DAY = r"(?=(?:1[3-9]|2\d|3[01])/|0[1-9]/|\d{1,2}/0)"
_FRACTION_WORDS = alternatives("pattern/words-before-day-fractions")
_NO_FRACTION = rf"(?<!(?<!\p{{L}})(?i:{_FRACTION_WORDS}|pN\p{{L}}{{0,3}}|stanz\p{{L}}{{0,6}})[.: \t(]{{0,4}}+)"

STYLE_RULES = (
    PatternRule(
        "date.day_month_comma",  # "Labor 2.6. Hb 9,1", "Gewicht 1.3. 71,4" where decimals have a comma
        PhiType.DATE,
        token_regex=rf"{DAY}\.{MONTH}",
        pattern=rf"(?={DAY_MONTH}){_HEAD}(?<![+\d.,-]|[=<≤≥±~≈]{B}?){_NO_GRADE}"
        rf"(?<!(?:\A|\n)[-•*]?[ \t]{{0,3}}){NO_VERSION}"
        rf"(?:{NO_VALUE}{DAY_MONTH}{NO_UNIT}|{DAY_MONTH}{_VALUE_BEHIND})",
        score=0.6,
        style=lambda style: style.decimal_commas,
        token_pair=(DAY, SHORT_NUMBER),
        next_token=FULL_STOP,
    ),
    PatternRule(
        "date.day_month_entry",  # "5.3. Visite", a line below "6.3. Sono"; not "5.1. Anamnese"
        PhiType.DATE,
        token_regex=rf"{DAY}\.{MONTH}",
        pattern=rf"(?<=(?:\A|\n)[-•*]?[ \t]{{0,3}}){DAY_MONTH}{NO_UNIT}(?=[\s:])",
        score=0.7,
        style=lambda style: style.dated_entries,
    ),
    PatternRule(
        "date.day_month_dashed",  # "am 26-01", "Labor 28-03: Leuko" where the letter's date is 24-01-2012
        PhiType.DATE,
        token_regex=rf"{DAY}-{MONTH}",
        pattern=rf"{_HEAD}(?<![\d/.,-])(?:(?=\d\d-0\d|(?:[2]\d|1[3-9]|3[01])-1)|{_BEFORE_DAY}){DAY}-{MONTH}"
        rf"(?![\d/-]|[.,:]\d){NO_UNIT}{_NO_SPAN}",
        score=0.7,
        style=lambda style: style.dashed_dates,
    ),
    PatternRule(
        "date.day_month_slashed",  # "zuletzt am 22/5", "Kontrolle 14/3:" where the letter's date is 12/06/2014
        PhiType.DATE,
        token_regex=rf"{DAY}/{MONTH}",
        pattern=rf"{_HEAD}(?<![\d/.,-])(?:{_SURE_DAY}|{_BEFORE_DAY}){_NO_FRACTION}{NO_VALUE}{DAY}/{MONTH}"
        rf"(?![\d/-]|[.,:]\d){NO_UNIT}{_NO_SPAN}",
        score=0.6,
        style=lambda style: style.slashed_dates,
    ),
)
