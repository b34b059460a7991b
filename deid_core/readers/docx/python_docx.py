"""Read .docx through python-docx, the reader of seed 000: `reading.docx_reader: python-docx`.

It gives paragraphs, table cells, page headers and page footers, in the order and form of the canonical text: a merged
cell occurs once, and a nested table is lines of its cell. It gives no text boxes, notes, comments, deleted text or
properties, so a note has less text than by the project's own reader. The tests hold both equal where both give text.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import docx
from docx.table import Table as DocxTable
from docx.text.paragraph import Paragraph as DocxParagraph

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import BlockKind
from deid_core.readers.canonical import CanonicalBuilder
from deid_core.readers.docx.package import Package
from deid_core.readers.settings import ReadingSettings


def read_by_python_docx(data: bytes, builder: CanonicalBuilder, settings: ReadingSettings) -> None:
    """Add the document's text to the builder.

    Raises NoteError: what `Package` refuses, CORRUPT for what python-docx cannot open, TOO_LARGE for too much text.
    """
    # The limits on archives and XML hold for this reader, too.
    package = Package(data, settings)
    package.root(package.main)
    try:
        document = docx.Document(io.BytesIO(data))
    except (KeyError, ValueError, AttributeError, docx.exceptions.PythonDocxError) as error:
        raise NoteError(Reason.CORRUPT, f"python-docx: {type(error).__name__}") from None

    def check() -> None:
        builder.check_time()
        _check_length(builder, settings)

    blocks = document.iter_inner_content()
    builder.add_body((block.text if isinstance(block, DocxParagraph) else _rows(block) for block in blocks), check)
    for kind, name in ((BlockKind.PAGE_HEADER, "header"), (BlockKind.PAGE_FOOTER, "footer")):
        for text in _pages(document, name):
            builder.add(kind, text)
            check()


def _rows(table: DocxTable) -> Iterator[list[str]]:
    """Yield the texts of each row's cells; a merged cell has its text once, and is empty in the rows below."""
    above: set[Any] = set()
    for row in table.rows:
        cells = {cell._tc: cell for cell in row.cells}
        yield ["" if element in above else _lines(cell) for element, cell in cells.items()]
        above = set(cells)


def _lines(container: Any) -> str:
    """Return the paragraphs of a cell, page header or page footer, and the rows of tables in it, as lines."""
    lines: list[str] = []
    for block in container.iter_inner_content():
        lines += [block.text] if isinstance(block, DocxParagraph) else ["\t".join(row) for row in _rows(block)]
    return "\n".join(lines)


def _pages(document: Any, name: str) -> Iterator[str]:
    """Yield the headers or footers of all sections, each text once."""
    parts = [
        getattr(section, attribute)
        for section in document.sections
        for attribute in (f"first_page_{name}", name, f"even_page_{name}")
    ]
    texts = (_lines(part).strip("\n") for part in parts if not part.is_linked_to_previous)
    yield from (text for text in dict.fromkeys(texts) if text.strip())


def _check_length(builder: CanonicalBuilder, settings: ReadingSettings) -> None:
    if builder.length > settings.max_text_chars:
        raise NoteError(Reason.TOO_LARGE, f"over {settings.max_text_chars} characters of text")
