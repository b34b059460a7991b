"""The file information block at the start of the WordDocument stream: lengths of the stories, places of the tables.

Word 97 and later. What is older has other structures and is refused (MS-DOC 2.5).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

from deid_core.readers.msdoc.refused import DocRefused

_WORD_97 = 0xA5EC
_ENCRYPTED = 0x0100
_EXTENDED_CHARACTERS = 0x1000
_BASE = struct.Struct("<HH6xH")
"""wIdent, nFib, flags (MS-DOC 2.5.2 FibBase)."""
_COUNTS_AT = 0x20
_SHORTS = 0x0E
_LONGS_AT = 0x3E
_LONGS = 0x16
_LENGTHS_AT = 0x4C
"""ccpText, ccpFtn, ccpHdd, reserved (macros once), ccpAtn, ccpEdn; then ccpTxbx, ccpHdrTxbx (2.5.4 FibRgLw97)."""
_PLACES_AT = 0x9A
_PLACES = 0x5D
_PLACE_PAIRS = struct.Struct(f"<{2 * _PLACES}I")


class Story(IntEnum):
    """The parts of the text, in the order in which they follow each other (MS-DOC 2.3)."""

    MAIN = 0
    FOOTNOTES = 1
    HEADERS = 2
    MACROS = 3
    COMMENTS = 4
    ENDNOTES = 5
    TEXT_BOXES = 6
    HEADER_TEXT_BOXES = 7


class FibTable(IntEnum):
    """Numbers of the pairs of offset and length in FibRgFcLcb97 (MS-DOC 2.5.6)."""

    FOOTNOTE_TEXTS = 3
    COMMENT_REFERENCES = 4
    COMMENT_TEXTS = 5
    SECTIONS = 6
    HEADER_TEXTS = 11
    CHARACTER_PAGES = 12
    PARAGRAPH_PAGES = 13
    ASSOCIATED_STRINGS = 32
    CLX = 33
    COMMENT_OWNERS = 36
    SHAPES = 40
    HEADER_SHAPES = 41
    ENDNOTE_TEXTS = 47
    DRAWINGS = 50
    REVISION_AUTHORS = 51
    BOX_TEXTS = 56
    HEADER_BOX_TEXTS = 58


@dataclass(frozen=True, slots=True)
class Fib:
    """What the block says of one document."""

    lengths: tuple[int, ...]
    """Of each `Story`, in characters (UTF-16 code units)."""
    places: tuple[int, ...]
    """Offset and length of each table in the table stream, in turns."""

    @staticmethod
    def from_bytes(word: bytes) -> Fib:
        """The block at the start of the WordDocument stream. Raises DocRefused for older, encrypted or broken ones."""
        if len(word) < _PLACES_AT + _PLACE_PAIRS.size:
            raise DocRefused("header: too short")
        identifier, _, flags = _BASE.unpack_from(word)
        if identifier != _WORD_97 or not flags & _EXTENDED_CHARACTERS:
            raise DocRefused("header: older than Word 97")
        if flags & _ENCRYPTED:
            raise DocRefused("header: encrypted")
        shorts, longs, places = (struct.unpack_from("<H", word, at)[0] for at in (_COUNTS_AT, _LONGS_AT, 0x98))
        if (shorts, longs) != (_SHORTS, _LONGS) or places < _PLACES:
            raise DocRefused("header: of another layout")
        lengths = struct.unpack_from("<8i", word, _LENGTHS_AT)
        if min(lengths) < 0:
            raise DocRefused("header: a length below zero")
        return Fib(lengths, _PLACE_PAIRS.unpack_from(word, _PLACES_AT))

    def start(self, story: Story) -> int:
        """The character position at which a story begins."""
        return sum(self.lengths[:story])

    def part(self, stream: bytes, table: FibTable) -> bytes:
        """One of the tables out of the table stream, b"" if there is none. Raises DocRefused if it lies beyond."""
        offset, length = self.places[2 * table : 2 * table + 2]
        if not length:
            return b""
        if offset + length > len(stream):
            raise DocRefused("header: a table beyond its stream")
        return stream[offset : offset + length]
