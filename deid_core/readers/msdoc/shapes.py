"""Drawings: which text boxes a shape anchors, words drawn as art, and texts that stand for a picture (MS-ODRAW).

A drawing is a tree of records: a header of version, type and length, then content or further records.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from deid_core.readers.msdoc.budget import Budget
from deid_core.readers.msdoc.refused import DocRefused

_HEADER = struct.Struct("<HHI")
_DRAWING = 0xF002
_GROUP = 0xF003
_SHAPE = 0xF004
_SHAPE_ID = 0xF00A
_PROPERTIES = frozenset({0xF00B, 0xF121, 0xF122})
_TEXT_ID = 0xF00D
_DGG = 0xF000
_COMPLEX = 0x8000
_ART = 0x00C0
"""gtextUNICODE: words drawn as art, such as a watermark (MS-ODRAW 2.3.22.1)."""
_DESCRIPTION = 0x0381
"""wzDescription: the alternative text (MS-ODRAW 2.3.4.3)."""
_MAX_DEPTH = 30
_PICTURE_HEADER = 0x44
_FILE_NAME = 0x0066
"""MM_SHAPEFILE: the picture's file name stands before its shape (MS-DOC 2.9.190 PICF, 2.9.192)."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape or group of them, in the order of the drawing."""

    texts: tuple[str, ...]
    """Its alternative text and its drawn words; of a group also those of the shapes in it."""
    boxes: tuple[int, ...]
    """Numbers of the text boxes in it: places in the table of box texts, from 0."""


def drawings(content: bytes) -> Mapping[int, Shape]:
    """Shapes by their identifier, from OfficeArtContent (MS-DOC 2.9.172). Raises DocRefused if records overlap."""
    shapes: dict[int, Shape] = {}
    at = 0
    while at + _HEADER.size <= len(content):
        _, kind, length = _HEADER.unpack_from(content, at)
        if kind not in (_DGG, _DRAWING):
            # A byte before each drawing says whether it is the body's or the page headers'.
            at += 1
            _, kind, length = _HEADER.unpack_from(content.ljust(at + _HEADER.size, b"\0"), at)
            if kind != _DRAWING:
                raise DocRefused("drawings: a record that has no place here")
        end = at + _HEADER.size + length
        if end > len(content):
            raise DocRefused("drawings: a record beyond its container")
        if kind == _DRAWING:
            _collect(content, at + _HEADER.size, end, shapes, 0)
        at = end
    return shapes


def picture_text(data: bytes, at: int, budget: Budget) -> str:
    """The alternative text of a picture in the line; "" without one.

    data: the Data stream; at: where the picture's PICFAndOfficeArtData begins (MS-DOC 2.9.190).
    """
    if at + _PICTURE_HEADER > len(data):
        return ""
    size, header, kind = struct.unpack_from("<iHh", data, at)
    start, end = at + header, min(at + size, len(data))
    if kind == _FILE_NAME and start < end:
        start += 1 + data[start]
    record_end = start
    try:
        kind, start, record_end = next(_records(data, start, end))
        texts = _shape(data, start, record_end)[1].texts if kind == _SHAPE else ()
    except (DocRefused, StopIteration):
        # A picture of another kind, or a broken one, hides no text of the note.
        texts = ()
    budget.spend(record_end - start)
    return "\n".join(texts)


def _collect(data: bytes, start: int, end: int, shapes: dict[int, Shape], depth: int) -> list[tuple[int, Shape]]:
    """Adds the shapes of the range to `shapes` and returns those that stand in it, with their identifiers."""
    if depth > _MAX_DEPTH:
        raise DocRefused("drawings: groups too deep within each other")
    found = []
    for kind, record_start, record_end in _records(data, start, end):
        if kind == _SHAPE:
            found.append(_shape(data, record_start, record_end))
        elif kind == _GROUP and (members := _collect(data, record_start, record_end, shapes, depth + 1)):
            # The first of a group's shapes is the group itself, which the text's anchor names.
            texts = tuple(text for _, member in members for text in member.texts)
            boxes = tuple(box for _, member in members for box in member.boxes)
            found.append((members[0][0], Shape(texts, boxes)))
    if depth < 2:
        # Within a drawing's own group, each shape and group has an anchor; within a group of shapes none has.
        shapes.update(found)
    return found


def _shape(data: bytes, start: int, end: int) -> tuple[int, Shape]:
    identifier = 0
    texts: list[str] = []
    boxes: list[int] = []
    for kind, record_start, record_end in _records(data, start, end):
        if kind == _SHAPE_ID and record_end - record_start >= 4:
            (identifier,) = struct.unpack_from("<I", data, record_start)
        elif kind in _PROPERTIES:
            texts += _texts(data, record_start, record_end)
        elif kind == _TEXT_ID and record_end - record_start >= 4:
            # The high half counts the text boxes from 1, the low half is the place in a chain of them.
            chain, number = struct.unpack_from("<HH", data, record_start)
            if number and not chain:
                boxes.append(number - 1)
    return identifier, Shape(tuple(texts), tuple(boxes))


def _texts(data: bytes, start: int, end: int) -> Iterator[str]:
    """The strings of a property table: pairs of number and value, then the complex values in the pairs' order."""
    version, _, _ = _HEADER.unpack_from(data, start - _HEADER.size)
    count = version >> 4
    at = start + 6 * count
    if at > end:
        raise DocRefused("drawings: a property table cut off")
    for number in range(count):
        identifier, size = struct.unpack_from("<HI", data, start + 6 * number)
        if identifier & _COMPLEX:
            if at + size > end:
                raise DocRefused("drawings: a property cut off")
            if identifier & 0x3FFF in (_ART, _DESCRIPTION):
                text = data[at : at + size].decode("utf-16-le", "replace").partition("\0")[0]
                if text.strip():
                    yield text
            at += size


def _records(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Type, start and end of the content of each record in the range."""
    while start + _HEADER.size <= end:
        _, kind, length = _HEADER.unpack_from(data, start)
        start += _HEADER.size
        if start + length > end:
            raise DocRefused("drawings: a record beyond its container")
        yield kind, start, start + length
        start += length
