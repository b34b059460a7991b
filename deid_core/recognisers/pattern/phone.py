"""Group `phone`: telephone and fax numbers, by their form and after a trigger.

Seed 000's expression lost the last token of one number in three (section 7.2: recall 0.58). Here a number extends to
its end, with extensions (-0, "/ -35", App. 12) and all further groups of digits. It ends before a unit, a date or a
postcode with its town.
"""

from __future__ import annotations

import regex

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import DAY, MONTH, NO_UNIT, B
from deid_core.recognisers.pattern.next_token import SHORT_DIGITS
from deid_core.recognisers.pattern.ocr import DIGIT
from deid_core.recognisers.pattern.rule import PatternRule, decimal_count, phi_text

_END = rf"(?!\d|,\d|[-/.]\d)(?:(?<=[\d /()-]{{7}})|{NO_UNIT})"
"""A number ends here, and if it is short no unit follows: "Mobil 300 m"."""
_STEP = rf"(?:{B}?\.{B}?(?=\d)|{B}?[-/]{{1,2}}{B}?|{B}(?=\d)|{B}?[-/]{B}?\n{B}?(?=\d{{4}}(?!\.)))"
"""Separators between two groups of digits; after some the number may continue in the next line."""
_NOT_NEXT = (
    rf"(?!{DAY}\.{B}?{MONTH}\.(?!\d\d?\.\d)|\d{{5}}{B}\p{{Lu}}|(?<!\d-)(?:19|20)\d\d{B}\p{{Ll}}"
    rf"|\d{{1,2}}[:.]\d\d{B}?Uhr"
    rf"|\d{{1,4}}{B}?(?:Uhr|mg|Jahre))"
)
_GROUP = rf"{_NOT_NEXT}\d{{1,14}}+(?!,\d)"
_MORE = rf"(?:{_STEP}{_GROUP})"
_TAIL = (
    rf"(?:{B}?(?:/|,|oder|od\.|und|u\.|bis){B}?-{B}?\d{{1,5}}+){{0,4}}"
    rf"(?:(?:{B}?+,{B}?+|{B}{{0,2}}+)(?:(?i:app\.?|apparat|dw|durchwahl)|[Ee]xt\.?):?{B}?-?\d{{1,5}}+)?"
)

_WORDS_BEFORE_PHONE_NUMBERS = alternatives("pattern/words-before-phone-numbers")
_BETWEEN = rf"""
    (?:[ \t.:,/&-]{{0,3}}+(?=\p{{L}})(?i:{_WORDS_BEFORE_PHONE_NUMBERS})(?!\p{{L}})){{0,4}}
    (?:[ \t.:\#]|(?<=:)\n){{0,4}}(?:\((?![+\d\ ]{{1,10}}\)))?(?:-[ ]?(?=\d))?
"""
"""Between the trigger and its number. The look-ahead for a letter saves trying the words."""
_VALUE = rf"""
    (?P<phi>{_NOT_NEXT}(?:\(?(?:\+{B}?|00)?\d{{1,14}}+(?:{B}?[-/]?{B}?\({B}?0?\d{{0,5}}{B}?\){B}?)?
        (?:\)?{B}?{_MORE}|\){B}?{_GROUP}){{0,7}}
    |(?<=-{B}?)\d{{1,6}}+{_MORE}{{0,2}}){_TAIL}){_END}
"""
"""A number after a trigger; it may be short, or only an extension."""
_PHONE_WORD = rf"(?:(?i:{alternatives('pattern/phone-words')})|Te1|{alternatives('pattern/phone-words-exact')})"
_FAX_WORD = r"(?i:(?:tele)?fax(?:nummer|nr)?)"
_NO_SCAN = rf"(?!\d[\d /-]{{1,16}}[lIO](?:{DIGIT}|[ ]\d))"
"""A number that continues with a letter for a digit is left to the rules for OCR errors, which take it whole."""
_SCANNED_GROUP = rf"{DIGIT}{{1,8}}+"
_WEAK_WORD = (
    r"(?:Pforte|Zentrale|Vermittlung|Sekretariat|Ambulanz|Station|Intensivstation|Anmeldung|Terminvergabe"
    r"|Leitstelle|Empfang)"
)
_EMERGENCY = frozenset({"110", "112", "133", "144", "116117", "116 117"})
"""Public numbers, the same for everybody in Germany, Austria and Switzerland."""
_EXTENSION = regex.compile(r"(?i)(?:app|apparat|durchwahl|dw)[.: ]*+$")


def _enough_after_cue(match: regex.Match[str]) -> bool:
    """Return whether a number has three digits, or is an extension of two, and no public emergency number."""
    number = phi_text(match)
    if number in _EMERGENCY:
        return False
    before = match.group()[: match.start("phi") - match.start()].rstrip()
    return decimal_count(number) >= (2 if before.endswith("-") or _EXTENSION.search(before) else 3)


def _enough_by_shape(match: regex.Match[str]) -> bool:
    """Return whether a number has seven digits with separators, or eight with blanks only."""
    number = phi_text(match)
    return (8 if not any(mark in number for mark in "-/().") else 7) <= decimal_count(number) <= 22


def _enough_scanned(match: regex.Match[str]) -> bool:
    """Return whether a number has a letter read for a digit, four digits and seven in all."""
    number = phi_text(match)
    letters = sum(letter in "lIO" for letter in number)
    return letters > 0 and decimal_count(number) >= 4 and letters + decimal_count(number) >= 7


def _enough_with_country(match: regex.Match[str]) -> bool:
    """Return whether a number with its country code has 8 to 22 digits."""
    return 8 <= decimal_count(phi_text(match)) <= 22


RULES = (
    PatternRule(
        "phone.scanned",  # l, I and O for 1 and 0
        PhiType.PHONE,
        token_regex=r"(?i:tel|te[1l]|telefon|fax|telefax|ruf|fernruf|rückfragen|fragen|handy|privat)\.?",
        pattern=r"\p{L}{2}[\p{L}\d]{0,9}+[.: \t(]{1,4}"
        rf"(?P<phi>(?=[\d /().-]{{0,20}}[lIO])(?=(?:[^\d\n]{{0,4}}\d){{4}})[O0+]{DIGIT}[\dlIO /().-]{{4,22}}"
        rf"{DIGIT})(?!\p{{L}})",
        score=0.8,
    ),
    PatternRule(
        "phone.fax",
        PhiType.FAX,
        token_regex=rf"{_FAX_WORD}\.?\d*|{_FAX_WORD}-(?i:nr|nummer)\.?",
        pattern=rf"\p{{L}}{{3,20}}+(?:-(?i:nr|nummer))?{_BETWEEN}{_NO_SCAN}{_VALUE}",
        check=_enough_after_cue,
    ),
    PatternRule(
        "phone.cue",
        PhiType.PHONE,
        token_regex=rf"{_PHONE_WORD}\.?\d*|{_PHONE_WORD}-(?i:nr|nummer)\.?",
        pattern=rf"(?>Te1|\p{{L}}{{2,20}})(?:-(?i:nr|nummer))?{_BETWEEN}{_NO_SCAN}(?!\d{{1,2}}[.:]\d\d(?![\d/.-])){_VALUE}",
        check=_enough_after_cue,
        score=0.9,
    ),
    PatternRule(
        "phone.extension",
        PhiType.PHONE,
        token_regex=_WEAK_WORD,
        pattern=rf"{_WEAK_WORD}(?:{B}(?:Frau|Fr\.|Herr|Hr\.){B}\p{{Lu}}[\p{{L}}-]{{1,25}})?[ \t:,(]{{0,3}}"
        rf"(?:-(?P<phi>\d{{2,5}}+{_TAIL})|(?P<phi>(?<=:{B}?)\d{{4,8}}+)){_END}",
        score=0.8,
    ),
    PatternRule(
        "phone.scanned_national",  # "O3984 / 33-O", "0172/6 88 O1 94"
        PhiType.PHONE,
        token_regex=rf"O{DIGIT}{{2,5}}|0\d{{2,4}}(?:[-/.]\d+)*[lIO]?",
        pattern=rf"[O0]{DIGIT}{{2,5}}(?:\){B}?|{B}?[/-]{B}?|{B}){_SCANNED_GROUP}"
        rf"(?:(?:{B}?-{B}?|{B}){_SCANNED_GROUP}){{0,5}}(?![\p{{L}}\d]|[.,]\d)",
        check=_enough_scanned,
        score=0.8,
    ),
    PatternRule(
        "phone.international",
        PhiType.PHONE,
        token_regex=r"00[1-9]\d*(?:[-/.]\d+)*",
        pattern=rf"(?<!_)(?:\+{B}?|00)[1-9]\d{{0,14}}+(?:{B}?[-/.]?{B}?\({B}?\d{{1,6}}{B}?\)(?:{B}(?=\d))?)?(?:{_MORE}|{_GROUP}){{0,8}}{_TAIL}",
        check=_enough_with_country,
        token_pair=(r"\+", r"[1-9].*"),
    ),
    PatternRule(
        "phone.parenthesised",
        PhiType.PHONE,
        pattern=rf"\({B}?(?:\+\d{{1,3}}(?:{B}\d{{1,5}})?|0"
        rf"(?:{B}?\d){{1,5}}){B}?[-/]?{B}?\){B}?[-/]?{B}?{_GROUP}{_MORE}{{0,6}}{_TAIL}",
        check=_enough_by_shape,
        token_pair=(r"\(", r"\+|0\d*"),
    ),
    PatternRule(
        "phone.national",
        PhiType.PHONE,
        token_regex=r"0[1-9]\d{1,4}(?:[-/.]\d+)*",
        pattern=rf"(?<!_)0[1-9]\d{{1,4}}+{_MORE}{{1,7}}{_TAIL}{_END}",
        check=_enough_by_shape,
        score=0.9,
    ),
    PatternRule(
        "phone.spaced",  # the former DIN 5008: digits in pairs, "0 62 21 / 56 12 34"
        PhiType.PHONE,
        pattern=rf"0{B}\d{{2,3}}{B}(?:\d{{2}}{B})?[-/]{B}?{_GROUP}{_MORE}{{0,5}}{_TAIL}{_END}",
        check=_enough_by_shape,
        score=0.9,
        token_pair=("0", SHORT_DIGITS),
    ),
    PatternRule(
        "phone.unseparated",
        PhiType.PHONE,
        token_regex=r"0[1-9]\d{7,12}(?:[-/.]\d+)*",
        pattern=rf"0[1-9]\d{{7,12}}+(?!\d){_MORE}{{0,3}}{_TAIL}",
        score=0.6,
    ),
)
