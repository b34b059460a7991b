"""Rules of the group `id` for radio call signs of ambulances and helicopters: "Florian Musterstadt 3/82-1".

A call sign is the name of a service (Rotkreuz, Akkon, Florian, Sama …), mostly a town, and numbers with slashes or
hyphens. Helicopters have a name and a number: "Christoph 99". After the kind of vehicle or a word for the radio the
numbers suffice: "RTW 83-3", "Funkkennung 14-372".
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import NO_UNIT, B
from deid_core.recognisers.pattern.rule import PatternRule

_AMBULANCE_SERVICES = alternatives("pattern/ambulance-services")
_SERVICE = rf"""
    (?i:{_AMBULANCE_SERVICES})
"""
_HELICOPTER = r"(?i:christoph|christophorus|rega|alpin|martin|heli|pelikan|gallus|robin|sar|libelle|falke)"
_VEHICLE = r"(?:NEF|RTW|KTW|NAW|ITW|RTH|ITH|NAH|MZF|NKTW|VEF|HEMS|BTW)"
_PLACE = rf"(?:(?!NEF|RTW|KTW|NAW|ITW)\p{{Lu}}[\p{{L}}-]{{1,20}}{B})"
_NUMBERS = r"\d{1,3}(?:[-/]\d{1,3}){1,3}[a-z]?"
_END = rf"(?![\d.,:/-]\d|\d){NO_UNIT}"
_RADIO = r"(?i:funk(?:ruf(?:name|nr)?|kennung|name)?|ruf(?:name|zeichen)|kennung)"

CALL_SIGN_RULES = (
    PatternRule(
        "id.call_sign",  # "NEF Akkon Musterstadt 1-82-1", "RTW 83-3"
        PhiType.ID,
        token_regex=_VEHICLE,
        pattern=rf"{_VEHICLE}:?{B}{{1,3}}(?:(?:DRK|ASB|BRK|JUH|MHD|ÖRK){B})?(?P<phi>{_PLACE}{{0,3}}{_NUMBERS}){_END}",
        score=0.8,
    ),
    PatternRule(
        "id.call_sign_radio",  # "Funkruf NEF 6-14/2", "FUNKKENNUNG 14-372"
        PhiType.ID,
        token_regex=_RADIO,
        pattern=rf"{_RADIO}:?[ \t]{{1,4}}(?P<phi>(?:{_VEHICLE}{B})?{_PLACE}{{0,3}}{_NUMBERS}"
        rf"|(?=\p{{Lu}}{{0,4}}\d)[\p{{Lu}}\d]{{4,7}}(?![\p{{L}}\d-])){_END}",
        score=0.8,
    ),
    PatternRule(
        "id.call_sign_service",  # "Rotkreuz 16/83-1", "akkon musterstadt 47/89-1"
        PhiType.ID,
        token_regex=_SERVICE,
        pattern=rf"{_SERVICE}{B}(?:\p{{L}}[\p{{L}}-]{{1,20}}{B}){{0,2}}\d{{1,3}}(?:[-/]\d{{1,3}}){{1,3}}{_END}",
        score=0.8,
    ),
    PatternRule(
        "id.helicopter",  # "RTH Christoph 99", "der Hubschrauber C12", "Alpin 9"; not "Christoph, 3 Jahre"
        PhiType.ID,
        token_regex=r"(?i:christoph(?:orus)?|rega|alpin|gallus)",
        pattern=rf"(?:(?i:christophorus|rega|alpin|gallus){B}\d{{1,3}}(?:[-/]\d{{1,3}})?"
        rf"|(?i:christoph){B}(?:Europa{B})?\d{{1,3}}(?:-\d)?)"
        rf"(?![\p{{L}}\d]|[.,:/-]\d|\.{B}?\p{{Ll}}|{B}?(?i:jahre|j\.|wochen|monate|tage|mg))",
        score=0.7,
    ),
    PatternRule(
        "id.helicopter_named",  # "ITH Christoph Musterstadt", "HUBSCHRAUBER C12"
        PhiType.ID,
        token_regex=r"(?i:RTH|ITH|NAH|hubschrauber|hubschr\.|rettungshubschrauber|notarzthubschrauber|heli)",
        pattern=rf"[\p{{L}}]{{3,22}}\.?:?[ \t(„\"]{{1,3}}(?P<phi>{_HELICOPTER}(?:[ -](?!Dr)\p{{Lu}}[\p{{L}}-]{{2,20}})?"
        rf"(?:{B}\d{{1,3}})?|C{B}?\d{{1,2}})(?![\p{{L}}\d]|{B}?mal)",
        score=0.8,
    ),
)
