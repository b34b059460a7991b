"""Rules of the group `id` for numbers of fixed form from banks and insurers.

Germany: health insurance number with its check digit, pension insurance number with the date of birth, IBAN.
Switzerland: ZSR "K 2290.01" of who bills, AHV "756.1234.5678.97".
Austria: social insurance number with the date of birth "1234 010150".
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.check_digits import is_health_insurance_number, is_iban, is_swiss_insurance_number
from deid_core.recognisers.pattern.fragments import B
from deid_core.recognisers.pattern.ocr import DIGIT
from deid_core.recognisers.pattern.rule import PatternRule

_DIGIT_GROUP = r"\d{2,9}|\d{1,6}[-/.]\d{1,6}(?:[-/]\d{1,4})?\p{L}?"
"""A group of digits of an identifying number."""
_BIRTH_DATE = r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d"
_BIRTH_DIGITS = r"[0-3]\d[01]\d{3}"

OFFICE_RULES = (
    PatternRule(
        "id.zsr",
        PhiType.ID,
        pattern=rf"[A-Z]{B}?\d{{4}}\.\d\d(?![\d.,])",
        score=0.8,
        token_pair=(r"[A-Z]", _DIGIT_GROUP),
    ),
    PatternRule(
        "id.swiss_insurance_dotted",  # in these groups it counts even if the check digit is wrong
        PhiType.INSURANCE_ID,
        token_regex=r"756(?:\.\d+)*",
        pattern=rf"756\.{DIGIT}{{4}}\.{DIGIT}{{4}}\.{DIGIT}{{2}}(?![\p{{L}}\d])",
        score=0.9,
        certain=True,
    ),
    PatternRule(
        "id.austrian_insurance",  # three digits, a check digit and the date of birth
        PhiType.INSURANCE_ID,
        pattern=rf"(?<![\d.,/:-]{B}?)[1-9]\d{{3}}[ /-]{_BIRTH_DATE}(?![\p{{L}}\d]|[.,:/-]\d|{B}\d)",
        score=0.6,
        token_pair=(r"[1-9]\d{3}", _DIGIT_GROUP),
    ),
    PatternRule(
        "id.health_insurance",
        PhiType.INSURANCE_ID,
        token_regex=r"[A-Za-z]\d{9}",
        pattern=r"[A-Za-z]\d{9}(?![\p{L}\d])",
        check=is_health_insurance_number,
        certain=True,
    ),
    PatternRule(
        "id.health_insurance_spaced",  # "W 204 881 553": no clinical value is grouped like this
        PhiType.INSURANCE_ID,
        token_regex=r"[A-Za-z]\d{3}|[a-z]\d{9}",
        pattern=rf"[A-Za-z](?:{B}?\d{{3}}{B}\d{{3}}{B}\d{{3}}|{B}?\d{{9}})(?![\p{{L}}\d]|[.,]\d)",
        score=0.8,
        token_pair=(r"[A-Z]", _DIGIT_GROUP),
        certain=True,
    ),
    PatternRule(
        "id.pension_insurance",  # area, date of birth, letter, serial number; "30 241259 K" without the last
        PhiType.INSURANCE_ID,
        token_regex=r"\d{8}",
        pattern=rf"\d{{2}}{B}?{_BIRTH_DIGITS}{B}?[A-Za-z](?:{B}?\d{{3}}(?![\p{{L}}\d])|(?![\p{{L}}\d.]))",
        token_pair=(r"\d{2}", r"\d{6}[A-Za-z]?"),
        certain=True,
    ),
    PatternRule(
        "id.swiss_insurance",
        PhiType.INSURANCE_ID,
        token_regex=r"756(?:\.\d+)*|756\d{10}",
        pattern=r"756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}(?!\d)",
        check=is_swiss_insurance_number,
        certain=True,
    ),
    PatternRule(
        "id.iban",
        PhiType.ID,
        token_regex=r"[A-Z]{2}\d{2}[A-Z\d]*",
        pattern=rf"[A-Z]{{2}}\d{{2}}(?:{B}?[A-Zl\d]{{4}}){{2,7}}(?:{B}?[A-Zl\d]{{1,3}}(?![\p{{L}}\d]))?(?![\p{{L}}\d])",
        check=is_iban,
        certain=True,
    ),
)
