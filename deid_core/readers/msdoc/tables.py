"""Paragraphs to paragraphs and tables: rows end at row marks, cells at cell marks (MS-DOC 2.4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deid_core.readers.msdoc.paragraphs import ParagraphProperties

Cells = list[str]
Rows = list[Cells]
"""As in wordml.py: rows of cells; a cell's paragraphs are parted by newlines."""


class Paragraph(NamedTuple):
    """A paragraph's text, whether a cell mark (U+0007) ends it, and its properties."""

    text: str
    cell_mark: bool
    properties: ParagraphProperties


class _Open:
    """A table whose end is not reached yet."""

    def __init__(self) -> None:
        self.rows: Rows = []
        self.cells: Cells = []
        self.lines: list[str] = []

    def end_cell(self) -> None:
        self.cells.append("\n".join(self.lines))
        self.lines = []

    def end_row(self, merged: frozenset[int]) -> None:
        if self.lines:
            self.end_cell()
        self.rows.append(_merged(self.cells, merged) if merged else self.cells)
        self.cells = []

    def end(self) -> Rows:
        """The rows; cells without a row's end, which no sound file has, are one more."""
        if self.cells or self.lines:
            self.end_row(frozenset())
        return self.rows


def blocks(paragraphs: Iterable[Paragraph]) -> Iterator[str | Rows]:
    """The tables that adjacent paragraphs in tables make; the rows of a table within a cell are lines of the cell."""
    tables: list[_Open] = []
    for text, cell_mark, properties in paragraphs:
        depth = properties.depth
        while len(tables) > depth:
            yield from _closed(tables)
        if not depth:
            yield text
            continue
        while len(tables) < depth:
            tables.append(_Open())
        table = tables[-1]
        if properties.ends_row:
            if text:
                table.lines.append(text)
            table.end_row(properties.merged)
        else:
            table.lines.append(text)
            if cell_mark or (properties.ends_inner_cell and depth > 1):
                table.end_cell()
    while tables:
        yield from _closed(tables)


def _closed(tables: list[_Open]) -> Iterator[Rows]:
    """Close the innermost table: yield it, or add its rows to the cell that it is in."""
    rows = tables.pop().end()
    if tables:
        tables[-1].lines += map("\t".join, rows)
    else:
        yield rows


def _merged(cells: Cells, merged: frozenset[int]) -> Cells:
    """The row with merged cells once, as in a .docx; text that stands in one is kept."""
    result: Cells = []
    for column, cell in enumerate(cells):
        if column in merged and result:
            if cell:
                result[-1] = f"{result[-1]}\n{cell}"
        else:
            result.append(cell)
    return result
