"""Rules of the group `id` for numbers behind a word: "Fallnummer: 12345", "Konserven-Nr. D 27 40", "AOK W 204 881 553".

Three kinds of words announce a number: stems that need a number's word behind them ("Fall-Nr."), words that do not
("PIZ", "Aktenzeichen"), and any noun that ends in Nr. or -nummer, except those of rooms, telephones and articles. The
number may have letters before, within and behind, and blanks; less than three digits are none.
"""

from __future__ import annotations

import regex

from deid_core.labels import PhiType
from deid_core.recognise.patterns.fragments import MONTH_NAME, NO_UNIT, B
from deid_core.recognise.patterns.rule import NOWHERE, PatternRule, digits, found

_NUMBER_WORD = r"(?:nummern?|nr|no|id|kennung)"
_LINK = r"(?:[ \t.:#=]|(?<=:[ \t]{0,2})\n){0,12}(?:(?:lautet|ist|wird|alt|neu):?[ ])?"
_NO_WORD = rf"""
    (?!{MONTH_NAME}|IBAN|[A-Z]{{2}}\d{{2}}{B}\d{{4}}{B}|\d{{1,2}}\.{B}?\d{{1,2}}\.|(?:am|vom|im|bis|von|und|zu|mit|in|der|die|das|ist|an|ca|für|auf|ab|seit|nach|li|re
    |je|bei|des|dem|den|mm|cm|ml|mg|kg|(?i:tel|fax|uhr))(?!\p{{L}}))
"""
_PREFIX = r"(?:\p{Lu}{1,6}(?!\p{Ll})[ ]?[-/.]?|\p{Lu}\p{Ll}{1,3}(?!\p{L})[-/ ]?|\p{Ll}{1,4}(?!\p{L})[- ]?)"
VALUE = rf"""
    (?P<phi>{_NO_WORD}(?:{_PREFIX}[ ]?){{0,2}}\d[\p{{L}}\d]{{0,29}}+
        (?:{B}?[-/.]{B}?(?=[\p{{L}}\d]{{0,9}}\d)[\p{{L}}\d]{{1,20}}+
        |[-/]\p{{L}}{{1,4}}(?!\p{{L}})
        |{B}(?:XVII|XVI|X?I?[XV]?I{{1,3}}){B}(?=\d)\d{{1,5}}
        |{B}[A-Za-z]{B}?\d{{2,4}}(?![\p{{L}}\d,.]\d|[\p{{L}}\d])
        |{B}[A-Z](?![\p{{L}}\d.])
        |{B}(?!\d{{5}}{B}\p{{Lu}}|\d\d\.){_NO_WORD}\d{{2,12}}(?!\p{{L}}|[.,:]?\d)){{0,6}})(?![.,]?\d)
"""
"""A number with its letters, marks and blanks; neither a date nor a postcode with its town is swallowed."""


def _has_three_digits(match: regex.Match[str]) -> bool:
    return len(digits(found(match))) >= 3


def _has_four_digits(match: regex.Match[str]) -> bool:
    return len(digits(found(match))) >= 4


def _has_seven_digits(match: regex.Match[str]) -> bool:
    return len(digits(found(match))) >= 7


_MONTH_OR_YEAR = regex.compile(r"(?:\d{1,2}[./-])?(?:19|20)\d\d|(?:19|20)\d\d[/-]\d{1,2}|\d{1,2}[./-]\d{1,2}")


def _is_record_number(match: regex.Match[str]) -> bool:
    """Five digits, or four with a letter or a mark among them; no month and year."""
    number = found(match)
    enough = 4 if any(not character.isdecimal() for character in number) else 5
    return len(digits(number)) >= enough and _MONTH_OR_YEAR.fullmatch(number) is None


def _is_case_number(match: regex.Match[str]) -> bool:
    """Six digits, or five behind a colon or a tab, or with a mark among them; no month and year."""
    number = found(match)
    count = len(digits(number))
    parted = any(mark in number for mark in "-/") or any(mark in match.group()[: -len(number)] for mark in ":\t")
    return count >= (5 if parted else 6) and _MONTH_OR_YEAR.fullmatch(number) is None


def _trigger(rule: str, phi_type: PhiType, stems: str, words: str) -> PatternRule:
    """A rule for stems that need a number's word behind them and for words that do not, in any case of letters."""
    return PatternRule(
        rule,
        phi_type,
        rf"(?i:(?:{stems})-?{_NUMBER_WORD}|{words})\.?",
        rf"(?:(?i:{stems})\.?{B}?-?{B}?(?i:{_NUMBER_WORD})|(?i:{words}))(?!\p{{L}}){_LINK}{VALUE}"
        rf"(?:(?<=\d{{6}})|{NO_UNIT})",
        check=_has_three_digits,
        before=(rf"(?i:{stems})\.?", rf"-|(?i:{_NUMBER_WORD})\.?"),
    )


_INSURER = r"""
    (?:AOK|Aok|aok|DAK|Dak|dak|TK|BKK|Bkk|bkk|IKK|Ikk|ikk|KKH|kkh|LKK|HEK|BEK|bek|GEK|gek|mkk|SBK|SVLFG|SVS|SVA|SVB|ÖGK|OÖGKK|NÖGKK
    |WGKK|STGKK|BVA|BVAEB|VAEB|Barmer|barmer|BARMER|Techniker|Knappschaft|KNAPPSCHAFT|knappschaft|Debeka|DEBEKA|DKV|Signal|HUK
    |Allianz|AXA|Axa|Continentale|Helsana|CSS|Swica|SWICA|Sanitas|Concordia|Visana|KPT|Assura|Sympany|Atupri|Suva|SUVA|[Kk]asse
    |KASSE|Krankenkasse|Krankenversicherung|Rentenversicherung|Versicherung|VERSICHERUNG|Versicherer|DRV|BfA|LVA|BG)
"""
_NO_PERSONAL = r"""
    (?!(?i:zimmer|haus|tel|fax|telefon|telefax|ruf|handy|mobil|funk|pzn|artikel|art|modell|typ|bestell|katalog|ref|ziffer|seiten
    |kapitel|post|icd|ops|drg|goä|ebm|raum|bett|stations|lauf|lfd|ordnungs|größen|abb|tab|rück|hotline|notruf|durchwahl
    |gleis|platz|haus|straßen|kenn)-?(?i:nr|nummer|no|id)|\p{L}{0,20}(?:telefon|fax|ruf|handy)nummer)
"""
_NO_PLACE_BEFORE = rf"""
    (?<!(?<!\p{{L}})(?i:zimmer|raum|bett|haus|ziffer|pzn|art\.|artikel|modell|bestell|kapitel|abb\.|tab\.|platz|gleis|goä
    |straße|stra(?:ss|ß)e|weg|tel\.?|fax|lfd\.|lfd|chromosom|größe|gr\.|typ|telefon|mobil|handy)[{B}-]?{B}?)
"""

ANNOUNCED_RULES = (
    _trigger(
        "id.patient",
        PhiType.PATIENT_ID,
        r"Pat|Patienten?|Pers|Archiv|Krankenblatt|Akten|Kartei|KIS|Amb|Ambulanz",
        r"PIZ|PID|MRN|Patientenkennung|Krankenblatt-?Nr|Pat\.?-?Nr|Pat-?ID|Pat-?Ident|ID|Kartei(?=[ ][A-Z][ ]?\d)",
    ),
    _trigger(
        "id.case",
        PhiType.CASE_ID,
        r"Fall|Aufn|Aufnahme|Besuchs|Behandlungsfall|Episoden|Visit|Ma(?:ß|ss)nahme|Einsatz|Tu|OP|Schein",
        r"FID|Fallkennung|Aufnahmezahl|Fallzahl|Acc|Accession",
    ),
    _trigger(
        "id.insurance",
        PhiType.INSURANCE_ID,
        r"(?:Kranken|Renten|Sozial|Haftpflicht)?versicher(?:ung|ten|ungs|tens)|Vers|KV|SV|RV|VS|Mitglieds?|Mitgl"
        r"|Kassen|Krankenkassen|AHV|Policen?|Pol|Versichertenkarten?|Vertrags?|Zulage",
        r"KVNR|SVNR|RVNR|VSNR|AHV|eGK|SV|RVNr|Vertrag|Mitglied|Mitgl",
    ),
    _trigger(
        "id.device",
        PhiType.DEVICE_ID,
        r"Serien|Serie|Ser|Chargen|Charge|Ch|Lot|Geräte|Gerät|Implantat|Sonden|Aggregat|Produkt|Pass|Endoprothesenpass"
        r"|Prothesen|Inventar|Hörgerät(?:[ ](?:re|li|rechts|links)\.?)?|Rekorder|Pumpe",
        r"(?:\p{L}{2,12}-)?SN|S/N|Charge|Lot|UDI|Ch\.-B|Ser",
    ),
    _trigger(
        "id.record",
        PhiType.ID,
        r"Auftrags?|Befund|Eingangs|E|J|Histo(?:logie)?|Journal|Labor|Lab|Proben?|Untersuchungs|Unters|Rezept|Rechnungs?|Rechn"
        r"|Konto|Kto|Ausweis|Personalausweis|Konserven|Karten|Blut|UR|Brief|Röntgen|Rö|D-Arzt"
        r"|Reisepass|Führerschein|Steuer|St|Tagebuch|Film|Bild|Protokoll|Barcode|Vorgangs?|Schadens?|Unfall"
        r"|Arzt|KV-Arzt|Betriebsstätten|LANR|BSNR|IK|Studien|Dokument|Dok"
        r"|Matrikel|Personal|Transport|Melde|ZSR|Acc|Geb\.?-?Buch|Teilnehmer|Schnitt|Sendungs",
        r"LANR|BSNR|IK|BLZ|Az|Aktenz|Aktenzeichen|(?:Ihr|Unser)[ ]Zeichen|Gesch\.?-?z\.?"
        r"|(?:Geschäfts|Kassen)zeichen|Kontonummer|IBAN|Kto|Konto|Journalnummer"
        r"|DVR|GLN|BKZ|Chiffre|Kennziff|Kennziffer|Urkundenrolle|UR-?Nr",
    ),
    PatternRule(
        "id.reference",  # "Unser Zeichen: mü/ko" names the writers by their initials
        PhiType.ID,
        r"(?:Unser|Ihr|Mein)e?|Zeichen",
        rf"(?:(?:Unser|Ihr|Mein)e?{B})?Zeichen{B}?:[ \t]{{0,3}}(?P<phi>\p{{L}}{{1,6}}"
        rf"(?:{B}?[-/.]{B}?[\p{{L}}\d]{{1,10}}+){{1,5}}|"
        rf"(?=[\p{{L}}/-]{{0,9}}\d)[\p{{L}}\d][\p{{L}}\d/.-]{{1,25}})",
    ),
    PatternRule(
        "id.case_short",  # "Fall 18-77120", "FALL:⇥0302217"; such common words need a long number
        PhiType.CASE_ID,
        NOWHERE,
        rf"(?i:Fall|Pat\.?|Patient(?:in)?|Aufnahme|Behandlung|S/N)[ \t:]{{1,4}}(?:Nr\.?:?{B})?"
        rf"(?P<phi>(?!\d{{1,2}}\.{B}?\d{{1,2}}\.)[A-Z]?{B}?\d{{2,12}}+(?:[-/]\d{{2,9}}+|{B}\d{{2,8}}(?![.,/:-]?\d)){{0,3}})"
        rf"(?![\p{{L}}.,/-]?\d){NO_UNIT}",
        check=_is_case_number,
        before=(r"(?i:Fall|Pat\.?|Patient(?:in)?|Aufnahme|Behandlung)|S", r"[\d:/].*|[A-Z]|Nr\.?"),
    ),
    PatternRule(
        "id.document",
        PhiType.ID,
        r"(?:Personala|A)usweis|(?:Reisep|P)ass|Führerschein|Aufenthaltstitel",
        rf"\p{{L}}{{4,20}}+:?{B}(?P<phi>(?=[A-Z\d]{{0,9}}\d[A-Z]{{0,9}}\d)[A-Z\d]{{8,12}}+)(?!\p{{L}})",
    ),
    PatternRule(
        "id.insurer",  # "AOK Nordost⇥H663 820 194", "DAK (Nr. D 771 204 65)", "Knappschaft 36 070936 L 512"
        PhiType.INSURANCE_ID,
        _INSURER,
        rf"{_INSURER}(?!\p{{L}})(?:[ \t,:/(.-]{{1,3}}(?![ ])"
        rf"(?!(?i:tel|fax|telefon|konto|iban|uhr|seit|vom|am)(?!\p{{L}}))"
        rf"\p{{L}}[\p{{L}}.-]{{1,24}}"
        rf"){{0,4}}[ \t,:/(.]{{1,4}}{VALUE}{NO_UNIT}",
        check=_has_seven_digits,
        score=0.9,
    ),
    PatternRule(
        "id.record_short",  # "Histologie B12-33817", "Rechnung 17-0632", "Auftrag MP 4417/22"
        PhiType.ID,
        r"(?i:histo|histologie|zytologie|(?:\p{L}{1,12})?biopsie|probe|rechnung|auftr\.?|auftrag|beleg|protokoll|journal|vorgang"
        r"|begleitschein|konserven?|karte|kartei|video|film|(?:bg-)?akte|blutkultur|abstrich|pseudonym|zahl|\p{L}{3,12}ref\.?|(?-i:Ref\.)|serie|schaden"
        r"|gerät|implantat|sensor|transmitter|vorbefunde?|röhrchen|präparat|zeichen|standesamt)",
        rf"[\p{{L}}-]{{3,30}}+\.?:?[ \t(]{{1,3}}{VALUE}{NO_UNIT}",
        check=_is_record_number,
        score=0.7,
    ),
    PatternRule(
        "id.noun_number",  # "Konserven-Nr. D 2740 21", "Mitgliedsnr. 52 150352 G 004"
        PhiType.ID,
        r"(?i:\p{L}[\p{L}\d/-]{1,30}?(?:nr|nummer|-no|-id)\.?)",
        rf"{_NO_PERSONAL}[\p{{L}}\d/-]{{3,40}}+{_LINK}{VALUE}{NO_UNIT}",
        check=_has_four_digits,
        score=0.7,
    ),
    PatternRule(
        "id.number",
        PhiType.ID,
        r"(?i:nr|nummer|no)\.?",
        rf"{_NO_PLACE_BEFORE}(?i:nr|nummer|no)\.?:?{B}?{VALUE}{NO_UNIT}",
        check=_is_record_number,
        score=0.5,
    ),
)
