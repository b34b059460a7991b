"""Rules of the group `id` for user names, initials of writers, network addresses and barcodes (HIPAA items 13, 15, 18).

A user name follows a word for it ("Benutzer: emuster") or a verb of signing ("signiert von emuster").
"""

from __future__ import annotations

import regex

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import MONTH_NAME, NO_VERSION, B
from deid_core.recognisers.pattern.rule import PatternRule

_SIGNING_VERBS = alternatives("pattern/signing-verbs")
_PERSONAL_VERB = rf"""
    (?i:{_SIGNING_VERBS})
"""
_NO_USER_WORDS = alternatives("pattern/words-that-are-no-user")
_NO_USER = rf"""
    (?!(?:{_NO_USER_WORDS}|ih[mnr]e[mnr]?|patient\p{{Ll}}{{0,4}}|ärzt\p{{Ll}}{{1,4}})(?!\p{{L}}))
"""
_LOGIN = rf"""
    {_NO_USER}(?P<phi>\p{{L}}(?=[\p{{L}}._-]{{0,30}}[\d_])[\p{{L}}\d_]{{1,30}}+(?:[.-][\p{{L}}\d_]{{1,30}}+){{0,2}}
    |(?:\p{{Ll}}{{1,20}}+(?:[._]\p{{Ll}}{{2,20}}+){{1,2}}|\p{{Ll}}{{3,20}}+)(?=\.?{B}?(?:[\n\t,;)]|\Z|(?:am|um
    |,){B}\d|\()))
"""

_LETTER_DATE = rf"(?:(?:[.-]{B}?|{MONTH_NAME}{B})(?:19|20)\d\d|\d\.{B}?\d{{1,2}}\.\d\d){B}?[,/;]{B}?"


def _is_address(match: regex.Match[str]) -> bool:
    """Return whether four numbers are at most 255 and have seven digits or follow "IP"; else they number a chapter."""
    numbers = match.group("phi").split(".")
    announced = match.group("word") is not None or sum(map(len, numbers)) >= 7
    return announced and all(int(number) <= 255 for number in numbers)


USER_RULES = (
    PatternRule(
        "id.user",
        PhiType.ID,
        token_regex=r"(?i:benutzer|user|login|anmelde|bearbeiter)\p{Ll}{0,8}(?:-(?:ID|Name))?",
        pattern=rf"(?i:(?:benutzer|user|login|anmelde|bearbeiter)(?:name|kennung|kürzel|in)?(?:-(?:id|name|kürzel))?)"
        rf"(?:{B}?[:=]{B}?|{B}(?=[\p{{L}}.-]{{0,20}}[\d_]))(?P<phi>[\p{{L}}\d][\p{{L}}\d_]{{1,30}}+"
        rf"(?:[.@\\-][\p{{L}}\d_]{{1,30}}+){{0,3}})",
        score=0.9,
    ),
    PatternRule(
        "id.signed_by",  # "signiert von emuster"
        PhiType.ID,
        token_regex=_PERSONAL_VERB,
        pattern=rf"{_PERSONAL_VERB}(?:{B}am{B}[\d.]{{4,10}}+)?(?:{B}um{B}[\d:]{{4,8}}+(?:{B}Uhr)?)?"
        rf"(?:{B}(?:von|durch):?{B}|:{B}?){_LOGIN}",
        score=0.7,
    ),
    PatternRule(
        "id.user_sign",  # surname and initial with the time of signing: "MUSTER_A 07.03.2019 11:08", "von muster_a"
        PhiType.CLINICIAN,
        pattern=rf"\p{{L}}{{3,20}}+_\p{{L}}{{1,2}}(?![\p{{L}}\d_])"
        rf"(?:(?={B}(?:am{B})?(?:\d{{1,2}}\.\d{{1,2}}\.|(?:19|20)\d{{6}}(?!\d)|(?:19|20)\d\d-\d\d-))"
        rf"|(?<=(?i:von|durch|by):?{B}[^\s]{{5,23}}))",
        score=0.9,
        token_pair=(r"\p{L}{3,20}", "_"),
    ),
    PatternRule(
        "id.initials",  # initials of dictation and typing after the letter's date: "30.06.2014, ob-la", "… / za/üb"
        PhiType.ID,
        token_regex=r"\p{Ll}{2,3}-\p{Ll}{2,3}",
        pattern=rf"(?=(?:\p{{Ll}}{{2,3}}-|/{B}?)\p{{Ll}}{{2,3}}{B}?(?:[\n\t]|\Z))"
        rf"(?:/(?<={_LETTER_DATE}(?P<head>\p{{Ll}}{{2,3}}{B}?)/){B}?"
        rf"|(?<={_LETTER_DATE})\p{{Ll}}{{2,3}}-)\p{{Ll}}{{2,3}}",
        score=0.8,
        token_pair=("/", r"\p{Ll}{2,3}"),
        second_next=r"\n",
    ),
    PatternRule(
        "id.network_address",
        PhiType.ID,
        token_regex=r"(?:IP|\d{1,3}(?:\.\d{1,3}){3})(?:-(?:Adresse|Nr))?\.?",
        pattern=rf"{NO_VERSION}(?P<word>IP(?:-?{B}?Adresse|-Nr\.)?:?{B}?)?(?P<phi>\d{{1,3}}(?:\.\d{{1,3}}){{3}})(?![\d.]\d|\d)",
        check=_is_address,
        score=0.9,
    ),
    PatternRule(
        "id.barcode",  # the stars are Code 39's start and stop
        PhiType.ID,
        token_regex=r"[*]",
        pattern=r"[*](?P<phi>(?=[A-Z\d-]{0,30}\d[A-Z\d-]{0,30}\d)[A-Z\d][A-Z\d-]{3,40}+)[*]",
        score=0.9,
    ),
)
