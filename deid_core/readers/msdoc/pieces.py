"""The text: pieces of the WordDocument stream in the order in which they are read (MS-DOC 2.4.1, 2.9.38 Clx).

A file saved fast has many pieces out of order. A piece is UTF-16, or a byte a character where CP1252 has all of them.
Positions count UTF-16 code units; a character beyond them takes two, so NUL follows it here and positions hold.
"""

from __future__ import annotations

import codecs
import re
import struct
from dataclasses import dataclass
from itertools import pairwise

from deid_core.core.errors import NoteError, Reason
from deid_core.readers.msdoc.refused import DocRefused

_PRC = 1
_PCDT = 2
_ITEM = struct.Struct("<2xIH")
"""Offset with its flag and property modifier of a Pcd (MS-DOC 2.9.177)."""
_COMPRESSED = 1 << 30
_MAX_PIECES = 100_000
_OFFSET = _COMPRESSED - 1
# Bytes that CP1252 leaves open stand for themselves. The specification's table (2.9.73) lacks 0x80, 0x8E and 0x9E,
# which would be control characters; other programs mean the euro sign and Z and z with caron.
_CP1252 = "".join(bytes([c]).decode("cp1252", "ignore") or chr(c) for c in range(256))
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
# A modifier of one byte (2.9.215 Prm0) by its number; those that decide nothing here are left out.
_SHORT_MODIFIERS = {0x18: 0x2416, 0x19: 0x2417, 0x41: 0x0800, 0x42: 0x0801, 0x47: 0x0806, 0x75: 0x0855}


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters [start, end) lie at `offset` of the stream, `width` bytes each."""

    start: int
    end: int
    offset: int
    width: int
    prls: bytes
    """Property modifiers that hold for the whole piece, besides those of its runs."""


@dataclass(frozen=True, slots=True)
class PieceTable:
    """The text, a character for each position, and the pieces that it is made of."""

    text: str
    pieces: tuple[Piece, ...]


def read_pieces(clx: bytes, word: bytes, length: int, limit: int) -> PieceTable:
    """The text of at least `length` characters from Clx and stream.

    Raises DocRefused if a piece lies beyond the stream or the text is shorter; NoteError TOO_LARGE beyond `limit`.
    """
    modifiers, at = [], 0
    while clx[at : at + 1] == bytes([_PRC]):
        size = int.from_bytes(clx[at + 1 : at + 3], "little")
        modifiers.append(clx[at + 3 : at + 3 + size])
        at += 3 + size
    size = int.from_bytes(clx[at + 1 : at + 5], "little")
    count, rest = divmod(size - 4, 12)
    if clx[at : at + 1] != bytes([_PCDT]) or rest or not 1 <= count <= _MAX_PIECES or at + 5 + size > len(clx):
        raise DocRefused("piece table: of another length")
    positions = struct.unpack_from(f"<{count + 1}I", clx, at + 5)
    if positions[0] or positions[-1] < length or any(a >= b for a, b in pairwise(positions)):
        raise DocRefused("piece table: positions do not ascend to the text's length")
    if positions[-1] > limit:
        raise NoteError(Reason.TOO_LARGE, f"{positions[-1]} characters, limit {limit}")
    pieces, texts = [], []
    items_at = at + 5 + 4 * (count + 1)
    for number, (start, end) in enumerate(pairwise(positions)):
        place, modifier = _ITEM.unpack_from(clx, items_at + 8 * number)
        width = 1 if place & _COMPRESSED else 2
        offset = (place & _OFFSET) >> (2 - width)
        end_offset = offset + (end - start) * width
        if end_offset > len(word):
            raise DocRefused("piece table: a piece beyond the stream")
        pieces.append(Piece(start, end, offset, width, _prls(modifier, modifiers)))
        texts.append(_decode(word[offset:end_offset], width))
    return PieceTable("".join(texts), tuple(pieces))


def _decode(data: bytes, width: int) -> str:
    if width == 1:
        return codecs.charmap_decode(data, "strict", _CP1252)[0]
    text = data.decode("utf-16-le", "surrogatepass")
    if 2 * len(text) != len(data):
        text = _ASTRAL.sub("\\g<0>\0", text)
    return text


def _prls(modifier: int, modifiers: list[bytes]) -> bytes:
    """The property modifiers that a Prm stands for (MS-DOC 2.9.214): one of the Clx's lists, or a single one."""
    if modifier & 1:
        number = modifier >> 1
        if number >= len(modifiers):
            raise DocRefused("piece table: a property list that is not there")
        return modifiers[number]
    sprm = _SHORT_MODIFIERS.get(modifier >> 1 & 0x7F)
    return struct.pack("<HB", sprm, modifier >> 8) if sprm else b""
