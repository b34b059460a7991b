"""The letter's header: its parts and typed fields, and spelling variants of their words in the text."""

from deid_core.letterhead.field_kinds import Field, FieldKind
from deid_core.letterhead.fields import header_fields
from deid_core.letterhead.header_dates import header_year
from deid_core.letterhead.parts import Part, Role, locate
from deid_core.text.header_end import header_end

__all__ = ["Field", "FieldKind", "Part", "Role", "header_end", "header_fields", "header_year", "locate"]
