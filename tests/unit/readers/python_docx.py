"""The same document as python-docx gives it to its users: the reference that the reader of .docx is held equal to.

python-docx's interface is used and no XML: `iter_inner_content`, `text`, `rows`, `cells`, `sections`, and `_tc` to tell
whether two cells are one. What python-docx has in another form is put into the form of the canonical text here: a
merged cell stands once, and a nested table is lines of its cell.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import docx
from docx.table import Table
from docx.text.paragraph import Paragraph

from deid_core.core.note import BlockKind
from deid_core.readers.canonical import clean

Block = tuple[str, str]
"""Kind of place ("paragraph", "cell", "page_header", "page_footer") and its text."""

_KINDS = {
    BlockKind.PARAGRAPH: "paragraph",
    BlockKind.TABLE_CELL: "cell",
    BlockKind.HEADER_CELL: "cell",
    BlockKind.PAGE_HEADER: "page_header",
    BlockKind.PAGE_FOOTER: "page_footer",
}


def blocks_of(note: Any) -> list[Block]:
    """A note's blocks of the kinds that python-docx gives."""
    return [(_KINDS[block.kind], note.block_text(block)) for block in note.blocks if block.kind in _KINDS]


def reference(data: bytes) -> list[Block]:
    """The document's blocks by python-docx."""
    document = docx.Document(io.BytesIO(data))
    blocks = [*_body(document), *_pages(document, "header"), *_pages(document, "footer")]
    return [(kind, clean(text).replace("\t", " ") if kind == "cell" else clean(text)) for kind, text in blocks]


def _body(document: Any) -> Iterator[Block]:
    for block in document.iter_inner_content():
        if isinstance(block, Paragraph):
            yield "paragraph", block.text
        else:
            yield from (("cell", text) for row in _rows(block) for text in row)


def _rows(table: Table) -> Iterator[list[str]]:
    """The cells' texts; those that a cell spans are left out to its right and empty below it."""
    above: set[Any] = set()
    for row in table.rows:
        cells = {cell._tc: cell for cell in row.cells}
        yield ["" if element in above else _lines(cell) for element, cell in cells.items()]
        above = set(cells)


def _lines(container: Any) -> str:
    """Paragraphs of a cell, page header or page footer, and the rows of tables in it."""
    lines: list[str] = []
    for block in container.iter_inner_content():
        lines += [block.text] if isinstance(block, Paragraph) else ["\t".join(row) for row in _rows(block)]
    return "\n".join(lines)


def _pages(document: Any, kind: str) -> Iterator[Block]:
    """Headers or footers of all sections, each text once."""
    parts = [
        getattr(section, name)
        for section in document.sections
        for name in (f"first_page_{kind}", kind, f"even_page_{kind}")
    ]
    texts = [_lines(part).strip("\n") for part in parts if not part.is_linked_to_previous]
    yield from ((f"page_{kind}", text) for text in dict.fromkeys(texts) if text.strip())
