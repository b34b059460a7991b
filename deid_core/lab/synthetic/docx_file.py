"""Writes a letter as Word's .docx: python-docx gives the package, the body's XML is built here.

The same letter gives the same bytes: the package's times, and the times in its properties, are the letter's date.
"""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any
from xml.sax.saxutils import escape

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from deid_core.lab.synthetic.letter import Letter, LetterTable, Paragraph, text_of

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_LEVEL = 6
_BORDERS = "".join(
    f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="A0A0A0"/>'
    for side in ("top", "left", "bottom", "right", "insideH", "insideV")
)
_PAGE_WIDTH = 9000
"""Between the margins, in twentieths of a point."""


def docx_bytes(letter: Letter) -> bytes:
    """The .docx file's content."""
    document = docx.Document()
    body = document.element.body
    content = parse_xml(f"<w:body {nsdecls('w')}>{''.join(map(_item, letter.body))}</w:body>")
    for place, element in enumerate(list(content)):
        body.insert(place, element)
    section = document.sections[0]
    for part, paragraphs in ((section.header, letter.page_header), (section.footer, letter.page_footer)):
        if paragraphs:
            _fill(part, paragraphs)
    _set_properties(document.core_properties, letter)
    buffer = io.BytesIO()
    document.save(buffer)
    return _with_fixed_times(buffer.getvalue())


def _item(item: Paragraph | LetterTable) -> str:
    return _table(item) if isinstance(item, LetterTable) else _paragraph(item)


def _paragraph(paragraph: Paragraph) -> str:
    runs = "".join(_run(text) for text in _runs(paragraph))
    return f"<w:p>{runs}</w:p>"


def _runs(paragraph: Paragraph) -> Iterable[str]:
    """A run for each piece, as Word parts a text where somebody typed into it."""
    return (piece if isinstance(piece, str) else piece.text for piece in paragraph)


def _run(text: str) -> str:
    inner = "".join(
        "<w:tab/>" if part == "\t" else "<w:br/>" if part == "\n" else f'<w:t xml:space="preserve">{escape(part)}</w:t>'
        for part in _parts(text)
    )
    return f"<w:r>{inner}</w:r>" if inner else ""


def _parts(text: str) -> Iterable[str]:
    """The text cut at tabs and line breaks, which are parts of their own."""
    start = 0
    for place, character in enumerate(text):
        if character in "\t\n":
            if place > start:
                yield text[start:place]
            yield character
            start = place + 1
    if start < len(text):
        yield text[start:]


def _table(table: LetterTable) -> str:
    columns = len(table.rows[0])
    width = _PAGE_WIDTH // columns
    rows = "".join(
        "<w:tr>"
        + "".join(
            f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr>{"".join(map(_paragraph, cell))}</w:tc>'
            for cell in row
        )
        + "</w:tr>"
        for row in table.rows
    )
    grid = f'<w:gridCol w:w="{width}"/>' * columns
    return (
        f'<w:tbl><w:tblPr><w:tblW w:w="{width * columns}" w:type="dxa"/><w:tblBorders>{_BORDERS}</w:tblBorders>'
        f"</w:tblPr><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>"
    )


def _fill(part: Any, paragraphs: Sequence[Paragraph]) -> None:
    """Puts paragraphs into a page header or footer, which has one empty paragraph."""
    part.paragraphs[0].text = text_of(paragraphs[0])
    for paragraph in paragraphs[1:]:
        part.add_paragraph(text_of(paragraph))


def _set_properties(properties: Any, letter: Letter) -> None:
    written = dt.datetime.combine(letter.date, dt.time(12))
    properties.title = text_of(letter.title)
    properties.author = text_of(letter.author)
    properties.comments = ""
    properties.created = written
    properties.modified = written


def _with_fixed_times(package: bytes) -> bytes:
    """The same package with its members in order of name, the content types first, and no times of writing."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as source, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(source.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            info = zipfile.ZipInfo(name, _ZIP_TIME)
            target.writestr(info, source.read(name), zipfile.ZIP_DEFLATED, _LEVEL)
    return buffer.getvalue()
