"""The letter's header: which cell says what, and spelling variants of its words in the text."""

from deid_core.header.field_kinds import Field, FieldKind
from deid_core.header.fields import header_fields, header_year
from deid_core.header.locate import Part, Role, header_end, locate

__all__ = ["Field", "FieldKind", "Part", "Role", "header_end", "header_fields", "header_year", "locate"]
