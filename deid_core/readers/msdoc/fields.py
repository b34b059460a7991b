"""Fields: of `begin code separator result end` only the result is text (MS-DOC 2.16 field characters).

Most fields have a result that was saved. These have none and show something of their code: buttons their label,
drop-down lists the entry that was chosen.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from deid_core.readers.msdoc.budget import Budget
from deid_core.readers.msdoc.refused import DocRefused
from deid_core.readers.msdoc.strings import string, string_table

_MARK = re.compile("[\x13\x14\x15]")
_BEGIN, _SEPARATOR = "\x13", "\x14"
_CELL_MARK = "\x07"
_MAX_DEPTH = 100
_BUTTON = re.compile(r"\s*(?:MACROBUTTON|GOTOBUTTON)\s+\S+ ?", re.IGNORECASE)
_DROP_DOWN = 2
_DEFAULT = 25
"""iRes of an FFData of which no entry was chosen."""
_VERSION = 0xFFFFFFFF
_NAME_AT = 10
_OTHER_STRINGS = 5
"""Format, help text, status text, macros at entry and exit."""


def field_codes(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Ranges of the story [start, end) that are code and its marks: ascending, not overlapping.

    Raises DocRefused for a begin without an end, where code cannot be told from text, and for code across cells.
    """
    opened: list[int] = []
    hidden_from: int | None = None
    """Begin of the outermost field whose code is not over; all up to there is code."""
    for mark in _MARK.finditer(text, start, end):
        at = mark.start()
        if mark[0] == _BEGIN:
            if len(opened) > _MAX_DEPTH:
                raise DocRefused("fields: too deep within each other")
            opened.append(at)
            hidden_from = at if hidden_from is None else hidden_from
        elif opened:
            begin = opened[-1] if mark[0] == _SEPARATOR else opened.pop()
            if hidden_from == begin:
                yield from _hidden(text, begin, at + 1)
                hidden_from = None
        # Ends without a begin are what Word leaves where a field was cut; they hide nothing.
    if opened:
        raise DocRefused("fields: a begin without an end")


def _hidden(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return the whole range, or the ranges before and after a button's label."""
    if _CELL_MARK in text[start:end]:
        raise DocRefused("fields: a code across cells")
    label = _BUTTON.match(text, start + 1, end - 1)
    if label is None:
        yield start, end
    else:
        yield start, label.end()
        yield end - 1, end


def chosen_entry(data: bytes, at: int, budget: Budget) -> str:
    """The entry that a drop-down form field shows; "" for other form fields.

    data: the Data stream; at: where the field's NilPICFAndBinData begins (MS-DOC 2.9.157), which holds an FFData
    (2.9.78). Raises DocRefused if it is cut off.
    """
    try:
        size, header = struct.unpack_from("<iH", data, at)
        field = data[at + header : at + max(size, 0)]
        budget.spend(len(field))
        version, bits = struct.unpack_from("<IH", field)
        if version != _VERSION or bits & 3 != _DROP_DOWN:
            return ""
        _, place = string(field, _NAME_AT, terminated=True)
        (default,) = struct.unpack_from("<H", field, place)
        place += 2
        for _ in range(_OTHER_STRINGS):
            _, place = string(field, place, terminated=True)
    except struct.error:
        raise DocRefused("form field: cut off") from None
    entries = string_table(field, place)
    result = bits >> 2 & 0x1F
    number = default if result == _DEFAULT else result
    return entries[number] if number < len(entries) else ""
