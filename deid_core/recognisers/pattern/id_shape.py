"""Rules of the group `id` for numbers that no word announces: their form identifies them.

No clinical value has seven digits in a row, or a year or two digits before a long serial number ("18-77120"). But
articles in lists of implants ("REF 47-2201") have.
"""

from __future__ import annotations

import regex

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import NO_UNIT, NO_VERSION
from deid_core.recognisers.pattern.id_number import is_month_or_year
from deid_core.recognisers.pattern.rule import PatternRule, digits, phi_text

_FREE = r"""
    (?<![\p{L}\d.,/:+-]|\d\)?[ ]?[/-]?[ ])
    (?<!(?i:ref|funk|tel|fax|ruf|telefon|handy|mobil|artikel|art\.|pzn|gerät)[.:]?[ \t]{0,2})
"""
"""Not within a longer number, and not after a word for an article, a telephone or a model."""
_END = r"(?![\p{L}\d]|[.,/:-]\d)"
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
