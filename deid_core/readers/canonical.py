"""Builds the canonical text of a note and its blocks, the same way for every file format.

Rules of the canonical text: one string; blocks are separated by a newline, the cells of a table row by a tab, a
row from the next block by a newline; a cell's own paragraphs by newlines within it; a line break inside a
paragraph is a newline; empty paragraphs are kept as empty lines. CRLF and CR become LF; form feeds, page breaks
and other control characters become newlines or go, and so do tag characters. Nothing else is changed: NBSP and soft
hyphens stay.
The body comes first; page headers, footers, footnotes, text boxes, comments, deleted text and properties follow.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import Block, BlockKind, Note
from deid_core.core.spans import Dropped, Span
from deid_core.readers.deadline import Deadline
from deid_core.text.salutation import has_salutation

_Found = TypeVar("_Found", Span, Dropped)
_CONTROL = {c: None for c in range(32) if c not in (9, 10)} | {
    0x0B: "\n",
    0x0C: "\n",
    0x7F: None,
    0xFFFE: None,
    0xFFFF: None,
}
_CONTROL |= {c: None for c in range(0xD800, 0xE000)}
"""Word's control characters; lone surrogates cannot be written as UTF-8."""
_CONTROL |= {c: None for c in range(0xE0000, 0xE0080)}
"""Tag characters can carry a name that nobody sees and no recogniser reads."""
_REMOVED = re.compile("[\0-\x08\r-\x1f\x7f\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]")
"""What `clean` leaves out, a carriage return only before a line feed. Other characters that it changes stay one."""


def clean(text: str) -> str:
    """Return the text with newlines as line ends and without control characters."""
    if text.isprintable():  # most paragraphs; no control character, surrogate or noncharacter is printable
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROL)


def in_given_text(text: str, found: Sequence[_Found]) -> tuple[_Found, ...]:
    """Return spans of `clean(text)` with their places in the text.

    What `clean` leaves out between two characters of a span belongs to the span.
    """
    # For each character that is left out: how many stay before it.
    removed = (match.start() for match in _REMOVED.finditer(text))
    removed = (at for at in removed if text[at] != "\r" or text.startswith("\n", at + 1))
    stay = [at - index for index, at in enumerate(removed)]
    if not stay:
        return tuple(found)
    return tuple(
        one._replace(start=one.start + bisect_right(stay, one.start), end=one.end + bisect_right(stay, one.end - 1))
        for one in found
    )


def check_blocks(count: int, limit: int | None) -> None:
    """Check the number of paragraphs and cells before a reader creates them.

    Raises NoteError TOO_LARGE if `count` exceeds `limit`. None means no limit.
    """
    if limit is not None and count > limit:
        raise NoteError(Reason.TOO_LARGE, f"over {limit} paragraphs and cells")


class CanonicalBuilder:
    r"""Collects blocks in reading order and builds the note.

    >>> builder = CanonicalBuilder()
    >>> _ = builder.add_row(["An", "Klinik"], table=0, row=0)
    >>> _ = builder.add(BlockKind.PARAGRAPH, "Sehr geehrte Kollegen,")
    >>> builder.build("n1").text
    'An\tKlinik\nSehr geehrte Kollegen,'
    """

    def __init__(self, max_blocks: int | None = None, deadline: Deadline | None = None) -> None:
        """max_blocks: the highest number of blocks; one more raises NoteError TOO_LARGE. deadline: of the file.

        None means no limit.
        """
        self.max_blocks = max_blocks
        self.deadline = deadline
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._salutation_at: int | None = None

    @property
    def length(self) -> int:
        """Number of code points so far: the offset of the next separator."""
        return self._length

    def check_time(self) -> None:
        """Raise NoteError TIMEOUT after the deadline."""
        if self.deadline is not None:
            self.deadline.check()

    def add(self, kind: BlockKind, text: str) -> Block:
        """Append a block on its own line or lines and return it."""
        text = clean(text)
        block = self._append("\n", kind, text)
        if self._salutation_at is None and kind is BlockKind.PARAGRAPH and has_salutation(text):
            self._salutation_at = block.start
        return block

    def add_row(self, cells: Sequence[str], *, table: int, row: int) -> list[Block]:
        """Append a table row, one block per cell, separated by tabs. Tabs within a cell become spaces."""
        return [
            self._append(
                "\t" if column else "\n",
                BlockKind.TABLE_CELL,
                clean(cell).replace("\t", " "),
                table,
                row,
                column,
            )
            for column, cell in enumerate(cells)
        ]

    def add_body(self, blocks: Iterable[str | Iterable[Sequence[str]]], check: Callable[[], None]) -> None:
        """Append paragraphs and tables, which are rows of cells, and call `check` after each of them."""
        table = 0
        for block in blocks:
            if isinstance(block, str):
                self.add(BlockKind.PARAGRAPH, block)
            else:
                for row, cells in enumerate(block):
                    self.add_row(cells, table=table, row=row)
                table += 1
            check()

    def build(self, note_id: str, *, source: str = "", sha256: str = "", year: int | None = None) -> Note:
        """Return the note. Table cells before the salutation become header cells."""
        return Note(note_id, "".join(self._parts), source, sha256, year, tuple(self._with_header_cells()))

    def _with_header_cells(self) -> Iterable[Block]:
        end = self._salutation_at
        for number, block in enumerate(self._blocks):
            if end is None or block.end > end:
                yield from self._blocks[number:]
                return
            yield Block(BlockKind.HEADER_CELL, *block[1:]) if block.kind is BlockKind.TABLE_CELL else block

    def _append(
        self,
        separator: str,
        kind: BlockKind,
        text: str,
        table: int | None = None,
        row: int | None = None,
        column: int | None = None,
    ) -> Block:
        blocks = self._blocks
        if blocks:
            check_blocks(len(blocks) + 1, self.max_blocks)
            self._parts.append(separator)
            self._length += 1
        start = self._length
        self._parts.append(text)
        self._length = end = start + len(text)
        block = Block(kind, start, end, table, row, column)
        blocks.append(block)
        return block
