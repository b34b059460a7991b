"""What is refused, for which reason of the closed list, and before it costs memory."""

from __future__ import annotations

import io
import itertools
import os
import resource
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from word_binary import DELETED, IN_TABLE, body, prls
from word_package import compound_file, package, paragraph, part, word_document

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import BlockKind, Note
from deid_core.readers import NoteReader, SourceFile, deadline, source_files
from deid_core.readers.settings import ReadingSettings

Read = Callable[..., Note | NoteError]
GOOD = package(paragraph("Text"))


def reason(result: Note | NoteError) -> Reason:
    assert isinstance(result, NoteError), "was read"
    assert "Text" not in result.detail
    return result.reason


def rezipped(data: bytes, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> bytes:
    """The archive with every member put through `change`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if changed := change(name, old.read(name)):
                new.writestr(*changed)
    return buffer.getvalue()


def uncompressed(data: bytes) -> bytes:
    """The archive with its members as they are: no ratio of compression betrays repeated content."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    return buffer.getvalue()


def reasons_within_1_gb(folder: Path) -> list[str]:
    """Why the files of a folder are refused by a process that may use 1 GB of addresses."""
    script = (
        "import sys; from pathlib import Path; from deid_core.readers.settings import ReadingSettings;"
        "from deid_core.readers import NoteReader, source_files;"
        "print(*(r.reason.value for _, r in NoteReader(ReadingSettings()).read(source_files(Path(sys.argv[1])))))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1_000_000_000, 1_000_000_000)),
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", Reason.EMPTY),
        (package("<w:p/>"), Reason.EMPTY),
        (package("<w:p/>", {"app": part("Properties", "<Company>Klinik</Company>")}), Reason.EMPTY),
        (GOOD[: len(GOOD) // 2], Reason.CORRUPT),
        (GOOD[:-10], Reason.CORRUPT),
        (b"PK\x03\x04 and nothing", Reason.CORRUPT),
        (GOOD.replace(b"word/document.xml", b"word/dokument.xml"), Reason.UNSUPPORTED),
        (package("", raw_document=part("w:document", "<w:body>")), Reason.CORRUPT),
        (package("", raw_document=part("w:body", "<w:p>" * 300 + "</w:p>" * 300)), Reason.CORRUPT),
        (package("", raw_document=b"<?xml version='1.0' encoding='utf-7'?><a/>"), Reason.UNSUPPORTED),
        (package('<w:p/><w:altChunk r:id="aFChunk1"/>', {"aFChunk1": "<html>Text</html>"}), Reason.UNSUPPORTED),
        (package('<w:p/><w:altChunk r:id="gone"/>'), Reason.UNSUPPORTED),
        (compound_file({"WordDocument": word_document(flags=0x0100)}), Reason.ENCRYPTED),
        (compound_file({"WordDocument": word_document(0xA5DC, flags=0x8100)}), Reason.ENCRYPTED),
        (compound_file({"EncryptionInfo": b"", "EncryptedPackage": b""}), Reason.ENCRYPTED),
        (compound_file({"WordDocument": word_document(0xDBA5)}), Reason.UNSUPPORTED),
        (compound_file({"Workbook": b""}), Reason.UNSUPPORTED),
        (compound_file({})[:600], Reason.CORRUPT),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Reason.CORRUPT),
        (b"<html><body>Text <img src='http://127.0.0.1/'></body></html>", Reason.UNSUPPORTED),
        (b"\xef\xbb\xbf <!DOCTYPE html>", Reason.UNSUPPORTED),
        (b"MIME-Version: 1.0\nContent-Type: multipart/related", Reason.UNSUPPORTED),
        (b"\x7fELF\x02\x01\x01\x00", Reason.UNSUPPORTED),
        (b"%PDF-1.4\n1 0 obj (Text) endobj", Reason.UNSUPPORTED),
        (b"%!PS-Adobe-3.0\n(Text) show", Reason.UNSUPPORTED),
        (struct.pack("<H8xH", 0xA5DB, 0x0100), Reason.ENCRYPTED),
        (struct.pack("<H", 0xA5DB), Reason.CORRUPT),
    ],
)
@pytest.mark.parametrize("name", ["note.doc", "note.docx"])
def test_reason_by_content_whatever_the_ending(read_note: Read, data: bytes, expected: Reason, name: str) -> None:
    assert reason(read_note(data, name)) is expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("where", ["document", "header1", "core", "_rels/.rels", "[Content_Types].xml"])
def test_document_types_and_entities_are_unsafe_in_every_part(read_note: Read, where: str, encoding: str) -> None:
    hostile = (
        f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>'
    ).encode(encoding)
    parts = {"header1": part("w:hdr", ""), "core": part("cp:c", "").replace("<cp:c", '<cp:c xmlns:cp="c"')}
    data = rezipped(
        package(paragraph("Text"), parts),
        lambda name, old: (name, hostile if where in (name, name.removeprefix("word/").removesuffix(".xml")) else old),
    )
    assert reason(read_note(data)) is Reason.UNSAFE


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a\\..\\b", "C:/x", "word/../../x"])
def test_members_that_lead_out_of_the_archive(read_note: Read, name: str) -> None:
    assert reason(read_note(package(paragraph("Text"), extra={name: b"x"}))) is Reason.UNSAFE


def test_two_members_of_one_name(read_note: Read) -> None:
    assert reason(read_note(package(paragraph("Text"), extra={"word/DOCUMENT.xml": b"<a/>"}))) is Reason.UNSAFE


def test_archive_with_a_password(read_note: Read) -> None:
    data = bytearray(GOOD)
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    assert reason(read_note(bytes(data))) is Reason.ENCRYPTED


def test_zip_bombs_declared_and_undeclared(read_note: Read) -> None:
    bomb = package(paragraph("Text"), extra={"word/media/image1.png": b"\0" * 30_000_000})
    assert len(bomb) < 100_000
    assert reason(read_note(bomb)) is Reason.UNSAFE
    assert reason(read_note(bomb, max_compression_ratio=1e6, max_unpacked_bytes=20_000_000)) is Reason.TOO_LARGE
    assert isinstance(read_note(bomb, max_compression_ratio=1e6), Note), "a picture alone is never unpacked"
    # The directory says 100 bytes, the stream holds 30 MB.
    lying = bytearray(package("", raw_document=part("w:document", " " * 30_000_000)))
    at = lying.rindex(b"PK\x01\x02", 0, lying.rindex(b"word/document.xml"))
    lying[at + 24 : at + 28] = (100).to_bytes(4, "little")
    assert reason(read_note(bytes(lying))) is Reason.CORRUPT


def test_xml_that_would_fill_the_memory(read_note: Read) -> None:
    data = package("", raw_document=part("w:document", "<w:body>" + paragraph("Text") * 3000 + "</w:body>"))
    assert reason(read_note(data, max_xml_bytes=100_000)) is Reason.TOO_LARGE


@pytest.mark.parametrize("content", ["<w:r/>", '<w:r w:a="1"/>', "<w:r>x</w:r>"])
def test_nodes_of_xml_are_counted_whatever_their_size(read_note: Read, content: str) -> None:
    data = package(paragraph("Text") + f"<w:p>{content * 1000}</w:p>")
    assert isinstance(read_note(data), Note)
    result = read_note(data, max_xml_nodes=1000)
    assert reason(result) is Reason.TOO_LARGE
    assert "limit max_xml_nodes" in str(result)


def test_xml_of_nothing_but_tags_or_of_nothing_but_text_costs_little_memory(tmp_path: Path) -> None:
    """40 MB each, not compressed, read by a process that may use 1 GB of addresses."""
    tags = package(paragraph("Text") + "<w:p>" + "<w:r/>" * 6_400_000 + "</w:p>")
    # A character beyond U+FFFF makes Python take four bytes for each.
    text = package("<w:p>" + f"<w:r><w:t>{'a' * 9_000_000}\U0001f600</w:t></w:r>" * 4 + "</w:p>")
    (tmp_path / "a.docx").write_bytes(uncompressed(tags))
    (tmp_path / "b.docx").write_bytes(uncompressed(text))
    (tmp_path / "c.txt").write_bytes(b"\xf0\x9f\x98\x80" + b"a" * 49_000_000)
    assert reasons_within_1_gb(tmp_path) == ["too_large"] * 3


def test_field_codes_and_deletions_take_time_in_proportion_to_their_number(read_note: Read) -> None:
    """What grows with the square of the number takes minutes here: beyond any limit of time."""
    code = f"<w:instrText>{'x' * 60}</w:instrText>" * 400_000
    begin, middle, end = (f'<w:fldChar w:fldCharType="{kind}"/>' for kind in ("begin", "separate", "end"))
    field = f"<w:p><w:r>{begin}{code}{middle}<w:t>Text</w:t>{end}</w:r></w:p>"
    note = read_note(uncompressed(package(field)))
    assert isinstance(note, Note)
    assert note.text == "Text"
    deletions = f"<w:del><w:r><w:delText>{'x' * 60}</w:delText></w:r></w:del>" * 200_000
    note = read_note(uncompressed(package(f"{paragraph('Text')}<w:p>{deletions}</w:p>")), max_text_chars=50_000_000)
    assert isinstance(note, Note)
    assert len(list(note.blocks_of(BlockKind.DELETED_TEXT))) == 1
    assert len(note.text) == len("Text\n\n") + 60 * 200_000


DELETED_RUNS = [(at, at + 1, prls(DELETED)) for at in range(0, 60, 2)]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (package(paragraph("Text") * 30), "a.docx"),
        (package("<w:tbl>" + "<w:tr><w:sdt/></w:tr>" * 30 + "</w:tbl>"), "rows.docx"),
        (package("<w:p>" + "<mc:AlternateContent/>" * 30 + "</w:p>"), "alternatives.docx"),
        (package("<w:sdt>" * 30 + "<w:p/>" + "</w:sdt>" * 30), "wrappers.docx"),
        (body("Text\r" * 30).bytes(), "a.doc"),
        (body("Text" * 30, characters=DELETED_RUNS).bytes(), "runs.doc"),
        (b"Text\n" * 30, "a.txt"),
    ],
)
def test_the_time_limit_holds_within_a_file(
    read_note: Read, monkeypatch: pytest.MonkeyPatch, data: bytes, name: str
) -> None:
    assert not isinstance(read_note(data, name), NoteError) or reason(read_note(data, name)) is Reason.EMPTY
    seconds = itertools.count()
    monkeypatch.setattr(deadline, "thread_time", lambda: float(next(seconds)))
    result = read_note(data, name, file_time_limit_s=0.5)
    assert reason(result) is Reason.TIMEOUT
    assert str(result) == "timeout: over 0.5 s, limit file_time_limit_s"


def test_archive_of_too_many_members(read_note: Read) -> None:
    data = package(paragraph("Text"), extra={f"x{n}": b"" for n in range(10_001)})
    assert reason(read_note(data)) is Reason.UNSAFE


def test_hostile_files_cost_little_memory(tmp_path: Path) -> None:
    """A bomb of 1 GB and a sparse file of 10 GB, read by a process that may use 1 GB of addresses."""
    (tmp_path / "a.docx").write_bytes(package("", raw_document=b""))
    with zipfile.ZipFile(tmp_path / "a.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("word/document.xml", "w") as member:
            for _ in range(1000):
                member.write(b"\0" * 1_000_000)
    with (tmp_path / "b.doc").open("wb") as file:
        file.truncate(10_000_000_000)
    assert reasons_within_1_gb(tmp_path) == ["unsafe", "too_large"]


def test_size_limits(read_note: Read) -> None:
    assert reason(read_note(b"x" * 101, "a.txt", max_file_bytes=100)) is Reason.TOO_LARGE
    assert reason(read_note(b"x" * 101, "a.txt", max_text_chars=100)) is Reason.TOO_LARGE
    assert reason(read_note(package(paragraph("Text" * 30)), max_text_chars=100)) is Reason.TOO_LARGE
    boxes = "<w:p><w:r><w:txbxContent>" + paragraph("Text" * 30) + "</w:txbxContent></w:r></w:p>"
    assert reason(read_note(package(boxes), max_text_chars=100)) is Reason.TOO_LARGE


CELL = "<w:tc><w:p/></w:tc>"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (package("<w:p/>" * 11), "a.docx"),
        (package("<w:tbl><w:tr>" + CELL * 6 + "</w:tr></w:tbl>"), "a.docx"),
        (package("<w:tbl>" + f"<w:tr>{CELL}</w:tr>" * 6 + "</w:tbl>"), "a.docx"),
        (package("<w:tbl><w:tr><w:tc>" + "<w:p/>" * 11 + "</w:tc></w:tr></w:tbl>"), "a.docx"),
        (package("<w:p/>", {"footnotes": part("w:footnotes", "<w:footnote><w:p/></w:footnote>" * 10)}), "a.docx"),
        (body("\r" * 11).bytes(), "a.doc"),
        (body("\x07" * 11, paragraphs=[(0, 11, prls(IN_TABLE))]).bytes(), "a.doc"),
        (b"\n" * 11, "a.txt"),
        (b"\r\n" * 11, "a.txt"),
    ],
)
def test_empty_paragraphs_and_cells_are_counted(read_note: Read, data: bytes, name: str) -> None:
    result = read_note(data, name, max_blocks=10, libreoffice="/nowhere/soffice")
    assert reason(result) is Reason.TOO_LARGE
    assert isinstance(result, NoteError)
    assert result.detail == "over 10 paragraphs and cells"
    assert reason(read_note(data, name, max_blocks=1000)) is Reason.EMPTY


def test_as_many_paragraphs_and_cells_as_may_be(read_note: Read) -> None:
    table = f"<w:tbl><w:tr>{CELL * 3}</w:tr></w:tbl>"
    for data, name in (
        (package(paragraph("Text") * 4 + table), "a.docx"),
        (body("Text\r" * 10).bytes(), "a.doc"),
        (b"Text\n" * 10, "a.txt"),
    ):
        assert isinstance(read_note(data, name, max_blocks=10), Note)


def test_millions_of_empty_cells_cost_little_memory(tmp_path: Path) -> None:
    """Refused by a process that may use 1 GB of addresses; a block for each would take more."""
    cells = "\x07" * 2_000_000
    (tmp_path / "a.doc").write_bytes(body(cells, paragraphs=[(0, len(cells), prls(IN_TABLE))]).bytes())
    # As Word numbers its paragraphs: all alike, they would be taken for a bomb.
    numbered = "".join(f'<w:tc><w:p w:rsidR="{number * 40_503 % 65_536:X}"/></w:tc>' for number in range(600_000))
    (tmp_path / "b.docx").write_bytes(package(f"<w:tbl><w:tr>{numbered}</w:tr></w:tbl>"))
    (tmp_path / "c.txt").write_bytes(b"\n" * 4_000_000)
    assert reasons_within_1_gb(tmp_path) == ["too_large"] * 3


def test_relations_to_the_outside_and_to_nothing_are_not_followed(read_note: Read) -> None:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/header"
    external = (
        f'<Relationship Id="e" Type="{kind}" Target="http://127.0.0.1:9/x" TargetMode="External"/>'
        f'<Relationship Id="n" Type="{kind}" Target="missing.xml"/>'
        f'<Relationship Id="o" Type="{kind}" Target="../../../../etc/hostname"/>'
    )
    note = read_note(package(paragraph("Text"), external=external))
    assert isinstance(note, Note)
    assert note.text == "Text"


def one(source: SourceFile) -> Note | NoteError:
    with NoteReader(ReadingSettings()) as reader:
        ((_, result),) = reader.read([source])
    return result


def test_paths_that_leave_the_root(tmp_path: Path) -> None:
    root = tmp_path / "archive"
    root.mkdir()
    outside = tmp_path / "secret"
    outside.mkdir()
    (outside / "out.txt").write_text("Text")
    (root / "in.txt").write_text("drinnen")
    (root / "link.txt").symlink_to(outside / "out.txt")
    (root / "alias.txt").symlink_to(root / "in.txt")
    (root / "loop.txt").symlink_to(root / "loop.txt")
    (root / "folder").symlink_to(outside)
    with NoteReader(ReadingSettings()) as reader:
        results = {source.relative: result for source, result in reader.read(source_files(root))}
    found = {name: r.reason if isinstance(r, NoteError) else r.text for name, r in results.items()}
    assert found.pop("loop.txt") in (Reason.UNSAFE, Reason.VANISHED)
    assert found == {"in.txt": "drinnen", "alias.txt": "drinnen", "link.txt": Reason.UNSAFE, "folder": Reason.UNSAFE}
    climbing = SourceFile(root / ".." / "secret" / "out.txt", "../secret/out.txt", "n")
    assert reason(one(climbing)) is Reason.UNSAFE
    assert reason(one(SourceFile(root / "in.txt", "/in.txt", "n"))) is Reason.UNSAFE


def test_what_is_no_file_or_gone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert reason(one(SourceFile(tmp_path / "pipe.txt", "pipe.txt", "n"))) is Reason.UNSAFE
    (tmp_path / "folder.txt").mkdir()
    assert reason(one(SourceFile(tmp_path / "folder.txt", "folder.txt", "n"))) is Reason.UNSAFE
    assert reason(one(SourceFile(tmp_path / "gone.txt", "gone.txt", "n"))) is Reason.VANISHED
