"""Group `id`: numbers of patients, cases, insurances and devices, by shape here and behind a word in id_announced.py.

Plates, user names, network addresses and barcodes stand in id_other.py.

By shape: health and pension insurance numbers, IBANs, numbers of courts' files, register numbers
("H12345/09", "B 12-33817"), serial numbers of letters and six digits, and any run of nine digits or
more, which no clinical value has.
"""

from __future__ import annotations

from deid_core.labels import PhiType
from deid_core.recognise.patterns.checksums import is_health_insurance_number, is_iban, is_swiss_insurance_number
from deid_core.recognise.patterns.fragments import B
from deid_core.recognise.patterns.id_announced import ANNOUNCED_RULES
from deid_core.recognise.patterns.id_call_sign import CALL_SIGN_RULES
from deid_core.recognise.patterns.id_court import COURT_RULES
from deid_core.recognise.patterns.id_number import NEXT_DIGITS, NEXT_NUMBER
from deid_core.recognise.patterns.id_office import OFFICE_RULES
from deid_core.recognise.patterns.id_other import OTHER_RULES
from deid_core.recognise.patterns.id_plate import PLATE_RULES
from deid_core.recognise.patterns.id_shape import SHAPE_RULES
from deid_core.recognise.patterns.rule import NOWHERE, PatternRule

_BORN = r"[0-3]\d[01]\d{3}"
_NO_MONTH = r"(?!\d{0,2}[-/](?:19|20)\d\d(?!\d))"
"""What stands here is no month and year: "ED 12/2009"."""

RULES = (
    *COURT_RULES,
    *CALL_SIGN_RULES,
    *ANNOUNCED_RULES,
    *OFFICE_RULES,
    PatternRule(
        "id.health_insurance",
        PhiType.INSURANCE_ID,
        r"[A-Za-z]\d{9}",
        r"[A-Za-z]\d{9}(?![\p{L}\d])",
        check=is_health_insurance_number,
    ),
    PatternRule(
        "id.health_insurance_spaced",  # "W 204 881 553": grouped so, nothing clinical is
        PhiType.INSURANCE_ID,
        r"[A-Za-z]\d{3}|[a-z]\d{9}",
        rf"[A-Za-z](?:{B}?\d{{3}}{B}\d{{3}}{B}\d{{3}}|{B}?\d{{9}})(?![\p{{L}}\d]|[.,]\d)",
        score=0.8,
        before=(r"[A-Z]", NEXT_DIGITS),
    ),
    PatternRule(
        "id.pension_insurance",  # area, date of birth, letter, serial number; "30 241259 K" without the last
        PhiType.INSURANCE_ID,
        NOWHERE,
        rf"\d{{2}}{B}?{_BORN}{B}?[A-Za-z](?:{B}?\d{{3}}(?![\p{{L}}\d])|(?![\p{{L}}\d.]))",
        before=(r"\d{2}|\d{8}", NEXT_NUMBER),
    ),
    PatternRule(
        "id.swiss_insurance",
        PhiType.INSURANCE_ID,
        r"756(?:\.\d+)*|756\d{10}",
        r"756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}(?!\d)",
        check=is_swiss_insurance_number,
    ),
    PatternRule(
        "id.iban",
        PhiType.ID,
        r"[A-Z]{2}\d{2}[A-Z\d]*",
        rf"[A-Z]{{2}}\d{{2}}(?:{B}?[A-Zl\d]{{4}}){{2,7}}(?:{B}?[A-Zl\d]{{1,3}}(?![\p{{L}}\d]))?(?![\p{{L}}\d])",
        check=is_iban,
    ),
    PatternRule(
        "id.register",
        PhiType.ID,
        r"\p{Lu}{1,3}\d{4,7}",
        rf"(?!O\d)\p{{Lu}}{{1,3}}\d{{4,7}}{B}?[-/]{B}?(?:(?:19|20)\d\d|\d\d)(?!\d)",
        score=0.8,
    ),
    PatternRule(
        "id.register_spaced",  # "V 2214/99", "Z 2211-16"
        PhiType.ID,
        NOWHERE,
        rf"\p{{Lu}}{{1,2}}{B}{_NO_MONTH}\d{{4,6}}[-/](?:(?:19|20)\d\d|\d\d)(?![\d\p{{L}}]|[.,/-]\d)",
        score=0.6,
        before=(r"\p{Lu}{1,2}", NEXT_DIGITS),
    ),
    PatternRule(
        "id.journal",  # year and number: "B13/20455", "CT-2007-18832", "E/16/04471", "HH-18-40772"
        PhiType.ID,
        r"\p{Lu}{1,3}-?(?:\d\d|(?:19|20)\d\d)(?:-\d{3,7})?|\p{Lu}{1,3}-\d\d-\p{L}.*",
        r"\p{Lu}{1,3}[-/]?(?:\d\d|(?:19|20)\d\d)(?:[-/]\p{Lu})?[-/.](?:\d{4,7}|\d{2}-\d{4,7}|(?<=/)\d{3})"
        r"(?:-\p{Lu})?(?![\d\p{L}]|[.,/-]\d)(?<!\p{Lu}\d\d?[-/](?:19|20)\d\d)",
        score=0.7,
        before=(r"\p{Lu}", "/"),
    ),
    PatternRule(
        "id.journal_spaced",  # "H 09/2207", "Mi 16-7702"
        PhiType.ID,
        NOWHERE,
        rf"\p{{Lu}}\p{{L}}?{B}{_NO_MONTH}\d\d[-/]\d{{4,6}}(?![\d\p{{L}}]|[.,/-]\d)",
        score=0.6,
        before=(r"\p{Lu}\p{L}?", NEXT_DIGITS),
    ),
    PatternRule(
        "id.serial",
        PhiType.DEVICE_ID,
        r"\p{Lu}{2,4}-?\d{6,12}\p{L}?|\p{Lu}{1,3}-\d{4,8}-\d{2,8}",
        r"\p{Lu}{2,4}-?\d{6,12}\p{L}?(?![\p{L}\d-])|\p{Lu}{1,3}-\d{4,8}-\d{2,8}(?![\p{L}\d-])",
        score=0.6,
    ),
    PatternRule(
        "id.serial_spaced",  # a pacemaker lead's "PJN 3390416"
        PhiType.DEVICE_ID,
        NOWHERE,
        r"(?!PZN|REF|OPS|ATC|EBM|ICD)\p{Lu}{3}[ ]\d{7}(?![\p{L}\d]|[.,/-]\d)",
        score=0.5,
        before=(r"\p{Lu}{3}", NEXT_DIGITS),
    ),
    PatternRule(
        "id.blood_unit",  # ISBT 128: "E0316 16 227 041 9"
        PhiType.ID,
        NOWHERE,
        r"\p{Lu}\d{4}[ ]\d{2}[ ]\d{3}[ ]?\d{3}(?:[ ]\d)?(?!\d)",
        before=(r"\p{Lu}\d{4}", NEXT_DIGITS),
    ),
    PatternRule("id.letter_number", PhiType.ID, r"\p{Lu}\d{7,12}", r"\p{Lu}\d{7,12}(?![\p{L}\d])", score=0.6),
    PatternRule("id.long_number", PhiType.ID, r"\d{9,}+\p{L}?", r"\d++", score=0.5),
    *PLATE_RULES,
    *OTHER_RULES,
    *SHAPE_RULES,
)
