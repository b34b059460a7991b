"""Builds binary .doc files structure by structure, broken and hostile ones too (MS-DOC)."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from word_package import compound_file

from deid_core.readers.msdoc.fib import FibTable, Story

TEXT_AT = 0x800
IN_TABLE = 0x2416, b"\x01"
ROW_END = 0x2417, b"\x01"
INNER_CELL = 0x244B, b"\x01"
INNER_ROW = 0x244C, b"\x01"
DELETED = 0x0800, b"\x01"
Modifier = tuple[int, bytes]
Range = tuple[int, int, bytes]
"""Characters from, to, and the property list that holds for them."""


def prls(*modifiers: Modifier) -> bytes:
    """A property list."""
    return b"".join(sprm.to_bytes(2, "little") + operand for sprm, operand in modifiers)


def depth(number: int) -> Modifier:
    """How deep in tables a paragraph stands."""
    return 0x6649, struct.pack("<i", number)


def row_definition(*flags: int) -> Modifier:
    """sprmTDefTable of a row of cells with these flags."""
    cells = b"".join(struct.pack("<H18x", flag) for flag in flags)
    content = bytes([len(flags)]) + b"\0\0" * (len(flags) + 1) + cells
    return 0xD608, struct.pack("<H", len(content) + 1) + content


def xst(text: str) -> bytes:
    """A counted string."""
    return struct.pack("<H", len(text)) + text.encode("utf-16-le")


def sttb(*texts: str) -> bytes:
    """A string table."""
    return struct.pack("<HHH", 0xFFFF, len(texts), 0) + b"".join(map(xst, texts))


def plc(positions: Sequence[int], items: Sequence[bytes] = ()) -> bytes:
    """A table of positions."""
    return struct.pack(f"<{len(positions)}I", *positions) + b"".join(items)


@dataclass
class Doc:
    """A document in the making; what is not set is as in a sound one with nothing but a body."""

    stories: Mapping[Story, str]
    paragraphs: Sequence[Range] = ()
    characters: Sequence[Range] = ()
    tables: Mapping[FibTable, bytes] = field(default_factory=dict)
    data: bytes = b""
    extra: Mapping[str, bytes] = field(default_factory=dict)
    flags: int = 0x1200
    identifier: int = 0xA5EC
    lengths: Mapping[Story, int] = field(default_factory=dict)
    """Where they are to be other than the texts'."""

    def bytes(self) -> bytes:
        """The file."""
        text = "".join(self.stories.get(story, "") for story in Story)
        # What is not the body is followed by a paragraph mark of its own.
        text += "\r" if len(text) > len(self.stories[Story.MAIN]) else ""
        encoded = text.encode("utf-16-le")
        word = bytearray(TEXT_AT) + encoded + b"\0" * (-len(encoded) % 512)
        tables = {
            FibTable.CLX: b"\x02"
            + struct.pack("<I", 16)
            + plc((0, len(encoded) // 2), [struct.pack("<HIH", 0, TEXT_AT, 0)]),
            FibTable.PARAGRAPH_PAGES: _pages(word, self.paragraphs, len(text), 13),
            FibTable.CHARACTER_PAGES: _pages(word, self.characters, len(text), 1),
            **self.tables,
        }
        struct.pack_into("<HH6xH", word, 0, self.identifier, 0xC1, self.flags)
        for at, number in ((0x20, 14), (0x3E, 22), (0x98, 0x5D)):
            struct.pack_into("<H", word, at, number)
        lengths = [self.lengths.get(s, len(self.stories.get(s, "").encode("utf-16-le")) // 2) for s in Story]
        struct.pack_into("<8i", word, 0x4C, *lengths)
        stream = b"\0" * 16
        for table, content in tables.items():
            struct.pack_into("<II", word, 0x9A + 8 * table, len(stream), len(content))
            stream += content
        streams = {"WordDocument": bytes(word), "1Table": stream, **self.extra}
        return compound_file({**streams, "Data": self.data} if self.data else streams)


def body(text: str, **parts: object) -> Doc:
    """A document of a body alone."""
    return Doc({Story.MAIN: text}, **parts)  # type: ignore[arg-type]


def notes(story: Story, *texts: str) -> tuple[str, bytes]:
    """The text of a story of several texts and its table of positions, whose last one means nothing."""
    ends = [0]
    for text in texts:
        ends.append(ends[-1] + len(text))
    size = 22 if story in (Story.TEXT_BOXES, Story.HEADER_TEXT_BOXES) else 0
    return "".join(texts) + "\r", plc([*ends, ends[-1] + 1], [b"\0" * size] * len(ends))


def _pages(word: bytearray, ranges: Sequence[Range], length: int, step: int) -> bytes:
    """Appends a page of runs to the stream and returns the table that names it."""
    limits = sorted({0, length, *(at for first, last, _ in ranges for at in (first, last))})
    places = [TEXT_AT + 2 * at for at in limits]
    page = bytearray(512)
    struct.pack_into(f"<{len(places)}I", page, 0, *places)
    runs, end = 4 * len(places), 510
    for number, (first, _) in enumerate(pairwise(limits)):
        found = [content for start, stop, content in ranges if start <= first < stop]
        if found:
            content = (b"\0\0" if step == 13 else b"") + found[0]
            if step == 13:
                content += b"\0" * (1 - len(content) % 2)
                content = bytes([(len(content) + 1) // 2]) + content
            else:
                content = bytes([len(content)]) + content
            end = (end - len(content)) // 2 * 2
            page[end : end + len(content)] = content
            page[runs + number * step] = end // 2
    page[511] = len(places) - 1
    number = len(word) // 512
    word += page
    return plc((places[0], places[-1]), [struct.pack("<I", number)])
