"""Typed fields of the header and of the sentence that introduces the patient.

A field is a range of the note's text with a kind and the PHI type that follows from the part it stands in: a name in
the clinic's cell is a clinician's, one behind "Nachrichtlich: Frau" or in the subject line the patient's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from deid_core.header.grammar import DATE, HOUSE_NUMBER, NAME_WORD, PERSON, ROLE_WORD, SALUTE, TITLE, TITLES
from deid_core.header.locate import INTRODUCTION, Part, Role, locate
from deid_core.labels import PhiType
from deid_core.note import Note


class FieldKind(StrEnum):
    """What a field holds."""

    NAME = "name"
    TITLE = "title"
    STREET = "street"
    POSTCODE = "postcode"
    TOWN = "town"
    PHONE = "phone"
    FAX = "fax"
    WEB = "web"
    EMAIL = "email"
    DATE = "date"
    BIRTH_DATE = "birth_date"
    INSTITUTION = "institution"


class Field(NamedTuple):
    """A range [start, end) of the note's text, what it holds, its PHI type and the part it came from.

    A tuple: fields are many, and sorted by all this in this order.
    """

    start: int
    end: int
    kind: FieldKind
    type: PhiType
    role: Role


# One class of characters goes first, which the search skips to; what stood there decides what has to follow.
_SEGMENT_END = re.compile(r"[\n\t|·•;, ](?:(?<=[^, ])|(?<=,)(?=\s)|(?<= )(?: {2,}|- (?=\S)|– ))")
_TOWN = (
    rf"(?:(?:Bad|Sankt|St\.|Markt|Schwäbisch|Hann\.|Groß|Klein|Alt|Neu|Burg|Stadt) )?{NAME_WORD}"
    rf"(?: (?:am|an|an der|a\.\s?d\.|im|in|in der|ob der|bei|vor der) {NAME_WORD}\.?)?(?:\s?/\s?{NAME_WORD})?"
)
_POSTCODE_TOWN = re.compile(rf"(?:[A-Z]{{1,2}}\s?[-–]\s?)?(?P<postcode>(?<!\d)\d{{4,5}})[ \u00a0]+(?P<town>{_TOWN})")
_STREET = re.compile(
    rf"(?P<street>(?:(?:Am|An|Auf|Im|In|Zum|Zur|Unter|Hinter|Vor|Bei)[ ](?:de[rmn] )?)?"
    rf"{NAME_WORD}\.?(?:[ -](?:de[rmn] )?{NAME_WORD}\.?){{0,4}}\s?{HOUSE_NUMBER})\s*$"
)
_STREET_FORM = re.compile(
    r"(?:str\.|stra(?:ß|ss)e|weg|platz|allee|gasse|ring|damm|ufer|hof|markt|steig|graben|chaussee|promenade|zeile)(?=\W|\d)"
    r"|(?<![^\W])(?:Am|An|Auf|Im|In|Zum|Zur|Unter|Hinter|Vor|Bei)\b",
    re.IGNORECASE,
)
_POSTCODE_NEXT = re.compile(r"[\s,|·]{1,4}(?:[A-Z]{1,2}\s?[-–]\s?)?\d{4,5}[ \u00a0]+[A-ZÄÖÜ]")
_ADDRESS_NEXT = re.compile(
    r"[\s,|·]{1,4}(?:(?:[A-Z]{1,2}\s?[-–]\s?)?\d{4,5}[ \u00a0]+[A-ZÄÖÜ]"
    rf"|[A-ZÄÖÜ][^\n,|]{{2,60}}?\s{HOUSE_NUMBER}\s*(?:[\n,|]|$))"
)
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_WEB = re.compile(r"(?:https?://|www\.)[^\s,;|<>]{3,200}")
_PHONE = re.compile(
    r"(?P<fax>fax|telefax)?(?:tel\w*|fon|phone|mobil|handy|durchwahl)?[.:\s]*(?P<number>\+?[(\d][\d\s()/.–-]{3,28}\d)",
    re.IGNORECASE,
)
_PHONE_SIGN = re.compile(r"\b(?:tele?fon|tele?fax|tel|fax|fon|mobil|handy|durchwahl)\b", re.IGNORECASE)
_DATE = re.compile(rf"(?<![\d.]){DATE}(?![.,:]\d)")
_BIRTH = re.compile(rf"[gG*](?:(?<=\b[gG])(?i:eb(?:oren)?\.?(?:\s+am)?)|(?<=\*))\s*:?\s*(?P<date>{DATE})")
_NAME = re.compile(rf"(?:An\s+)?(?P<salute>{SALUTE}\s*)?(?P<titles>{TITLES})?(?P<name>{PERSON})?")
_BIRTH_MARK = re.compile(r"[gG*](?:(?<=\b[gG])eb(?:oren)?\b|(?<=\*)\s?(?=\d))")
_NAME_AT_END = re.compile(rf"(?:(?P<last>{PERSON})\s*,\s*)?(?:{TITLES})?(?P<name>{PERSON})\s*[,;(]?\s*$")
_INSTITUTION = re.compile(
    r"[^\n\t|,;]*?\b(?:\w*(?:klinik(?:um|en)?|krankenhaus|spital|hospital|stift|praxis|zentrum|heilstätte|sanatorium|universität\w*))\b[^\n\t|,;]*",
    re.IGNORECASE,
)
_RESIDENCE = re.compile(r"\b(?:wohnhaft|wohnh\.|wh\.|wohnt)\s*(?:in|:)?\s*", re.IGNORECASE)
_PATIENT_AHEAD = re.compile(rf"{SALUTE}[ \u00a0](?P<titles>{TITLES})?(?P<name>{PERSON})")
_BEFORE_NAME = re.compile(
    rf"\b(?:{SALUTE}|{TITLE}|(?i:pat(?:ient(?:in)?)?|mutter|vater|kind|geb(?:\.|orene)?|ihren?))[ \u00a0]+"
)
_NO_NAME = re.compile(
    r"(?:ihre[nrms]?|unsere?[nrms]?|team|patient(?:in|en)?|kolleg\w+|allgemeine[rn]?|fmh)\b", re.IGNORECASE
)
_WORD = re.compile(r"\S+")
_DIGIT = re.compile(r"\d")
_SALUTE_ALONE = re.compile(rf"(?:An\s+)?{SALUTE}")
_NO_STREET = re.compile(
    r"(?:abteilung|abt|station|seite|zimmer|haus|ebene|gebäude|postfach|geb|bau|etage|stock|raum|nr|medizin|klinik)\b",
    re.IGNORECASE,
)
# What each match of _PHONE_SIGN and _INSTITUTION has in lower case: most segments have none, and are not searched.
_PHONE_WORDS = ("tel", "fax", "fon", "mobil", "handy", "durchwahl")
_INSTITUTION_WORD = re.compile("klinik|krankenhaus|spital|stift|praxis|zentrum|heilstätte|sanatorium|universität")
_BEFORE_SALUTE = frozenset("AHFE")
"""First letters of _SALUTE_ALONE."""
_INTRODUCTION_CHARS = 400
_NAME_CHARS = 80
_MAX_SEGMENT_CHARS = 200
"""Longer segments are running text, not fields; the bound keeps hostile input from costing time."""


def header_fields(
    note: Note, header: Sequence[Part] | None = None, introductions: Sequence[tuple[int, int]] | None = None
) -> list[Field]:
    """All typed fields of the header and of the introducing sentence, ascending.

    header: its parts, if known; introductions: ranges of the text that the introducing sentence can begin in, if known.
    """
    text = note.text
    found: list[Field] = []
    for part in locate(note) if header is None else header:
        if part.role is not Role.PROPERTY:
            found += part_fields(text, part)
    found += introduction_fields(text, ((0, len(text)),) if introductions is None else introductions)
    return [
        f for f, _ in groupby(sorted(found)) if f.kind is not FieldKind.NAME or not _NO_NAME.match(text, f[0], f[1])
    ]


def part_fields(text: str, part: Part) -> Iterator[Field]:
    """The typed fields of one part of the header."""
    if part.role in (Role.SUBJECT, Role.PAGE):
        yield from _patient_fields(text, part.start, part.end, part.role)
    previous_salute = False
    for start, end in _segments(text, part.start, part.end):
        yield from _segment_fields(text, start, end, part.role, previous_salute)
        previous_salute = text[start] in _BEFORE_SALUTE and _SALUTE_ALONE.fullmatch(text, start, end) is not None


def introduction_fields(text: str, ranges: Sequence[tuple[int, int]]) -> Iterator[Field]:
    """Name, birth date and residence from "wir berichten über …, geboren am …, wohnhaft …".

    ranges: where that can stand, ascending; the first counts.
    """
    for first, behind in ranges:
        if sentence := INTRODUCTION.search(text, first, behind):
            start, end = sentence.end(), min(len(text), sentence.end() + _INTRODUCTION_CHARS)
            person = _PATIENT_AHEAD.search(text, start, end)
            if person:
                yield _name(text, person.start("name"), person.end("name"), PhiType.PATIENT, Role.SUBJECT)
            yield from _patient_fields(text, start, end, Role.SUBJECT)
            break


def header_year(note: Note, earliest: int = 1980, latest: int = 2100) -> int | None:
    """The year of the latest date in the header that is no birth date; None if there is none in the range."""
    years = []
    for part in locate(note):
        births = {m.start("date") for m in _BIRTH.finditer(note.text, part.start, part.end)}
        for date in _DATE.finditer(note.text, part.start, part.end):
            if date.start() not in births:
                digits = date.group().rsplit(".", 1)[1].strip()
                year = (
                    int(digits) if len(digits) == 4 else 2000 + int(digits) if int(digits) < 50 else 1900 + int(digits)
                )
                if earliest <= year <= latest:
                    years.append(year)
    return max(years, default=None)


def _segments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """What commas, bars, tabs and line ends part, without blanks at the ends."""
    at = start
    for stop in [*((m.start(), m.end()) for m in _SEGMENT_END.finditer(text, start, end)), (end, end)]:
        left, right = at, stop[0]
        while left < right and text[left].isspace():
            left += 1
        while right > left and text[right - 1].isspace():
            right -= 1
        if left < right <= left + _MAX_SEGMENT_CHARS:
            yield left, right
        at = stop[1]


def _segment_fields(text: str, start: int, end: int, role: Role, after_salute: bool) -> Iterator[Field]:
    segment = text[start:end].lower()
    if "@" in segment and (match := _EMAIL.search(text, start, end)):
        yield Field(*match.span(), FieldKind.EMAIL, PhiType.EMAIL, role)
    elif ("www." in segment or "://" in segment) and (match := _WEB.search(text, start, end)):
        yield Field(*match.span(), FieldKind.WEB, PhiType.URI, role)
    elif _DIGIT.search(segment) is None:
        # Telephone numbers, dates and addresses have digits.
        if not _has_phone_sign(segment):
            yield from _names(text, start, end, role, after_salute, _INSTITUTION_WORD.search(segment) is not None)
    elif _has_phone_sign(segment):
        yield from _phones(text, start, end, role)
    elif ("geb" in segment or "*" in segment) and (match := _BIRTH.search(text, start, end)):
        yield Field(*match.span("date"), FieldKind.BIRTH_DATE, PhiType.BIRTH_DATE, role)
    elif (match := _POSTCODE_TOWN.search(text, start, end)) and _is_postcode(match, start):
        yield Field(*match.span("postcode"), FieldKind.POSTCODE, PhiType.POSTCODE, role)
        yield Field(*match.span("town"), FieldKind.TOWN, PhiType.TOWN, role)
        if street := _street(text, start, match.start()):
            yield Field(*street.span("street"), FieldKind.STREET, PhiType.STREET, role)
    elif match := _DATE.search(text, start, end):
        yield Field(*match.span(), FieldKind.DATE, PhiType.DATE, role)
    elif match := _street(text, start, end):
        yield Field(*match.span("street"), FieldKind.STREET, PhiType.STREET, role)
    else:
        yield from _names(text, start, end, role, after_salute, _INSTITUTION_WORD.search(segment) is not None)


def _has_phone_sign(segment: str) -> bool:
    """Whether a segment, in lower case, says that a number is a telephone's."""
    return any([word in segment for word in _PHONE_WORDS]) and _PHONE_SIGN.search(segment) is not None


def _is_postcode(match: re.Match[str], start: int) -> bool:
    """Whether the digits are a postcode; four may be a year or a value, unless the segment begins with them."""
    return match.start() == start or match.start() < match.start("postcode") or len(match.group("postcode")) > 4


def _phones(text: str, start: int, end: int, role: Role) -> Iterator[Field]:
    for match in _PHONE.finditer(text, start, end):
        sign = text[start : match.start("number")].lower()
        fax = sign.rfind("fax") > sign.rfind("tel") or bool(match.group("fax"))
        kind, phi = (FieldKind.FAX, PhiType.FAX) if fax else (FieldKind.PHONE, PhiType.PHONE)
        yield Field(*match.span("number"), kind, phi, role)


def _names(
    text: str, start: int, end: int, role: Role, after_salute: bool, may_be_institution: bool
) -> Iterator[Field]:
    """The name that a segment begins with, if a salutation, a title or the part's role says that it is one.

    may_be_institution: whether the segment has what every name of an institution has.
    """
    match = _NAME.match(text, start, end)
    salute, titles = (bool(match.group("salute")), bool(match.group("titles"))) if match else (False, False)
    if match and titles:
        yield Field(
            match.start("titles"), _stripped_end(text, *match.span("titles")), FieldKind.TITLE, PhiType.TITLE, role
        )
    if match and match.group("name") and (salute or titles or after_salute):
        name = _name(text, *match.span("name"), _person_type(role, titles), role)
        if not (may_be_institution and _INSTITUTION.fullmatch(text, name.start, name.end)):
            yield name
            return
    if may_be_institution and (institution := _INSTITUTION.match(text, start, end)):
        yield Field(start, _stripped_end(text, start, institution.end()), FieldKind.INSTITUTION, PhiType.HOSPITAL, role)
    elif match and match.group("name") and role in (Role.ADDRESSEE, Role.COPY) and match.end("name") == end:
        if len(match.group("name").split()) >= 2 and _ADDRESS_NEXT.match(text, end, end + _MAX_SEGMENT_CHARS):
            yield _name(text, *match.span("name"), _person_type(role, titles), role)


def _patient_fields(text: str, start: int, end: int, role: Role) -> Iterator[Field]:
    """Name before a birth date, the date itself, and the residence behind "wohnhaft"."""
    for mark in _BIRTH_MARK.finditer(text, start, end):
        line = max(start, text.rfind("\n", start, mark.start()) + 1, mark.start() - _NAME_CHARS)
        if match := _NAME_AT_END.search(text, line, mark.start()):
            for group in ("last", "name"):
                if match.group(group):
                    yield _name(text, *match.span(group), PhiType.PATIENT, role)
    for match in _BIRTH.finditer(text, start, end):
        yield Field(*match.span("date"), FieldKind.BIRTH_DATE, PhiType.BIRTH_DATE, role)
    if residence := _RESIDENCE.search(text, start, end):
        stop = text.find("\n", residence.end(), end)
        for left, right in list(_segments(text, residence.end(), end if stop < 0 else stop))[:3]:
            yield from _residence_fields(text, left, right, role)


def _residence_fields(text: str, start: int, end: int, role: Role) -> Iterator[Field]:
    if match := _POSTCODE_TOWN.match(text, start, end):
        yield Field(*match.span("postcode"), FieldKind.POSTCODE, PhiType.POSTCODE, role)
        yield Field(*match.span("town"), FieldKind.TOWN, PhiType.TOWN, role)
    elif match := _street(text, start, end):
        yield Field(*match.span("street"), FieldKind.STREET, PhiType.STREET, role)


def _street(text: str, start: int, end: int) -> re.Match[str] | None:
    """A street with house number: by its form, or because a postcode follows."""
    if _NO_STREET.match(text, start, end):
        return None
    match = _STREET.match(text, start, end)
    if match and (_STREET_FORM.search(text, start, end) or _POSTCODE_NEXT.match(text, end, end + _MAX_SEGMENT_CHARS)):
        return match
    return None


def _name(text: str, start: int, end: int, phi: PhiType, role: Role) -> Field:
    """The name without what ends in a salutation or title before it and role words behind it."""
    for match in _BEFORE_NAME.finditer(text, start, end):
        start = match.end()
    at = start
    for word in _WORD.finditer(text, start, end):
        if ROLE_WORD.match(word.group()) and word.start() > start:
            break
        at = word.end()
    return Field(start, max(at, start + 1), FieldKind.NAME, phi, role)


def _stripped_end(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _person_type(role: Role, titled: bool) -> PhiType:
    if role in (Role.CLINIC, Role.ADDRESSEE):
        return PhiType.CLINICIAN
    return PhiType.CLINICIAN if titled else PhiType.PATIENT
