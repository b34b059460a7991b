"""Find the fields in the segments of a header's part; commas, bars, tabs and line ends separate segments.

Most segments are no field, or one character shows their kind. So a cheap search for what an expression needs comes
before the expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.letterhead.field_kinds import Field, FieldKind
from deid_core.letterhead.header_names import names
from deid_core.letterhead.parts import Role
from deid_core.lexicon.name_regexes import BIRTH_DATE, HOUSE_NUMBER, NAME_WORD, WHOLE_DATE

# The class of characters comes first, since the search skips to it; lookbehinds decide what has to follow.
_SEGMENT_END = re.compile(r"[\n\t|·•;, ](?:(?<=[^, ])|(?<=,)(?=\s)|(?<= )(?: {2,}|- (?=\S)|– ))")
_TOWN = (
    rf"(?:(?:Bad|Sankt|St\.|Markt|Schwäbisch|Hann\.|Groß|Klein|Alt|Neu|Burg|Stadt) )?{NAME_WORD}"
    rf"(?: (?:am|an|an der|a\.\s?d\.|im|in|in der|ob der|bei|vor der) {NAME_WORD}\.?)?(?:\s?/\s?{NAME_WORD})?"
)
_POSTCODE_TOWN = re.compile(rf"(?:[A-Z]{{1,2}}\s?[-–]\s?)?(?P<postcode>(?<!\d)\d{{4,5}})[ \u00a0]+(?P<town>{_TOWN})")
_POSTCODE = re.compile(r"\d{4}")
"""Part of every postcode; a cheap search."""
_STREET = re.compile(
    rf"(?P<street>(?:(?:Am|An|Auf|Im|In|Zum|Zur|Unter|Hinter|Vor|Bei)[ ](?:de[rmn] )?)?"
    rf"{NAME_WORD}\.?(?:[ -](?:de[rmn] )?{NAME_WORD}\.?){{0,4}}\s?{HOUSE_NUMBER})\s*$"
)
_STREET_ENDING = re.compile(rf"(?:{alternatives('letterhead/street-endings')})(?=\W|\d)")
"""In lower case."""
_STREET_PREPOSITION = re.compile(r"\b(?:Am|An|Auf|Im|In|Zum|Zur|Unter|Hinter|Vor|Bei)\b", re.IGNORECASE)
_POSTCODE_NEXT = re.compile(r"[\s,|·]{1,4}(?:[A-Z]{1,2}\s?[-–]\s?)?\d{4,5}[ \u00a0]+[A-ZÄÖÜ]")
_NO_STREET = re.compile(rf"(?:{alternatives('letterhead/no-streets')})\b", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_WEB = re.compile(r"(?:https?://|www\.)[^\s,;|<>]{3,200}")
_PHONE = re.compile(
    r"(?P<fax>fax|telefax)?(?:tel\w*|fon|phone|mobil|handy|durchwahl)?[.:\s]*(?P<number>\+?[(\d][\d\s()/.–-]{3,28}\d)",
    re.IGNORECASE,
)
_PHONE_SIGN = re.compile(r"\b(?:tele?fon|tele?fax|tel|fax|fon|mobil|handy|durchwahl)\b")
"""In lower case."""
_DIGIT = re.compile(r"\d")
_MAX_CHARS = 200
"""Longer segments are running text. The bound limits the time that hostile input can take."""


def segments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the segments of a range of the text, without blanks at their ends."""
    at = start
    for stop, next_start in [*[mark.span() for mark in _SEGMENT_END.finditer(text, start, end)], (end, end)]:
        # Nearly always there is one blank at most.
        left, right = at, stop
        while left < right and text[left].isspace():
            left += 1
        while right > left and text[right - 1].isspace():
            right -= 1
        if left < right <= left + _MAX_CHARS:
            yield left, right
        at = next_start


def segment_fields(text: str, start: int, end: int, role: Role, *, after_salute: bool) -> list[Field]:
    """Return the typed fields of a segment; after_salute: whether the one before is a salutation and nothing else."""
    segment = text[start:end].lower()
    if "@" in segment and (match := _EMAIL.search(text, start, end)):
        return [Field(*match.span(), FieldKind.EMAIL, PhiType.EMAIL, role)]
    if ("www." in segment or "://" in segment) and (match := _WEB.search(text, start, end)):
        return [Field(*match.span(), FieldKind.WEB, PhiType.URI, role)]
    called = _has_phone_sign(segment)
    if _DIGIT.search(segment) is None:
        # Telephone numbers, dates and addresses have digits.
        return [] if called else names(text, start, end, role, after_salute=after_salute)
    if called:
        return _phones(text, start, end, role)
    if ("geb" in segment or "*" in segment) and (match := BIRTH_DATE.search(text, start, end)):
        return [Field(*match.span("date"), FieldKind.BIRTH_DATE, PhiType.BIRTH_DATE, role)]
    if _POSTCODE.search(segment) and (match := _POSTCODE_TOWN.search(text, start, end)) and _is_postcode(match, start):
        street = _street(text, start, match.start(), role)
        return [*_postcode_and_town(match, role), street] if street else _postcode_and_town(match, role)
    if "." in segment and (match := WHOLE_DATE.search(text, start, end)):
        return [Field(*match.span(), FieldKind.DATE, PhiType.DATE, role)]
    if street := _street(text, start, end, role):
        return [street]
    return names(text, start, end, role, after_salute=after_salute)


def residence_field(text: str, start: int, end: int, role: Role) -> list[Field]:
    """Return postcode and town, or the street, at the beginning of a segment after "wohnhaft"."""
    if match := _POSTCODE_TOWN.match(text, start, end):
        return _postcode_and_town(match, role)
    street = _street(text, start, end, role)
    return [street] if street else []


def _has_phone_sign(segment: str) -> bool:
    """Return whether a segment, in lower case, marks a number as a telephone number."""
    may_have_sign = (
        "tel" in segment
        or "fax" in segment
        or "fon" in segment
        or "mobil" in segment
        or "handy" in segment
        or "durchwahl" in segment
    )
    return may_have_sign and _PHONE_SIGN.search(segment) is not None


def _is_postcode(match: re.Match[str], start: int) -> bool:
    """Return whether the digits are a postcode; four are one only at the beginning of the segment."""
    return match.start() == start or match.start() < match.start("postcode") or len(match.group("postcode")) > 4


def _postcode_and_town(match: re.Match[str], role: Role) -> list[Field]:
    return [
        Field(*match.span("postcode"), FieldKind.POSTCODE, PhiType.POSTCODE, role),
        Field(*match.span("town"), FieldKind.TOWN, PhiType.TOWN, role),
    ]


def _phones(text: str, start: int, end: int, role: Role) -> list[Field]:
    found: list[Field] = []
    for match in _PHONE.finditer(text, start, end):
        sign = text[start : match.start("number")].lower()
        fax = sign.rfind("fax") > sign.rfind("tel") or bool(match.group("fax"))
        kind, phi = (FieldKind.FAX, PhiType.FAX) if fax else (FieldKind.PHONE, PhiType.PHONE)
        found.append(Field(*match.span("number"), kind, phi, role))
    return found


def _street(text: str, start: int, end: int, role: Role) -> Field | None:
    """Return a street with house number, recognised by its form or by a postcode after it."""
    match = _STREET.match(text, start, end)
    if match is None or _NO_STREET.match(text, start, end):
        return None
    if (
        _STREET_ENDING.search(text[start:end].lower())
        or _STREET_PREPOSITION.search(text, start, end)
        or _POSTCODE_NEXT.match(text, end, end + _MAX_CHARS)
    ):
        return Field(*match.span("street"), FieldKind.STREET, PhiType.STREET, role)
    return None
