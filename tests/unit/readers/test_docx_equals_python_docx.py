"""Paragraphs, cells, page headers and footers are those of python-docx: on letters, odd documents and real ones."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.text import WD_BREAK
from hypothesis import given, settings
from hypothesis import strategies as st
from python_docx import Block, blocks_of, reference

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import Note
from deid_core.lab.synthetic.case import Case
from deid_core.lab.synthetic.compose import Body
from deid_core.lab.synthetic.docx_file import docx_bytes
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.lists import lists_of
from deid_core.lab.synthetic.templates import templates_of
from deid_core.lab.synthetic.years import draw_year, row_of
from deid_core.readers.canonical import CanonicalBuilder
from deid_core.readers.docx.reader import read_docx
from deid_core.readers.note_reader import NoteReader
from deid_core.readers.settings import ReadingSettings
from deid_core.readers.source_listing import source_files

_PAGES = ("first_page_header", "header", "even_page_header", "first_page_footer", "footer", "even_page_footer")
_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")) | st.sampled_from("\t\n\xa0\xad-ß"), max_size=12)
_RUNS = st.lists(_TEXT, max_size=4)
_GRID = st.tuples(
    st.integers(1, 3), st.integers(1, 3), st.lists(_TEXT, max_size=9), st.sampled_from(["", "across", "down", "nested"])
)
_BLOCKS = st.lists(st.one_of(_RUNS, _GRID), max_size=6)
_SECTIONS = st.lists(
    st.tuples(_BLOCKS, st.dictionaries(st.sampled_from(_PAGES), st.lists(_TEXT, max_size=3))), max_size=3
)


def read(data: bytes) -> Note:
    builder = CanonicalBuilder()
    read_docx(data, builder, ReadingSettings())
    return builder.build("n")


@pytest.mark.parametrize("split", ["train", "test"])
def test_letters_of_every_layout(split: str) -> None:
    templates = templates_of(split)
    for number, layout in enumerate(templates.layouts):
        draw = Draw(f"{split}:{number}")
        year = draw_year(draw)
        case = Case(draw, lists_of(split), year)
        data = docx_bytes(layout.fill(case, templates.sentences, Body(case, templates, row_of(year)).write))
        expected = reference(data)
        assert len(expected) > 10, number
        assert blocks_of(read(data)) == expected, number


def document_of(sections: list[Any]) -> bytes:
    """A .docx made through python-docx's interface."""
    document = docx.Document()
    for number, (blocks, pages) in enumerate(sections):
        section = document.add_section() if number else document.sections[0]
        section.different_first_page_header_footer = "first_page_header" in pages
        for name, paragraphs in pages.items():
            part = getattr(section, name)
            part.is_linked_to_previous = False
            for text in paragraphs:
                part.add_paragraph(text)
        for block in blocks:
            if isinstance(block, tuple):
                fill_table(document.add_table(*block[:2]), *block)
            else:
                fill_paragraph(document.add_paragraph(), block)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def fill_paragraph(paragraph: Any, texts: list[str]) -> None:
    """A run for each text, every second one formatted; the last behind a page break."""
    for number, text in enumerate(texts):
        run = paragraph.add_run(text)
        run.bold = bool(number % 2) or None
        if number == 3:
            # At a paragraph's end, where a break is no text in either.
            run.add_break(WD_BREAK.PAGE)


def fill_table(table: Any, rows: int, columns: int, texts: list[str], form: str) -> None:
    """Texts in the cells from the first; `form` says what becomes of the first cell."""
    for number, text in enumerate(texts):
        cell = table.cell(number % rows, number % columns)
        cell.add_paragraph(text)
    first = table.cell(0, 0)
    if form == "across":
        first.merge(table.cell(0, columns - 1))
    elif form == "down":
        first.merge(table.cell(rows - 1, 0))
    elif form == "nested":
        inner = first.add_table(2, 2)
        for cell, text in zip((cell for row in inner.rows for cell in row.cells), texts, strict=False):
            cell.text = text


@settings(max_examples=40)
@given(_SECTIONS)
def test_documents_made_by_python_docx(sections: list[Any]) -> None:
    data = document_of(sections)
    assert blocks_of(read(data)) == reference(data)


# Samples in which python-docx passes over text, and the markup that it does not know; all others give the same blocks.
PASSED_OVER = {
    "52449.docx": (b"<w:fldSimple ",),
    "55966.docx": (b"<w:sdt>",),
    "60293.docx": (b'w:type="odd"',),
    "Bug54771b.docx": (b"<w:sdt>",),
    "Bug60341.docx": (b"<w:sdt>",),
    "FancyFoot.docx": (b"<w:fldSimple ",),
    "MultipleBodyBug.docx": (rb"</w:body>\s*<w:body",),
    "delins.docx": (b"<w:ins ",),
    "drawing.docx": (b"<w:smartTag ", b"<w:softHyphen/>"),
    "form_footnotes.docx": (b"<w:smartTag ", b"<w:sym "),
    "smarttag-snippet.docx": (b"<w:smartTag ",),
}


@pytest.mark.shared
def test_real_documents(shared_dir: Path) -> None:
    different, compared = set(), 0
    for path in sorted((shared_dir / "word-samples").rglob("*.docx")):
        data = path.read_bytes()
        try:
            found = blocks_of(read(data))
        except NoteError:
            continue  # tests/integration/test_reading_word.py says why
        compared += 1
        expected = reference(data)
        if found != expected:
            different.add(path.name)
            assert is_subsequence(characters(expected), characters(found)), path.name
            with zipfile.ZipFile(path) as archive:
                xml = b"".join(archive.read(name) for name in archive.namelist() if name.endswith(".xml"))
            assert all(re.search(markup, xml) for markup in PASSED_OVER.get(path.name, ())), path.name
    assert different == PASSED_OVER.keys()
    assert compared == 48


@pytest.mark.shared
def test_formatting_that_is_cut_out_changes_no_note(shared_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = sorted((shared_dir / "word-samples").rglob("*.docx"))
    assert len(paths) > 50
    cut = [note_or_reason(path.read_bytes()) for path in paths]
    monkeypatch.setattr("deid_core.readers.docx.reader.FORMATTING", re.compile(b"(?!)"))
    assert cut == [note_or_reason(path.read_bytes()) for path in paths]


def note_or_reason(data: bytes) -> Note | Reason:
    try:
        return read(data)
    except NoteError as error:
        return error.reason


def characters(blocks: list[Block]) -> str:
    return "".join(text for _, text in blocks)


def is_subsequence(short: str, long: str) -> bool:
    """Whether all characters of `short` are in `long`, in the same order."""
    rest = iter(long)
    return all(character in rest for character in short)


def test_python_docx_can_be_chosen_as_the_reader(tmp_path: Path) -> None:
    document = docx.Document()
    document.core_properties.author = "Xylander"
    document.add_paragraph("Sehr geehrte Kollegen,")
    path = tmp_path / "letter.docx"
    document.save(path)
    texts = {}
    for way in ("direct", "python-docx"):
        with NoteReader(ReadingSettings.model_validate({"docx_reader": way})) as reader:
            [(_, note)] = reader.read(source_files(path))
        assert isinstance(note, Note)
        texts[way] = note.text
    assert texts["python-docx"] == "Sehr geehrte Kollegen,"
    assert texts["direct"].startswith("Sehr geehrte Kollegen,") and "Xylander" in texts["direct"]


@pytest.mark.parametrize("data", [b"PK no archive", b""])
def test_by_python_docx_a_damaged_file_has_a_reason(data: bytes) -> None:
    with pytest.raises(NoteError):
        reference(data)
