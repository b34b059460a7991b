"""Lists of property modifiers (MS-DOC 2.2.5 Sprm, Prl): each two bytes that say what and how long, then an operand."""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.readers.msdoc.refused import DocRefused

_FIXED = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
"""Size of the operand by the modifier's three highest bits (spra); 6 has its size in the operand's first byte."""
_TABLE_DEFINITION = 0xD608
_CHANGED_TABS = 0xC615
_PADDING = 1


def modifiers(prls: bytes) -> Iterator[tuple[int, bytes]]:
    """Each modifier with its operand, without the size that stands before a variable one.

    Raises DocRefused for one whose operand is cut off; a single byte after the last one is padding.
    """
    at, end = 0, len(prls)
    while end - at > _PADDING:
        sprm = int.from_bytes(prls[at : at + 2], "little")
        at += 2
        size = _FIXED.get(sprm >> 13)
        if size is None:
            at, size = _variable(prls, sprm, at)
        if at + size > end:
            raise DocRefused("properties: an operand is cut off")
        yield sprm, prls[at : at + size]
        at += size


def _variable(prls: bytes, sprm: int, at: int) -> tuple[int, int]:
    """Where the operand's content starts and how long it is."""
    if at >= len(prls):
        raise DocRefused("properties: an operand is cut off")
    if sprm == _TABLE_DEFINITION:
        # Two bytes, which count themselves as one (2.9.318 TDefTableOperand).
        return at + 2, max(int.from_bytes(prls[at : at + 2], "little") - 1, 0)
    size = prls[at]
    if sprm == _CHANGED_TABS and size == 0xFF:
        # Tabs that are too many for one byte: the numbers of deleted and of added ones say (2.9.180 PChgTabsOperand).
        deleted = prls[at + 1] if at + 1 < len(prls) else 0
        added_at = at + 2 + 4 * deleted
        added = prls[added_at] if added_at < len(prls) else 0
        return at + 1, 2 + 4 * deleted + 3 * added
    return at + 1, size
