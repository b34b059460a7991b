"""The letter's header: which cell says what, and spelling variants of its words in the text."""

from deid_core.letterhead.field_kinds import Field, FieldKind
from deid_core.letterhead.fields import header_fields, header_year
from deid_core.letterhead.parts import Part, Role, locate
from deid_core.text.header_end import header_end

__all__ = ["Field", "FieldKind", "Part", "Role", "header_end", "header_fields", "header_year", "locate"]
