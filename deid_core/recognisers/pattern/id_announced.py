"""Rules of the group `id` for numbers after a word: "Fallnummer: 12345", "Konserven-Nr. D 27 40", "AOK W 204 881 553".

Three kinds of words announce a number: stems that need a word for "number" after them ("Fall-Nr."), words that do not
("PIZ", "Aktenzeichen"), and any noun that ends in Nr. or -nummer, except those of rooms, telephones and articles. The
number may contain letters and blanks; it must have at least three digits.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import NO_UNIT, B
from deid_core.recognisers.pattern.id_number import (
    BETWEEN,
    VALUE,
    has_four_digits,
    has_seven_digits,
    has_three_digits,
    is_case_number,
    is_record_number,
)
from deid_core.recognisers.pattern.ocr import DIGIT
from deid_core.recognisers.pattern.rule import PatternRule

_LETTERED_NUMBER = r"\p{L}{0,5}-?\d.*|[:/-]|\p{Lu}{1,3}|Nr\.?"
"""An identifying number, possibly with letters before it, or a token between the cue and the number."""
_NUMBER_WORD = r"(?:nummern?|nr|no|id|kennung)"


def _announced(kind: str, phi_type: PhiType, *, stem_fragments: str = "", word_fragments: str = "") -> PatternRule:
    """Return the rule "id.<kind>" for the two lists of the kind, in any case of letters.

    Stems need a word for "number" after them, words do not. Fragments are alternatives that no list can hold.
    """
    stems = "|".join(filter(None, (alternatives(f"pattern/{kind}-number-stems"), stem_fragments)))
    words = "|".join(filter(None, (alternatives(f"pattern/{kind}-number-words"), word_fragments)))
    return PatternRule(
        f"id.{kind}",
        phi_type,
        token_regex=rf"(?i:(?:{stems})-?{_NUMBER_WORD}|{words})\.?",
        pattern=rf"(?:(?i:{stems})\.?{B}?-?{B}?(?i:{_NUMBER_WORD})|(?i:{words}))(?!\p{{L}}){BETWEEN}{VALUE}"
        rf"(?:(?<=\d{{6}})|{NO_UNIT})",
        check=has_three_digits,
        token_pair=(rf"(?i:{stems})\.?", rf"-|(?i:{_NUMBER_WORD})\.?"),
    )


_INSURER = rf"(?:{alternatives('pattern/insurers-before-numbers')})"
_THINGS_WITH_NUMBERS = alternatives("pattern/things-with-numbers")
_NO_PERSONAL = rf"(?!(?i:{_THINGS_WITH_NUMBERS})-?(?i:nr|nummer|no|id)|\p{{L}}{{0,20}}(?:telefon|fax|ruf|handy)nummer)"
_NO_PLACE_BEFORE = rf"(?<!(?<!\p{{L}})(?i:{alternatives('pattern/words-before-room-numbers')})[ -]?{B}?)"
"""No room, article or chapter is numbered: "Zimmer Nr. 1234", "Artikel-Nr. 1234"."""
_RECORD_WORDS = alternatives("pattern/record-words")
_RECORD = rf"""
    (?i:{_RECORD_WORDS}|(?:\p{{L}}{{1,12}})?biopsie|\p{{L}}{{3,12}}ref\.?|(?-i:Ref\.)|\p{{L}}{{2,20}}(?:ausweis|pass
    |schein|nachweis|(?<!an)meldung|bewilligung|karte|op-bericht|serie|transmitter|gerät|einsendung|akte|-code))
"""
"""Words directly before the number of a record, a sample or a document."""

ANNOUNCED_RULES = (
    _announced("patient", PhiType.PATIENT_ID),
    _announced("case", PhiType.CASE_ID),
    _announced(
        "insurance",
        PhiType.INSURANCE_ID,
        stem_fragments=r"(?:Kranken|Renten|Sozial|Haftpflicht)?versicher(?:ung|ten|ungs|tens)",
        word_fragments=r"(?<!-V[ ])SV",
    ),
    _announced("device", PhiType.DEVICE_ID, word_fragments=r"(?:\p{L}{2,12}-)?SN|(?:\p{L}{2,20})?Charge"),
    _announced("record", PhiType.ID, word_fragments=r"(?:\p{L}{2,12}-)?(?:LANR|BSNR|IK|Az)"),
    PatternRule(
        "id.reference",  # "Unser Zeichen: mü/ko" has the initials of the writers
        PhiType.ID,
        token_regex=r"(?:Unser|Ihr|Mein)e?|Zeichen",
        pattern=rf"(?:(?:Unser|Ihr|Mein)e?{B})?Zeichen{B}?:[ \t]{{0,3}}(?P<phi>\p{{L}}{{1,6}}"
        rf"(?:{B}?[-/.]{B}?[\p{{L}}\d]{{1,10}}+){{1,5}}"
        rf"|(?=[\p{{L}}/-]{{0,9}}\d)[\p{{L}}\d][\p{{L}}\d/.-]{{1,25}})",
    ),
    PatternRule(
        "id.case_short",  # "Fall 18-77120", "FALL:⇥0302217"; such common words need a long number
        PhiType.CASE_ID,
        pattern=rf"(?i:(?:\p{{L}}{{2,8}}-)?Fall|Pat\.?|Patient(?:in)?|Aufnahme|Behandlung|S/N)[ \t:]{{1,4}}"
        rf"(?:Nr\.?:?{B})?"
        rf"(?P<phi>(?!\d{{1,2}}(?:\.{B}?|/)\d{{1,2}}[./])[A-Z]?{B}?(?=[OIl]?\d){DIGIT}{{2,12}}+(?:[-/.]\d{{1,9}}+"
        rf"|{B}\d{{2,8}}(?![.,/:-]?\d)){{0,3}})"
        rf"(?![\p{{L}}.,/-]?\d){NO_UNIT}",
        check=is_case_number,
        token_pair=(r"(?i:(?:\p{L}{2,8}-)?Fall|Pat\.?|Patient(?:in)?|Aufnahme|Behandlung)|S", _LETTERED_NUMBER),
    ),
    PatternRule(
        "id.insurer",  # "AOK Nordost⇥H663 820 194", "DAK (Nr. D 771 204 65)", "Knappschaft 36 070936 L 512"
        PhiType.INSURANCE_ID,
        token_regex=_INSURER,
        pattern=rf"{_INSURER}(?!\p{{L}})(?:[ \t,:/(.-]{{1,3}}(?![ ])"
        rf"(?!(?i:tel|fax|telefon|konto|iban|uhr|seit|vom|am)(?!\p{{L}}))"
        rf"(?!(?i:zahl|zl|gz|az|blz|bk|fall|einträge)(?!\p{{L}}))\p{{L}}[\p{{L}}.-]{{1,24}}"
        rf"){{0,4}}[ \t,:/(.]{{1,4}}{VALUE}{NO_UNIT}",
        check=has_seven_digits,
        score=0.9,
    ),
    PatternRule(
        "id.record_short",  # "Histologie B12-33817", "Rechnung 17-0632", "Auftrag MP 4417/22"
        PhiType.ID,
        token_regex=rf"{_RECORD}\.?",
        pattern=rf"[\p{{L}}-]{{2,30}}+\.?:?[ \t(]{{1,3}}(?:(?i:[\p{{L}}]{{0,5}}\.?nr|nummer)\.?:?{B})?{VALUE}{NO_UNIT}",
        check=is_record_number,
        score=0.7,
    ),
    PatternRule(
        "id.lot",  # "Ch.-B. AB123C", "ch.b. ab 0123c", "(Ch. 4417 003 B)"; not "CH-8000 Zürich" nor "Ch 16"
        PhiType.ID,
        token_regex=r"(?i:chg?|lot)\.?",
        pattern=rf"(?i:chg?|lot)\.?(?:{B}?-?{B}?(?i:b|bez|nr)\.)?:?{B}?(?!\d{{4}}{B}\p{{Lu}}\p{{Ll}}){VALUE}{NO_UNIT}",
        check=is_record_number,
        score=0.8,
    ),
    PatternRule(
        "id.noun_number",  # "Konserven-Nr. D 2740 21", "Mitgliedsnr. 52 150352 G 004"
        PhiType.ID,
        token_regex=r"(?i:\p{L}[\p{L}\d/-]{1,30}?(?:nr|nummer|-no|-id|-kennung|-zahl|-zeichen)\.?)",
        pattern=rf"{_NO_PERSONAL}[\p{{L}}\d/-]{{3,40}}+{BETWEEN}{VALUE}{NO_UNIT}",
        check=has_four_digits,
        score=0.7,
    ),
    PatternRule(
        "id.number",
        PhiType.ID,
        token_regex=r"(?i:nr|nummer|no)\.?",
        pattern=rf"{_NO_PLACE_BEFORE}(?i:nr|nummer|no)\.?:?[ \t]?{VALUE}{NO_UNIT}",
        check=has_four_digits,
        score=0.5,
    ),
)
