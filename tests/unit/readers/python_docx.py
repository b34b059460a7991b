"""A note's paragraphs, cells, page headers and page footers, to compare the two readers of .docx."""

from __future__ import annotations

from deid_core.core.note import BlockKind, Note
from deid_core.readers.canonical import CanonicalBuilder
from deid_core.readers.docx.python_docx import read_by_python_docx
from deid_core.readers.settings import ReadingSettings

Block = tuple[str, str]
"""Kind of place ("paragraph", "cell", "page_header", "page_footer") and its text."""

_KINDS = {
    BlockKind.PARAGRAPH: "paragraph",
    BlockKind.TABLE_CELL: "cell",
    BlockKind.HEADER_CELL: "cell",
    BlockKind.PAGE_HEADER: "page_header",
    BlockKind.PAGE_FOOTER: "page_footer",
}


def blocks_of(note: Note) -> list[Block]:
    """Return a note's blocks of the kinds that python-docx gives."""
    return [(_KINDS[block.kind], note.block_text(block)) for block in note.blocks if block.kind in _KINDS]


def reference(data: bytes) -> list[Block]:
    """Return the document's blocks by python-docx."""
    builder = CanonicalBuilder()
    read_by_python_docx(data, builder, ReadingSettings())
    return blocks_of(builder.build("n"))
