"""Typed fields of the header: a range of the text, the kind of its content, its PHI type and its part's role."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from deid_core.core.labels import PhiType
from deid_core.letterhead.parts import Role


class FieldKind(StrEnum):
    """The content of a field."""

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
    """A range [start, end) of the note's text with its kind, PHI type and the role of its part.

    A tuple: there are many fields, sorted by these attributes in this order.
    """

    start: int
    end: int
    kind: FieldKind
    type: PhiType
    role: Role
