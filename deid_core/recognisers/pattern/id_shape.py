"""Rules of the group `id` for numbers that no word announces: their form identifies them.

Journals, registers and manufacturers issue numbers that begin with letters: "B13/20455", "JK-204417". No clinical value
has seven digits in a row, or a year or two digits before a long serial number ("18-77120"). But articles in lists of
implants ("REF 47-2201") have.
"""

from __future__ import annotations

import regex

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import NO_UNIT, NO_VERSION, B
from deid_core.recognisers.pattern.id_number import is_month_or_year
from deid_core.recognisers.pattern.next_token import DIGITS_FIRST
from deid_core.recognisers.pattern.rule import PatternRule, digits, phi_text

_FREE = r"""
    (?<![\p{L}\d.,/:+-]|\d\)?[ ]?[/-]?[ ])
    (?<!(?i:ref|funk|tel|fax|ruf|telefon|handy|mobil|artikel|art\.|pzn|gerät)[.:]?[ \t]{0,2})
"""
"""Not within a longer number, and not after a word for an article, a telephone or a model."""
_END = r"(?![\p{L}\d]|[.,/:-]\d)"
_NO_MONTH = r"(?!\d{0,2}[-/](?:19|20)\d\d(?!\d))"
"""No month and year follows: "ED 12/2009"."""
_YEAR = r"(?:19[5-9]\d|20[0-4]\d)"


def _is_no_day(match: regex.Match[str]) -> bool:
    """Return whether digits are neither day, month and year ("01031950") nor a round number ("4000000")."""
    number = phi_text(match)
    day = regex.fullmatch(r"(?:[0-2]\d|3[01])(?:0\d|1[0-2])(?:19|20)\d\d|(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d", number)
    return day is None and not number.endswith("0000")


def _is_no_span(match: regex.Match[str]) -> bool:
    """Return whether a number is no range of years or values ("1200-1500"), no month and year and no round number."""
    number = phi_text(match)
    if number.endswith("000") or is_month_or_year(number):
        return False
    parts = number.replace("/", "-").split("-")
    first, last = digits(parts[0]), digits(parts[-1])
    return not (len(first) == len(last) == 4 and first < last and ("-" in number or first[:2] in ("19", "20")))


SHAPE_RULES = (
    PatternRule(
        "id.journal",  # year and number: "B13/20455", "CT-2007-18832", "E/16/04471", "HH-18-40772"
        PhiType.ID,
        token_regex=r"\p{Lu}{1,3}-?(?:\d\d|(?:19|20)\d\d)(?:-\d{3,7})?|\p{Lu}{1,3}-\d\d-\p{L}.*",
        pattern=r"\p{Lu}{1,3}[-/]?(?:\d\d|(?:19|20)\d\d)(?:[-/]\p{Lu})?[-/.](?:\d{4,7}|\d{2}-\d{4,7}|(?<=/)\d{3})"
        r"(?:-\p{Lu})?(?![\d\p{L}]|[.,/-]\d)(?<!\p{Lu}\d\d?[-/](?:19|20)\d\d)",
        score=0.7,
        token_pair=(r"\p{Lu}", "/"),
        second_next=DIGITS_FIRST,
    ),
    PatternRule(
        "id.journal_spaced",  # "H 09/2207", "Mi 16-7702"
        PhiType.ID,
        pattern=rf"\p{{Lu}}\p{{L}}?{B}{_NO_MONTH}\d\d[-/]\d{{4,6}}(?![\d\p{{L}}]|[.,/-]\d)",
        score=0.6,
        token_pair=(r"\p{Lu}\p{L}?", r"\d\d[-/]\d{4,6}"),
    ),
    PatternRule(
        "id.serial",
        PhiType.DEVICE_ID,
        token_regex=r"\p{Lu}{2,4}-?\d{6,12}\p{L}?|\p{Lu}{1,3}-\d{4,8}-\d{2,8}",
        pattern=r"\p{Lu}{2,4}-?\d{6,12}\p{L}?(?![\p{L}\d-])|\p{Lu}{1,3}-\d{4,8}-\d{2,8}(?![\p{L}\d-])",
        score=0.6,
    ),
    PatternRule(
        "id.letter_number", PhiType.ID, token_regex=r"\p{Lu}\d{7,12}", pattern=r"\p{Lu}\d{7,12}(?![\p{L}\d])", score=0.6
    ),
    PatternRule("id.long_number", PhiType.ID, token_regex=r"\d{9,}+\p{L}?", pattern=r"\d++", score=0.5),
    PatternRule(
        "id.bare",  # seven or eight digits: a case, a lot, a barcode
        PhiType.ID,
        token_regex=r"\d{7,8}",
        pattern=rf"{_FREE}\d{{7,8}}{_END}(?:[-/]\p{{Lu}}(?![\p{{L}}\d]))?{NO_UNIT}",
        check=_is_no_day,
        score=0.6,
    ),
    PatternRule(
        "id.year_serial",  # "18-77120", "2019/0306", "131127-0914", "44-1907B"
        PhiType.ID,
        token_regex=r"\d{2,6}[-/]\d{3,8}\p{Lu}?",
        pattern=rf"(?=\d\d(?:\d{{2,4}})?-\d{{4}}|\d\d/\d{{4}}|{_YEAR}[-/]\d{{3}})(?!0\d{{2,5}}[-/]){_FREE}{NO_VERSION}"
        rf"(?:\d\d-\d{{4,8}}\p{{Lu}}?|\d{{4,6}}-\d{{4,8}}\p{{Lu}}?|\d\d/\d{{4,6}}|{_YEAR}[-/]\d{{3,7}}){_END}{NO_UNIT}",
        check=_is_no_span,
        score=0.6,
    ),
)
