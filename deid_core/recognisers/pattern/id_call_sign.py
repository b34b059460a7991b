"""Rules of the group `id` for radio call signs of ambulances and helicopters.

A call sign follows the kind of vehicle: a service and mostly a town, and numbers with slashes or hyphens ("RTW 83-3").
Helicopters have a name and a number: "Christoph 99".
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import NO_UNIT, B
from deid_core.recognisers.pattern.rule import PatternRule

_VEHICLE = r"(?:NEF|RTW|KTW|NAW|ITW|RTH|ITH|NAH|MZF|NKTW|VEF|HEMS|BTW)"
_PLACE = rf"(?:(?!NEF|RTW|KTW|NAW|ITW)\p{{Lu}}[\p{{L}}-]{{1,20}}{B})"
_NUMBERS = r"\d{1,3}(?:[-/]\d{1,3}){1,3}[a-z]?"
_END = rf"(?![\d.,:/-]\d|\d){NO_UNIT}"

CALL_SIGN_RULES = (
    PatternRule(
        "id.call_sign",  # "NEF Akkon Musterstadt 1-82-1", "RTW 83-3"
        PhiType.ID,
        token_regex=_VEHICLE,
        pattern=rf"{_VEHICLE}:?{B}{{1,3}}(?:(?:DRK|ASB|BRK|JUH|MHD|ÖRK){B})?(?P<phi>{_PLACE}{{0,3}}{_NUMBERS}){_END}",
        score=0.8,
    ),
    PatternRule(
        "id.helicopter",  # "RTH Christoph 99", "Alpin 9"; not "Christoph, 3 Jahre"
        PhiType.ID,
        token_regex=r"(?i:christoph(?:orus)?|rega|alpin|gallus)",
        pattern=rf"(?:(?i:christophorus|rega|alpin|gallus){B}\d{{1,3}}(?:[-/]\d{{1,3}})?"
        rf"|(?i:christoph){B}(?:Europa{B})?\d{{1,3}}(?:-\d)?)"
        rf"(?![\p{{L}}\d]|[.,:/-]\d|\.{B}?\p{{Ll}}|{B}?(?i:jahre|j\.|wochen|monate|tage|mg))",
        score=0.7,
    ),
)
