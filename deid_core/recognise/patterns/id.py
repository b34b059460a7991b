"""Group `id`: numbers of patients, cases, insurances and devices, behind a trigger ("Fallnummer: 12345") and by shape.

Plates, user names, network addresses and barcodes stand in id_other.py.

By shape: health and pension insurance numbers and IBANs by their check digits, register numbers ("H12345/09"), serial
numbers of letters and six digits, and any run of nine digits or more, which no clinical value has.
"""

from __future__ import annotations

import regex

from deid_core.labels import PhiType
from deid_core.recognise.patterns.checksums import (
    is_health_insurance_number,
    is_iban,
    is_pension_insurance_number,
    is_swiss_insurance_number,
)
from deid_core.recognise.patterns.fragments import NO_UNIT, B
from deid_core.recognise.patterns.id_other import OTHER_RULES
from deid_core.recognise.patterns.rule import PatternRule, digits, found

_NUMBER_WORD = r"(?i:nummern?|nr|no|id|kennung)"
_LINK = r"(?:[ \t.:#=]|(?<=:[ \t]{0,2})\n){0,5}(?:(?:lautet|ist):?[ ])?"
_VALUE = rf"""
    (?P<phi>(?!\d{{1,2}}\.{B}?\d{{1,2}}\.)(?:\p{{Lu}}{{1,6}}{B}?[-/. ]?){{0,2}}\d[\p{{L}}\d]{{0,29}}+
        (?:{B}?[-/.]{B}?(?=[\p{{L}}\d]{{0,9}}\d)[\p{{L}}\d]{{1,20}}+
    |[-/]\p{{L}}{{1,4}}(?!\p{{L}})|{B}\d{{2,12}}(?![\p{{L}}\d.,:/-])){{0,6}})(?![.,]?\d)
"""


def _trigger(rule: str, phi_type: PhiType, stems: str, words: str) -> PatternRule:
    """A rule for stems that need a number's word behind them ("Fall-Nr.") and for words that do not ("PIZ")."""
    return PatternRule(
        rule,
        phi_type,
        rf"(?:{stems})(?:-?{_NUMBER_WORD})?\.?|(?:{words})\.?",
        rf"(?:(?:{stems})[.]?{B}?-?{B}?{_NUMBER_WORD}|{words})(?!\p{{L}}){_LINK}{_VALUE}(?:(?<=\d{{6}})|{NO_UNIT})",
        check=_has_three_digits,
    )


def _has_three_digits(match: regex.Match[str]) -> bool:
    return len(digits(found(match))) >= 3


_TRIGGER_RULES = (
    _trigger(
        "id.patient",
        PhiType.PATIENT_ID,
        r"Pat|Patienten?|Pers|Archiv|Krankenblatt|Akten|Kartei|KIS",
        r"PIZ|PID|MRN|Patientenkennung|Krankenblatt-?Nr|PatNr|PatID|Patnr",
    ),
    _trigger(
        "id.case", PhiType.CASE_ID, r"Fall|Aufn|Aufnahme|Besuchs|Behandlungsfall|Episoden|Visit", r"FID|Fallkennung"
    ),
    _trigger(
        "id.insurance",
        PhiType.INSURANCE_ID,
        r"(?:Kranken|Renten|Sozial|Haftpflicht)?[Vv]ersicher(?:ung|ten|ungs|tens)|Vers|KV|SV|RV|Mitglieds"
        r"|Kassen|Krankenkassen|AHV|Policen?|Versichertenkarten?",
        r"KVNR|SVNR|RVNR|AHV|eGK",
    ),
    _trigger(
        "id.device",
        PhiType.DEVICE_ID,
        r"Serien|Ser|Chargen|Charge|Ch|Lot|LOT|Geräte|Implantat|Sonden|Modell|Aggregat|Katalog|Ref|REF|Produkt"
        r"|Prothesen|Inventar",
        r"SN|S/N|Charge|Lot|LOT|UDI|REF|Ch\.-B",
    ),
    _trigger(
        "id.record",
        PhiType.ID,
        r"Auftrags?|Befund|Eingangs|E|J|Histo(?:logie)?|Journal|Labor|Proben?|Untersuchungs|Rezept|Rechnungs?"
        r"|Konto|Kto|Ausweis|Personalausweis"
        r"|Reisepass|Pass|Führerschein|Steuer|Tagebuch|Film|Bild|Protokoll|Barcode|Vorgangs?|Schadens?|Unfall"
        r"|Arzt|Betriebsstätten|LANR|BSNR|IK|Studien|Dokument|Dok"
        r"|Matrikel|Personal|Einsatz|Transport",
        r"LANR|BSNR|IK|BLZ|Az|AZ|Aktenzeichen|Kontonummer|IBAN|Kto|Journalnummer",
    ),
    PatternRule(
        "id.reference",  # "Unser Zeichen: mü/ko" names the writers by their initials
        PhiType.ID,
        r"(?:Unser|Ihr|Mein)e?|Zeichen",
        rf"(?:(?:Unser|Ihr|Mein)e?{B})?Zeichen{B}?:[ \t]{{0,3}}(?P<phi>\p{{L}}{{1,6}}"
        rf"(?:{B}?[-/.]{B}?[\p{{L}}\d]{{1,10}}+){{1,5}}|"
        rf"(?=[\p{{L}}/-]{{0,9}}\d)[\p{{L}}\d][\p{{L}}\d/.-]{{1,25}})",
    ),
)

RULES = (
    *_TRIGGER_RULES,
    PatternRule(
        "id.colon",  # words too common to be a trigger without the colon or a long number
        PhiType.CASE_ID,
        r"Fall|Pat\.?|Patient(?:in)?|Aufnahme|Behandlung|S",
        rf"(?:(?:Fall|Pat\.?|Patient(?:in)?|Aufnahme|Behandlung)"
        rf"(?::[ \t]{{0,3}}(?P<phi>\d{{5,12}}+)|{B}(?P<phi>\d{{6,12}}+))"
        rf"|S/N:?{B}?(?P<phi>\d{{5,12}}+))"
        rf"(?![\p{{L}}.,/-]?\d){NO_UNIT}",
    ),
    PatternRule(
        "id.document",
        PhiType.ID,
        r"(?:Personala|A)usweis|(?:Reisep|P)ass|Führerschein|Aufenthaltstitel",
        rf"\p{{L}}{{4,20}}+:?{B}(?P<phi>(?=[A-Z\d]{{0,9}}\d[A-Z]{{0,9}}\d)[A-Z\d]{{8,12}}+)(?!\p{{L}})",
    ),
    PatternRule(
        "id.health_insurance",
        PhiType.INSURANCE_ID,
        r"[A-Za-z]\d{9}",
        r"[A-Za-z]\d{9}(?![\p{L}\d])",
        check=is_health_insurance_number,
    ),
    PatternRule(
        "id.pension_insurance",
        PhiType.INSURANCE_ID,
        r"\d{2}|\d{8}",
        rf"\d{{2}}{B}?[0-3]\d[01]\d\d{{2}}{B}?[A-Z]{B}?\d{{3}}(?![\p{{L}}\d])",
        check=is_pension_insurance_number,
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
        rf"[A-Z]{{2}}\d{{2}}(?:{B}?[A-Z\d]{{4}}){{2,7}}(?:{B}?[A-Z\d]{{1,3}}(?![\p{{L}}\d]))?(?![\p{{L}}\d])",
        check=is_iban,
    ),
    PatternRule(
        "id.register",
        PhiType.ID,
        r"\p{Lu}{1,3}\d{4,7}",
        rf"\p{{Lu}}{{1,3}}\d{{4,7}}{B}?[-/]{B}?(?:(?:19|20)\d\d|\d\d)(?!\d)",
        score=0.8,
    ),
    PatternRule(
        "id.serial",
        PhiType.DEVICE_ID,
        r"\p{Lu}{2,4}\d{6,12}\p{L}?",
        r"\p{Lu}{2,4}\d{6,12}\p{L}?(?![\p{L}\d])",
        score=0.6,
    ),
    PatternRule("id.letter_number", PhiType.ID, r"\p{Lu}\d{7,12}", r"\p{Lu}\d{7,12}(?![\p{L}\d])", score=0.6),
    PatternRule("id.long_number", PhiType.ID, r"\d{9,}+\p{L}?", r"\d++", score=0.5),
    PatternRule("id.number", PhiType.ID, r"Nr\.?", rf"Nr\.?:?{B}?(?P<phi>\d{{6,}}+){NO_UNIT}", score=0.5),
    *OTHER_RULES,
)
