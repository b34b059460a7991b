"""What `deid bench` measures beside the reader of .docx: python-docx, used as its documentation and seed 000 use it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import docx

_PAGES = ("first_page_header", "header", "even_page_header", "first_page_footer", "footer", "even_page_footer")


def python_docx_texts(path: Path) -> Iterator[str]:
    """Texts of the paragraphs, of the tables' cells, and of all sections' page headers and footers.

    Less than the reader gives: no text boxes, notes, comments, deletions or properties, and no order of tables among
    paragraphs. Raises what python-docx raises.
    """
    document = docx.Document(str(path))
    yield from (paragraph.text for paragraph in document.paragraphs)
    for table in document.tables:
        for row in table.rows:
            yield from (cell.text for cell in row.cells)
    for section in document.sections:
        for name in _PAGES:
            part = getattr(section, name)
            if not part.is_linked_to_previous:
                yield from (paragraph.text for paragraph in part.paragraphs)
