"""What a typed field of the header is: a range of the text, what it holds, its PHI type and the part it came from."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from deid_core.core.labels import PhiType
from deid_core.letterhead.parts import Role


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
