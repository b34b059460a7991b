"""Rules of the group `id` for number plates, type `id`, and ships, type `other` (both HIPAA item 12).

A German plate with a hyphen is found anywhere if it begins with a district of the list ("HD-AB 123"). The list lacks
the districts that clinical abbreviations share ("CK-MB 310", "EF-AB 12"); those need a vehicle or "Kennzeichen" before
them. Austrian plates ("W-12345 X") and German ones with blanks only ("KA QR 815") need such a word right before them.
Not found: small letters ("hd-ab 123"), no separator at all ("HDAB123"), blanks around the hyphen ("M - KL 905"), Swiss
plates ("ZH 123456"), and districts outside the list after other words ("Taxi F-TX 2031"). Cases are in id.tsv.

Ships: a name in quotes after MS, Kutter and the like. MS without a name in quotes is multiple sclerosis.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import NO_UNIT, B
from deid_core.recognisers.pattern.rule import PatternRule

_DISTRICT = rf"(?:{alternatives('pattern/number-plate-districts')})"
_NO_TERM = rf"(?!(?:{alternatives('pattern/abbreviations-like-districts')})-)"
_DIGITS = r"\d{1,4}[EH]?(?![\p{L}\d]|[.,:/-]\d)"
_GERMAN = rf"[A-ZÄÖÜ]{{1,3}}-{B}?[A-Z]{{1,2}}{B}?{_DIGITS}"
_AUSTRIAN = rf"[A-Z]{{1,2}}[- ]{B}?\d{{1,5}}{B}?[A-Z]{{1,3}}(?![\p{{L}}\d-])"
_PLATE_WORD = rf"(?i:{alternatives('pattern/vehicles')}|(?:kfz-?|auto-?)?kennz(?:eichen|\.)?)"
_SHIP = rf"(?i:{alternatives('pattern/ships')})"
_OPEN, _CLOSE = "[\"„“»«‚'”]", "[\"“”»«‘']"

PLATE_RULES = (
    PatternRule(
        "id.plate",  # "HD-AB 123", "PKW (XY-Z 12)"
        PhiType.ID,
        token_regex=r"[A-ZÄÖÜ]{1,3}-[A-Z]{1,2}(?:\d{1,4}[EH]?)?",
        pattern=rf"(?={_GERMAN})(?<![\p{{L}}\d.,/:-])(?:{_NO_TERM}{_DISTRICT}-[A-Z]{{1,2}}{B}?{_DIGITS}{NO_UNIT}"
        rf"|(?={_GERMAN})(?<=(?<!\p{{L}}){_PLATE_WORD}[^\n\d]{{1,30}}){_GERMAN})",
        score=0.8,
    ),
    PatternRule(
        "id.plate_without_hyphen",
        PhiType.ID,
        token_regex=rf"(?:\p{{L}}{{1,10}}-)?{_PLATE_WORD}",
        pattern=rf"[\p{{L}}.-]{{2,30}}+(?:{B}Kennzeichen)?:?{B}[(]?(?P<phi>[A-ZÄÖÜ]{{1,3}}{B}[A-Z]{{1,2}}{B}?{_DIGITS}"
        rf"|{_AUSTRIAN})",
        score=0.8,
    ),
    PatternRule(
        "id.ship",  # "MS „Musterfrau“", "auf der »MS Musterland II«", "Kutter "XYZ 14 Muster""
        PhiType.OTHER,
        token_regex=rf"M[SVY]|MTS|{_SHIP}",
        pattern=rf"(?P<phi>M[SVY]{B}{_OPEN}\p{{L}}[\p{{L}}. -]{{2,30}}{_CLOSE}"
        rf"|(?<={_OPEN})M[SVY]{B}\p{{Lu}}[\p{{L}} -]{{2,25}}(?={_CLOSE})"
        rf"|(?<=(?i:auf|an{B}bord)(?:{B}(?:der|dem|des))?{B})M[SVY]{B}(?!-)\p{{Lu}}[\p{{L}}-]{{2,20}}(?:{B}"
        rf"\p{{Lu}}[\p{{L}}-]{{1,15}})?)"
        rf"|{_SHIP}{B}{_OPEN}(?P<phi>\p{{Lu}}[\p{{L}}\d -]{{2,25}})(?={_CLOSE})",
        score=0.7,
    ),
)
