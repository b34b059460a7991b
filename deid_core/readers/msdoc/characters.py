"""What a run's property list says of its characters: deleted or not, by whom; a symbol; where a picture's data lie."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import lru_cache

from deid_core.readers.msdoc.runs import sprm_pattern
from deid_core.readers.msdoc.sprms import modifiers

_DELETED = 0x0800
_INSERTED = 0x0801
_INSERTED_BY = 0x4804
_DELETED_BY = 0x4863
_FORMATTED = frozenset({0xCA57, 0xCA89})
"""sprmCPropRMark of Word 97 and of later versions: whether, then by whom."""
_DATA_AT = 0x6A03
_IS_DATA = 0x0806
_SYMBOL = 0x6A09
RELEVANT = sprm_pattern(_DELETED, _INSERTED, *_FORMATTED, _DATA_AT, _SYMBOL)
"""Finds the pages with runs of interest; the other modifiers mean nothing without one of these."""
_ON = (0x01, 0x81)
"""Of a ToggleOperand (MS-DOC 2.9.327): set, and other than the style, which never says that text is deleted."""


@dataclass(frozen=True, slots=True)
class CharacterProperties:
    """What of a run's properties decides about its text."""

    deleted: bool = False
    authors: tuple[int, ...] = ()
    """Who inserted, deleted or formatted it: places in the table of authors."""
    symbol: str = ""
    """What stands for each `(` of the run."""
    data_at: int | None = None
    """Offset in the Data stream of what belongs to the character U+0001."""
    is_data: bool = False
    """Those data are a form field's, not a picture's."""


_MAX_KNOWN = 512
"""Bytes of a list that is remembered; a page has no longer ones."""
_PLAIN = CharacterProperties()


def character_properties(prls: bytes) -> CharacterProperties | None:
    """The meaning of one list, None if nothing in it matters here. Raises DocRefused if the list is broken."""
    return _known_meaning(prls) if len(prls) <= _MAX_KNOWN else _meaning(prls)


@lru_cache(maxsize=8192)
def _known_meaning(prls: bytes) -> CharacterProperties | None:
    return _meaning(prls)


def _meaning(prls: bytes) -> CharacterProperties | None:
    deleted = inserted = is_data = False
    inserted_by = deleted_by = formatted_by = data_at = None
    symbol = ""
    for sprm, operand in modifiers(prls):
        if sprm == _DELETED:
            deleted = operand[0] in _ON
        elif sprm == _INSERTED:
            inserted = operand[0] in _ON
        elif sprm == _INSERTED_BY:
            inserted_by = int.from_bytes(operand, "little")
        elif sprm == _DELETED_BY:
            deleted_by = int.from_bytes(operand, "little")
        elif sprm in _FORMATTED and len(operand) >= 3 and operand[0]:
            formatted_by = int.from_bytes(operand[1:3], "little")
        elif sprm == _DATA_AT:
            (data_at,) = struct.unpack("<I", operand)
        elif sprm == _IS_DATA:
            is_data = operand[0] in _ON
        elif sprm == _SYMBOL:
            code = int.from_bytes(operand[2:4], "little")
            symbol = chr(code) if code >= ord(" ") else ""
    who = (inserted_by if inserted else None, deleted_by if deleted else None, formatted_by)
    found = CharacterProperties(deleted, tuple(w for w in who if w is not None), symbol, data_at, is_data)
    return None if found == _PLAIN else found
