"""Rules of the group `id` for numbers that no word announces: their form or their place in a list identifies them.

No clinical value has seven digits in a row, a year or two digits before a long serial number ("18-77120"), or letters
before a hyphen and four digits ("KS-77120"). But models of devices ("XN-1000") and articles in lists of implants ("REF
47-2201") have. A number in a list counts if the number before it was announced: "Nr. 99-3381 bis 99-3384".
"""

from __future__ import annotations

import regex

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import NO_UNIT, NO_VERSION, B
from deid_core.recognisers.pattern.id_number import CODE, is_month_or_year, is_short_number
from deid_core.recognisers.pattern.next_token import LETTERED_NUMBER, SOME_DIGITS
from deid_core.recognisers.pattern.ocr import DIGIT
from deid_core.recognisers.pattern.rule import PatternRule, digits, phi_text

_FREE = r"""
    (?<![\p{L}\d.,/:+-]|\d\)?[ ]?[/-]?[ ])
    (?<!(?i:ref|funk|tel|fax|ruf|telefon|handy|mobil|artikel|art\.|pzn|gerät)[.:]?[ \t]{0,2})
"""
"""Not within a longer number, and not after a word for an article, a telephone or a model."""
_END = r"(?![\p{L}\d]|[.,/:-]\d)"
_YEAR = r"(?:19[5-9]\d|20[0-4]\d)"
_WORDS_BEFORE_LISTED_NUMBERS = alternatives("pattern/words-before-listed-numbers")
_ANNOUNCES = rf"""
    (?i:{_WORDS_BEFORE_LISTED_NUMBERS})
"""
_LISTED = rf"(?<=(?<!\p{{L}})(?i:\p{{L}}{{0,20}}{_ANNOUNCES})\.?:?[ \t(]{{1,2}}{CODE},?[ ]?)"
"""An announced number ends here."""


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


def _has_digit(match: regex.Match[str]) -> bool:
    """Return whether the head or the rest has a digit."""
    return any(character.isdecimal() for character in match.group("head") + match.group())


SHAPE_RULES = (
    PatternRule(
        "id.listed",  # "Nr. 99-3381 bis 99-3384", "Kons.-Nr. D 2740 21 und D 2740 22", "Hist.-Nr. P 14/0921, 14/0922"
        PhiType.ID,
        pattern=rf"(?<=\d[\p{{L}}\d]{{0,3}},?[ ]?)(?=[^ \n]{{1,5}}+[ ]-?[\p{{Lu}}/-]{{0,6}}\p{{Ll}}{{0,2}}[ -]?\d)"
        rf"{_LISTED}"
        rf"(?<!(?:tel|fax|handy|notfall|unter){B}[\d /-]{{0,20}})(?:(?i:und|u\.|bis|bzw\.|oder|sowie)|[,/+—-]){B}"
        rf"(?P<phi>(?!\d{{1,2}}\.{B}?\d{{1,2}}\.|{DIGIT}{{4,5}}{B}\p{{Lu}}|[A-Z]{{1,2}}-\d{{4,5}}{B}\p{{Lu}}"
        rf"|\p{{Lu}}{{3,9}}[ -]|0)(?=[\p{{Lu}}/-]{{0,6}}[ ]?[\d/-]{{1,9}})-?{CODE}){NO_UNIT}",
        check=is_short_number,
        score=0.6,
        token_pair=(r"(?i:und|u\.|bis|bzw\.?|oder|sowie)|[,/+—-]", LETTERED_NUMBER),
        previous_token=r".*\d[\p{L}\d]{0,3}|\p{L}{1,3}|,",
        earlier_token=rf".*{_ANNOUNCES}\.?",
    ),
    PatternRule(
        "id.bare",  # seven or eight digits: a case, a lot, a barcode
        PhiType.ID,
        token_regex=r"\d{7,8}",
        pattern=rf"{_FREE}\d{{7,8}}{_END}(?:[-/]\p{{Lu}}(?![\p{{L}}\d]))?{NO_UNIT}",
        check=_is_no_day,
        score=0.6,
    ),
    PatternRule(
        "id.bare_cell",  # six digits alone in a cell
        PhiType.ID,
        token_regex=r"\d{6}",
        pattern=r"(?<=\A|[\n\t])\d{6}(?=[\t\n]|\Z)",
        check=_is_no_day,
        score=0.5,
    ),
    PatternRule(
        "id.hyphened",  # "KS-77120", "V-06-0391", "kw-3027/08", "GRU-7741-XK"
        PhiType.ID,
        token_regex=r"\p{L}{1,4}-\d{3,8}(?:-[\p{L}\d]{1,4})?|\p{L}{1,3}(?:-\p{L}{1,3})?-\d{2}-\d{2,8}",
        pattern=rf"{_FREE}{NO_VERSION}(?!(?:[ABDFIL]|CH|NL|FL|CZ|PL)-\d{{4,5}}[, ]{{1,2}}\p{{Lu}})\p{{L}}{{1,4}}-(?:"
        rf"\d{{4,8}}|(?<!CA-|CD-)\d{{3}}{B}\d{{3,4}}|\d{{2}}-\d{{2,8}}|\p{{L}}{{1,3}}-\d\d-\d{{2,8}})"
        rf"(?:[-/](?:\d{{1,4}}|\p{{Lu}}{{1,2}}))?{_END}",
        check=_is_no_span,
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
    PatternRule(
        "id.year_serial_bracketed",  # "(18/931)", "(2019/306)": no clinical value is written so in brackets
        PhiType.ID,
        token_regex=r"\d{2,6}/\d{2,6}",
        pattern=rf"(?<=\()(?:{DIGIT}\d/\d{{3,6}}|{_YEAR}/\d{{2,5}}|\d{{3,6}}/\d\d)(?=[,;)])(?<!\d{{1,2}}/{_YEAR})"
        rf"(?<!\(\d{{4}}/{_YEAR})",
        check=_is_no_span,
        score=0.5,
        previous_token=r"\(",
    ),
    PatternRule(
        "id.grouped",  # "14 005 300", "773 118 206"
        PhiType.ID,
        pattern=rf"{_FREE}(?!0)(?:\d{{2,3}}{B}\d{{3}}{B}\d{{3}}(?:{B}\d{{1,3}})?"
        rf"|\d{{4}}(?:{B}\d{{4}}){{3,4}}){_END}(?<!000){NO_UNIT}",
        score=0.5,
        token_pair=(r"\d{2,4}", SOME_DIGITS),
        second_next=SOME_DIGITS,
    ),
    PatternRule(
        "id.lettered_groups",  # a lead's or a blood unit's "TDK 700 315 V", "LEP 119 027"
        PhiType.DEVICE_ID,
        pattern=rf"(?=\p{{Lu}}{{2,3}}{B}\d{{3}}{B}\d){_FREE}(?!CHF|EUR|PZN|REF|BLZ|SN|IE|TEL|FAX|Nr|NR)"
        rf"\p{{Lu}}{{2,3}}{B}\d{{3}}{B}\d{{3}}(?:{B}[A-Z](?![\p{{L}}.]))?{_END}(?<!000){NO_UNIT}",
        score=0.6,
        token_pair=(r"\p{Lu}{2,3}", SOME_DIGITS),
        second_next=SOME_DIGITS,
    ),
    PatternRule(
        "id.underscored",  # a plan's or a file's name: "FEL_MAM_RE_01", "071014_0641"; no RefSeq: "NM_014191.4"
        PhiType.ID,
        token_regex="_",
        pattern=r"(?<=(?P<head>(?<![\p{L}\d_@/\\])(?![NX][CGMPRTW]_\d)[\p{Lu}\d]{2,12}))_[\p{L}\d]{1,12}(?:_[\p{L}\d]{1,12}){0,4}(?![\w@.]\w)",
        check=_has_digit,
        score=0.6,
    ),
    PatternRule(
        "id.parcel",  # the post's: "RR 4418 0927 1 DE"
        PhiType.ID,
        pattern=rf"[A-Z]{{2}}{B}?\d{{4}}{B}\d{{4}}{B}?\d{B}?(?:DE|AT|CH|NL)(?!\p{{L}})",
        score=0.9,
        token_pair=(r"[A-Z]{2}", SOME_DIGITS),
    ),
)
