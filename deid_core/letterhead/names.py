"""Names of persons and institutions in the header: what a segment begins with, and where a name ends."""

from __future__ import annotations

import re

from deid_core.core.labels import PhiType
from deid_core.letterhead.field_kinds import Field, FieldKind
from deid_core.letterhead.parts import Role
from deid_core.lexicon.name_grammar import (
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
"""An address behind a name is over by then."""
_INSTITUTION = re.compile(
    r"(?:klinik(?:um|en)?|krankenhaus|spital|stift|praxis|zentrum|heilstätte|sanatorium|universität\w*)\b"
)
"""How a word of an institution's name ends, in lower case."""
_WORD = re.compile(r"\S+")
_ADDRESSED = (Role.ADDRESSEE, Role.COPY)
"""In these parts a full name before an address needs no salutation."""


def names(text: str, start: int, end: int, role: Role, *, after_salute: bool) -> list[Field]:
    """The name that a segment begins with, if a salutation, a title or the part's role says that it is one.

    after_salute: whether the segment before is nothing but a salutation.
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
    # Of all marks that part names, a comma without a blank behind it alone may stand within a segment.
    comma = text.find(",", start, end)
    behind = end if comma < 0 else comma
    if _names_institution(text, start, behind):
        stop = _stripped_end(text, start, behind)
        found.append(Field(start, stop, FieldKind.INSTITUTION, PhiType.HOSPITAL, role))
    elif addressed and name[1] == end and len(text[name[0] : end].split()) >= 2:
        if _ADDRESS_NEXT.match(text, end, end + _ADDRESS_CHARS):
            found.append(name_field(text, *name, _person_type(role, titled), role))
    return found


def name_field(text: str, start: int, end: int, phi: PhiType, role: Role) -> Field:
    """The name without what ends in a salutation or title before it and role words behind it."""
    for match in _BEFORE_NAME.finditer(text, start, end):
        start = match.end()
    at = start
    for word in _WORD.finditer(text, start, end):
        # The first is the name's, whatever it is.
        if word.start() > start and ROLE_WORD.match(word.group()):
            break
        at = word.end()
    return Field(start, max(at, start + 1), FieldKind.NAME, phi, role)


def _names_institution(text: str, start: int, end: int) -> bool:
    """Whether a word of the range is an institution's."""
    return _INSTITUTION.search(text[start:end].lower()) is not None


def _stripped_end(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())


def _person_type(role: Role, titled: bool) -> PhiType:
    if titled or role is Role.CLINIC or role is Role.ADDRESSEE:
        return PhiType.CLINICIAN
    return PhiType.PATIENT
