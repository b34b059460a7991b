"""Real Word files: 127 of Apache POI's test data, and .doc files that LibreOffice writes here."""

from __future__ import annotations

import base64
import http.server
import io
import json
import re
import subprocess
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import docx
import pytest
from lxml import etree

from deid_core import cli
from deid_core.core.errors import ExitCode, NoteError
from deid_core.core.note import BlockKind, Note
from deid_core.readers import NoteReader, source_files
from deid_core.readers.settings import ReadingSettings

Results = dict[str, Note | NoteError]

# The files of word-samples that are no note, and why; all others give text.
EXPECTED_ERRORS = {
    "51921-Word-Crash067.doc": "empty",
    "58804_1.doc": "empty",
    "Bug62859.docx": "empty",
    "ExternalEntityInText.docx": "unsafe",
    "PasswordProtected.doc": "encrypted",
    "clusterfuzz-testcase-minimized-POIFuzzer-6709287337197568.docx": "corrupt",
    "clusterfuzz-testcase-minimized-POIHWPFFuzzer-5074346559012864.doc": "unsupported",
    "clusterfuzz-testcase-minimized-POIXWPFFuzzer-4791943399604224.docx": "corrupt",
    "clusterfuzz-testcase-minimized-POIXWPFFuzzer-5569740188549120.docx": "corrupt",
    "clusterfuzz-testcase-minimized-POIXWPFFuzzer-6061520554164224.docx": "corrupt",
    "crash-517626e815e0afa9decd0ebb6d1dee63fb9907dd.docx": "corrupt",
    "empty.doc": "empty",
    "equation.doc": "empty",
    "password_password_cryptoapi.doc": "encrypted",
    "password_tika_binaryrc4.doc": "encrypted",
    "truncated62886.docx": "corrupt",
    "vector_image.doc": "empty",
}

# What stands where: file, kind of block, the beginning of its text.
EXPECTED_BLOCKS = [
    ("60293.docx", BlockKind.PAGE_HEADER, "FIRST_PAGE_HEADER"),
    ("60293.docx", BlockKind.PAGE_HEADER, "EVEN_PAGE_HEADER"),
    ("DiffFirstPageHeadFoot.doc", BlockKind.PAGE_HEADER, "I am the header on the first page"),
    ("DiffFirstPageHeadFoot.docx", BlockKind.PAGE_FOOTER, "The footer of the first page"),
    ("FancyFoot.doc", BlockKind.PAGE_FOOTER, "This is a fancy alphabet footer"),
    ("header_image.doc", BlockKind.PAGE_HEADER, "DOZOR"),
    ("footnotes.docx", BlockKind.FOOTNOTE, " snoska"),
    ("endnotes.docx", BlockKind.ENDNOTE, " XXX"),
    ("test-fields.doc", BlockKind.FOOTNOTE, " Footnote with field: Fridrich Strba"),
    ("test-fields.doc", BlockKind.ENDNOTE, " Field in EndNote"),
    ("test-fields.doc", BlockKind.COMMENT, "Field in comment: 19/11/2010"),
    ("comment.docx", BlockKind.COMMENT, "This is the first line"),
    ("saved-by-table.doc", BlockKind.TEXT_BOX, "The National \nSecurity Council"),
    ("ob_is.doc", BlockKind.TEXT_BOX, "МИНИСТЕРСТВО ЭКОНОМИЧЕСКОГО РАЗВИТИЯ"),
    ("watermark.doc", BlockKind.TEXT_BOX, "DRAFT CONTRACT"),
    ("VariousPictures.docx", BlockKind.TEXT_BOX, "santa.wmf"),
    ("61745.docx", BlockKind.TEXT_BOX, "Series 1"),
    ("58067.docx", BlockKind.DELETED_TEXT, "This is another Test."),
    ("delins.docx", BlockKind.DELETED_TEXT, "A pendant worn in place"),
    ("documentProperties.doc", BlockKind.AUTHOR, "Sergey Vladimirov"),
    ("documentProperties.docx", BlockKind.PROPERTY, "The Apache Software Foundation"),
    ("innertable.doc", BlockKind.TABLE_CELL, ""),
    ("smarttag-snippet.docx", BlockKind.PARAGRAPH, "Lewis Carroll"),
    # Results of fields as they were saved, not the file name and date of the conversion.
    ("AIOOB-Tap.doc", BlockKind.PAGE_HEADER, "AD BNBA Bezwaar v 2.0_08072007.doc"),
    ("test-fields.doc", BlockKind.TEXT_BOX, "Textbox in header with field: 3:18 PM"),
]

_PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
# Parts whose text is no part of the document (readers/docx/package.py says so).
_LEFT_OUT = re.compile(r"glossary/|embeddings/|customXml/")
_TEXT = tuple(f"{{http://schemas.openxmlformats.org/wordprocessingml/2006/main}}{name}" for name in ("t", "delText"))


@pytest.fixture(scope="module")
def samples(shared_dir: Path) -> Path:
    return shared_dir / "word-samples"


@pytest.fixture(scope="module")
def results(samples: Path, soffice: str, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Read every sample in one call."""
    temporary = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(temporary))
        with NoteReader(ReadingSettings(libreoffice=soffice)) as reader:
            found = {source.relative: result for source, result in reader.read(source_files(samples))}
    assert list(temporary.iterdir()) == []
    return found


@pytest.mark.shared
@pytest.mark.libreoffice
def test_every_sample_gives_text_or_the_expected_error(results: Results) -> None:
    errors = {name: r.reason.value for name, r in results.items() if isinstance(r, NoteError)}
    assert len(results) == 127
    assert errors == EXPECTED_ERRORS


@pytest.mark.shared
@pytest.mark.libreoffice
@pytest.mark.parametrize(("name", "kind", "start"), EXPECTED_BLOCKS)
def test_text_is_in_the_right_place(results: Results, name: str, kind: BlockKind, start: str) -> None:
    note = results[name]
    assert isinstance(note, Note)
    texts = [note.block_text(block) for block in note.blocks_of(kind)]
    assert any(text.startswith(start) for text in texts), texts


@pytest.mark.shared
@pytest.mark.libreoffice
def test_no_text_of_a_docx_is_lost(results: Results, samples: Path) -> None:
    """Every text element of every part of a package is in the note, except for its blanks."""
    checked = 0
    for name, note in results.items():
        if not name.endswith(".docx") or isinstance(note, NoteError):
            continue
        with zipfile.ZipFile(samples / name) as archive:
            parts = [p for p in archive.namelist() if p.endswith(".xml") and not _LEFT_OUT.search(p)]
            texts = [e.text or "" for p in parts for e in etree.fromstring(archive.read(p)).iter(*_TEXT)]
        lost = [text for text in texts if text.strip() and re.sub(r"\s", "", text) not in re.sub(r"\s", "", note.text)]
        assert lost == [], name
        checked += 1
    assert checked == 47


@pytest.mark.shared
@pytest.mark.libreoffice
@pytest.mark.parametrize("stem", ["DiffFirstPageHeadFoot", "FancyFoot", "capitalized", "ThreeColHeadFoot"])
def test_doc_and_docx_of_one_document_give_the_same_words(results: Results, stem: str) -> None:
    first, second = results[f"{stem}.doc"], results[f"{stem}.docx"]
    assert isinstance(first, Note)
    assert isinstance(second, Note)

    def words(note: Note) -> list[tuple[BlockKind, list[str]]]:
        return [
            (block.kind, note.block_text(block).split())
            for block in note.blocks
            if block.kind not in (BlockKind.PROPERTY, BlockKind.AUTHOR)
        ]

    assert words(first) == words(second)


@pytest.fixture(scope="module")
def letter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A .docx with most of what a letter has, made by python-docx."""
    document = docx.Document()
    section = document.sections[0]
    section.different_first_page_header_footer = True
    section.first_page_header.paragraphs[0].text = "Klinikum, erste Seite"
    section.header.paragraphs[0].text = "Klinikum, Folgeseite"
    section.footer.paragraphs[0].text = "Bankverbindung"
    grid = document.add_table(1, 3)
    for each, text in zip(
        grid.rows[0].cells, ("Herrn\nDr. Grün", "Klinik Süd", "Nachrichtlich:\nFrau Rot"), strict=True
    ):
        each.text = text
    for text in ("", "Sehr geehrter Herr Kollege,", "wir berichten über Frau Rot\u00a0– geb. 1.2.1950.", "", "Gruß"):
        document.add_paragraph(text)
    values = document.add_table(2, 2)
    values.cell(0, 0).merge(values.cell(0, 1)).text = "Labor"
    values.cell(1, 0).text, values.cell(1, 1).text = "Hb", "13,5"
    document.add_page_break()
    document.core_properties.author = "Dr. Gelb"
    path = tmp_path_factory.mktemp("letter") / "letter.docx"
    document.save(str(path))
    return path


def convert(soffice: str, source: Path, target: str, folder: Path) -> None:
    """Convert a file with LibreOffice, with a new profile and LibreOffice's default settings."""
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [soffice, profile, "--headless", "--convert-to", target, "--outdir", str(folder), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


@pytest.fixture(scope="module")
def converted(letter: Path, soffice: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The letter as .doc, .odt and .rtf."""
    folder = tmp_path_factory.mktemp("converted")
    for target in ("doc:MS Word 97", "odt", "rtf"):
        convert(soffice, letter, target, folder)
    return folder


@pytest.mark.libreoffice
def test_a_letter_reads_the_same_as_docx_and_as_doc(letter: Path, converted: Path) -> None:
    with NoteReader(ReadingSettings()) as reader:
        ((_, original),) = reader.read(source_files(letter))
        ((_, doc),) = reader.read(source_files(converted / "letter.doc"))
    assert isinstance(original, Note)
    assert isinstance(doc, Note)
    assert doc.text == original.text
    assert doc.blocks == original.blocks
    assert Counter(block.kind for block in doc.blocks)[BlockKind.HEADER_CELL] == 3


@pytest.mark.libreoffice
def test_a_letter_reads_the_same_as_odt(letter: Path, converted: Path) -> None:
    with NoteReader(ReadingSettings()) as reader:
        ((_, original),) = reader.read(source_files(letter))
        ((_, odt),) = reader.read(source_files(converted / "letter.odt"))
    assert isinstance(original, Note)
    assert isinstance(odt, Note)
    assert odt.text == original.text


@pytest.mark.libreoffice
def test_an_odt_keeps_the_saved_results_of_its_fields(soffice: str, repository: Path, tmp_path: Path) -> None:
    source = repository / "tests" / "cases" / "reading" / "everything.fodt"
    convert(soffice, source, "odt", tmp_path)
    path = tmp_path / "everything.odt"
    buffer = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            # LibreOffice has put today's date there.
            new.writestr(name, re.sub(rb"(<text:date[^>]*>)[^<]*", rb"\g<1>12.03.2009", old.read(name)))
    path.write_bytes(buffer.getvalue())
    with NoteReader(ReadingSettings()) as reader:
        ((_, note),) = reader.read(source_files(path))
    assert isinstance(note, Note)
    assert "Datum: 12.03.2009 Link Verweistext." in note.text


@pytest.mark.libreoffice
def test_wrong_endings_and_colliding_names(converted: Path, letter: Path, tmp_path: Path) -> None:
    data = {path.suffix[1:]: path.read_bytes() for path in (letter, converted / "letter.doc", converted / "letter.rtf")}
    names = {
        "Brief.doc": "docx", "Brief.docx": "doc", "Brief.rtf": "doc", "Müller, Käthe (geb. Groß) & 'Sohn'.doc": "doc",
        "--help.doc": "rtf", "a%20b\n.doc": "doc", "b/Brief.doc": "rtf",
    }  # fmt: skip
    (tmp_path / "b").mkdir()
    for name, form in names.items():
        (tmp_path / name).write_bytes(data[form])
    with NoteReader(ReadingSettings(libreoffice_batch=3)) as reader:
        found = {source.relative: result for source, result in reader.read(source_files(tmp_path))}
    assert found.keys() == names.keys()
    for result in found.values():
        assert isinstance(result, Note), result
        assert "wir berichten über Frau Rot" in result.text


@pytest.fixture
def visited() -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a server on loopback and the paths that were requested."""
    paths: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.send_header("Content-Length", str(len(_PICTURE)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(_PICTURE)

        do_HEAD = do_OPTIONS = do_PROPFIND = do_GET

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    server.server_close()


@pytest.mark.libreoffice
def test_linked_pictures_are_not_loaded(tmp_path: Path, soffice: str, visited: tuple[str, list[str]]) -> None:
    address, paths = visited
    (tmp_path / "note.fodt").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" '
        'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
        'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
        'office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>'
        '<text:p>Text<draw:frame text:anchor-type="as-char" svg:width="2cm" svg:height="2cm">'
        f'<draw:image xlink:href="{address}/picture.png" xlink:type="simple" xlink:show="embed"/></draw:frame></text:p>'
        "</office:text></office:body></office:document>"
    )
    convert(soffice, tmp_path / "note.fodt", "doc:MS Word 97", tmp_path)
    assert paths, "LibreOffice with its own settings asks for the picture"
    paths.clear()
    with NoteReader(ReadingSettings(libreoffice=soffice)) as reader:
        ((_, note),) = reader.read(source_files(tmp_path / "note.doc"))
    assert isinstance(note, Note)
    assert note.text == "Text"
    assert paths == []


def test_deid_read_prints_a_line_for_each_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("Frau Müller")
    (tmp_path / "b.txt").write_bytes(b"")
    assert cli.main(["read", str(tmp_path / "a.txt")]) == ExitCode.DONE
    (row,) = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert Note.from_json(row).text == "Frau Müller"
    assert (row["id"], row["source"], len(row["sha256"])) == ("a", "a.txt", 64)
    assert cli.main(["read", str(tmp_path)]) == ExitCode.QUARANTINE
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[1] == {"id": "b", "source": "b.txt", "error": "empty", "detail": "0 bytes"}
    assert cli.main(["read", str(tmp_path / "gone.doc")]) == ExitCode.USAGE
