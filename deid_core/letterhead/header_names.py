"""Find names of persons and institutions at the beginning of the header's segments."""

from __future__ import annotations

import re

from deid_core.core.labels import PhiType
from deid_core.letterhead.field_kinds import Field, FieldKind
from deid_core.letterhead.parts import Role
from deid_core.lexicon.name_regexes import (
    HOUSE_NUMBER,
    PERSON,
    ROLE_WORD,
    SALUTE,
    SALUTE_OR_TITLE_LETTERS,
    TITLE,
    TITLES,
)

_NAME = re.compile(rf"(?:An\s+)?(?P<salute>{SALUTE}\s*)?(?P<titles>{TITLES})?(?P<name>{PERSON})?")
_OPENING_LETTERS = SALUTE_OR_TITLE_LETTERS | {"A"}
"""First letters of "An", SALUTE and TITLE."""
_BEFORE_NAME = re.compile(
    rf"\b(?:{SALUTE}|{TITLE}|(?i:pat(?:ient(?:in)?)?|mutter|vater|kind|geb(?:\.|orene)?|ihren?))[ \u00a0]+"
)
_ADDRESS_NEXT = re.compile(
    r"[\s,|·]{1,4}(?:(?:[A-Z]{1,2}\s?[-–]\s?)?\d{4,5}[ \u00a0]+[A-ZÄÖÜ]"
    rf"|[A-ZÄÖÜ][^\n,|]{{2,60}}?\s{HOUSE_NUMBER}\s*(?:[\n,|]|$))"
)
_ADDRESS_CHARS = 200
"""An address after a name ends within this many characters."""
_INSTITUTION = re.compile(
    r"(?:klinik(?:um|en)?|krankenhaus|spital|stift|praxis|zentrum|heilstätte|sanatorium|universität\w*)\b"
)
"""Ends of words in names of institutions, in lower case."""
_WORD = re.compile(r"\S+")
_ADDRESSED = (Role.ADDRESSEE, Role.COPY)
"""In these parts a full name before an address needs no salutation."""


def names(text: str, start: int, end: int, role: Role, *, after_salute: bool) -> list[Field]:
    """Return the name at the beginning of a segment if a salutation, a title or the part's role marks it as one.

    after_salute: whether the segment before is a salutation and nothing else.
    """
    found: list[Field] = []
    addressed = role in _ADDRESSED
    match, name, titled = None, (-1, -1), False
    if after_salute or addressed or text[start] in _OPENING_LETTERS:
        match = _NAME.match(text, start, end)
    if match:
        salute, titles, name = match.span("salute"), match.span("titles"), match.span("name")
        titled = titles[0] < titles[1]
        if titled:
            found.append(Field(titles[0], _stripped_end(text, *titles), FieldKind.TITLE, PhiType.TITLE, role))
        if name[0] >= 0 and (titled or salute[0] >= 0 or after_salute):
            person = name_field(text, *name, _person_type(role, titled), role)
            if not _names_institution(text, person.start, person.end):
                found.append(person)
                return found
    # Other separators end a segment; only a comma without a blank after it may be inside one.
    comma = text.find(",", start, end)
    name_end = end if comma < 0 else comma
    if _names_institution(text, start, name_end):
        stop = _stripped_end(text, start, name_end)
        found.append(Field(start, stop, FieldKind.INSTITUTION, PhiType.HOSPITAL, role))
    elif addressed and name[1] == end and len(text[name[0] : end].split()) >= 2:
        if _ADDRESS_NEXT.match(text, end, end + _ADDRESS_CHARS):
            found.append(name_field(text, *name, _person_type(role, titled), role))
    return found


def name_field(text: str, start: int, end: int, phi: PhiType, role: Role) -> Field:
    """Return the field of a name, without text up to a salutation or title in it and without role words after it."""
    for match in _BEFORE_NAME.finditer(text, start, end):
        start = match.end()
    at = start
    for word in _WORD.finditer(text, start, end):
        # The first word always belongs to the name.
        if word.start() > start and ROLE_WORD.match(word.group()):
            break
        at = word.end()
    return Field(start, max(at, start + 1), FieldKind.NAME, phi, role)


def _names_institution(text: str, start: int, end: int) -> bool:
    """Return whether a word of the range denotes an institution."""
    return _INSTITUTION.search(text[start:end].lower()) is not None


def _stripped_end(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())


def _person_type(role: Role, titled: bool) -> PhiType:
    if titled or role is Role.CLINIC or role is Role.ADDRESSEE:
        return PhiType.CLINICIAN
    return PhiType.PATIENT
