"""What a paragraph's property list says of tables: how deep it stands in them, whether it ends a cell or a row."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from functools import lru_cache

from deid_core.readers.msdoc.budget import Budget
from deid_core.readers.msdoc.refused import DocRefused
from deid_core.readers.msdoc.runs import sprm_pattern
from deid_core.readers.msdoc.sprms import modifiers

_IN_TABLE = 0x2416
_ROW_END = 0x2417
_INNER_CELL_END = 0x244B
_INNER_ROW_END = 0x244C
_DEPTH = 0x6649
_DEPTH_CHANGE = 0x664A
_HUGE = frozenset({0x6645, 0x6646, 0x646B})
"""sprmPHugePapx, of Word 97 and later, and sprmPTableProps: the rest of the list lies in the Data stream."""
RELEVANT = sprm_pattern(_IN_TABLE, _DEPTH, _DEPTH_CHANGE, *_HUGE)
"""Finds the pages with paragraphs in tables; the other modifiers mean nothing outside of them."""
_ROW_DEFINITION = 0xD608
_MERGE = 0x5624
_SPLIT = 0x5625
_CELL_SIZE = 20
_MERGE_FLAGS = 0x03
"""In the first byte of a cell's TC80 (MS-DOC 2.9.313)."""
_MAX_CELLS = 63
_MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class ParagraphProperties:
    """What of a paragraph's properties decides where its text stands."""

    depth: int = 0
    """0 outside of tables, 1 in a table, more in tables within cells (MS-DOC 2.4.3)."""
    ends_row: bool = False
    ends_inner_cell: bool = False
    """The paragraph mark ends a cell of a table within a cell; of an outer table the cell mark does."""
    merged: frozenset[int] = frozenset()
    """Of a row's end: columns that belong to the cell left of them."""
    huge: int | None = None
    """Offset in the Data stream of the list that holds instead."""


_MAX_KNOWN = 512
"""Bytes of a list that is remembered; a page has no longer ones."""
OUTSIDE = ParagraphProperties()


def paragraph_properties(prls: bytes) -> ParagraphProperties:
    """The meaning of one list; most are the same in thousands of notes. Raises DocRefused if the list is broken."""
    return _known_meaning(prls) if len(prls) <= _MAX_KNOWN else _meaning(prls)


def huge_properties(properties: ParagraphProperties, data: bytes, budget: Budget) -> ParagraphProperties:
    """The meaning of a list that lies in the Data stream (MS-DOC 2.9.210 PrcData). Raises DocRefused if it does not."""
    at = properties.huge or 0
    if at + 2 > len(data):
        raise DocRefused("properties: a list beyond the Data stream")
    size = int.from_bytes(data[at : at + 2], "little")
    if at + 2 + size > len(data):
        raise DocRefused("properties: a list beyond the Data stream")
    budget.spend(size)
    return replace(_meaning(data[at + 2 : at + 2 + size], properties), huge=None)


@lru_cache(maxsize=8192)
def _known_meaning(prls: bytes) -> ParagraphProperties:
    return _meaning(prls)


def _meaning(prls: bytes, base: ParagraphProperties = OUTSIDE) -> ParagraphProperties:
    in_table, depth = base.depth > 0, max(base.depth, 1)
    ends_row, ends_inner_cell, huge = base.ends_row, base.ends_inner_cell, None
    merged = set(base.merged)
    for sprm, operand in modifiers(prls):
        if sprm == _IN_TABLE:
            in_table = operand[0] == 1
        elif sprm in (_ROW_END, _INNER_ROW_END):
            ends_row = operand[0] == 1
        elif sprm == _INNER_CELL_END:
            ends_inner_cell = operand[0] == 1
        elif sprm == _DEPTH:
            (depth,) = struct.unpack("<i", operand)
            in_table = depth > 0
        elif sprm == _DEPTH_CHANGE:
            depth += struct.unpack("<i", operand)[0]
        elif sprm in _HUGE:
            (huge,) = struct.unpack("<I", operand)
        elif sprm == _ROW_DEFINITION:
            merged = set(_merged(operand))
        elif sprm == _MERGE:
            merged.update(range(operand[0] + 1, min(operand[1], _MAX_CELLS)))
        elif sprm == _SPLIT:
            merged.difference_update(range(operand[0], min(operand[1], _MAX_CELLS)))
    if depth > _MAX_DEPTH:
        raise DocRefused("properties: tables within tables too deep")
    return ParagraphProperties(depth if in_table else 0, ends_row, ends_inner_cell, frozenset(merged), huge)


def _merged(definition: bytes) -> list[int]:
    """Columns that sprmTDefTable merges: number of cells, their edges, then a TC80 for each of the first cells.

    The first cell of a merged set has one flag, those after it another. Which is which differs between Word 97's own
    description (1 is the first) and the specification's (2 is, 2.9.317 TCGRF), so the first one met decides.
    """
    if not definition:
        return []
    count = definition[0]
    start = 1 + 2 * (count + 1)
    cells = range(min(count, max(len(definition) - start, 0) // _CELL_SIZE))
    merged, first = [], 0
    for number in cells:
        flag = definition[start + _CELL_SIZE * number] & _MERGE_FLAGS
        if not flag or not first:
            first = flag
        elif flag != first:
            merged.append(number)
    return merged
