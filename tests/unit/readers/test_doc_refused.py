"""What the direct reader of .doc refuses, what becomes of that, and that hostile bytes lead to nothing else."""

from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from conftest import StandIn
from hypothesis import given, settings
from hypothesis import strategies as st
from word_binary import IN_TABLE, ROW_END, TEXT_AT, Doc, body, notes, plc, prls, sttb

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import Note
from deid_core.pipeline.settings_file import Settings
from deid_core.readers import NoteReader, source_files
from deid_core.readers.canonical import CanonicalBuilder
from deid_core.readers.msdoc import DocRefused, read_doc
from deid_core.readers.msdoc.fib import FibTable, Story
from deid_core.readers.settings import ReadingSettings

Read = Callable[..., Note | NoteError]
SECTOR = 512
CELLS = [(0, 4, prls(IN_TABLE)), (4, 5, prls(IN_TABLE, ROW_END))]


def patched(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


GOOD = body("Text\r").bytes()
FILES = {
    "compound file: too short": GOOD[:300],
    "compound file: of another layout": patched(GOOD, 30, b"\x0c\0"),
    "compound file: a chain": patched(GOOD, SECTOR + 4 * 3, struct.pack("<I", 2)),
    "compound file: a stream larger": patched(GOOD, 2 * SECTOR + 2 * 128 - 8, struct.pack("<Q", 1 << 31)),
    "compound file: a stream shorter": GOOD[: -9 * SECTOR],
    "compound file: entries": patched(GOOD, 2 * SECTOR + 128 + 0x48, struct.pack("<I", 1)),
    "header: older": body("Text\r", identifier=0xA5DC).bytes(),
    "header: encrypted": body("Text\r", flags=0x1300).bytes(),
    "header: a length below zero": body("Text\r", lengths={Story.MAIN: -5}).bytes(),
    "header: a table beyond": patched(GOOD, GOOD.index(b"\xec\xa5") + 0x9A + 8 * FibTable.CLX, b"\xff\xff\xff\x7f"),
    "piece table": body("Text\r", lengths={Story.MAIN: 50}).bytes(),
    "stories: text that is in none": body("Text Müller\r", lengths={Story.MAIN: 5}).bytes(),
    "stories: text that no table": Doc(
        {Story.MAIN: "x\r", Story.FOOTNOTES: "Text\rText\r\r"}, tables={FibTable.FOOTNOTE_TEXTS: plc((0, 5, 6))}
    ).bytes(),
    "stories: texts beyond": Doc(
        {Story.MAIN: "x\r", Story.FOOTNOTES: "Text\r"}, tables={FibTable.FOOTNOTE_TEXTS: plc((0, 50, 51))}
    ).bytes(),
    "fields: a begin": body("\x13 DATE \x14Text\r").bytes(),
    "fields: too deep": body("\x13" * 200 + "Text\r").bytes(),
    "tables: a cell mark": body("Text\x07\x07\r").bytes(),
    "properties: tables within": body("a\x07\x07", paragraphs=[(0, 3, prls((0x6649, b"\xff\xff\xff\x7f")))]).bytes(),
    "properties: an operand": body("a\x07\x07", paragraphs=[(0, 3, prls(IN_TABLE, (0x6649, b"\1")))]).bytes(),
    "properties: a list beyond": body("a\x07\x07", paragraphs=[(0, 3, prls((0x6646, b"\0\0\1\0")))]).bytes(),
    "property pages: a page beyond": body(
        "Text\r", tables={FibTable.CHARACTER_PAGES: plc((0, 9), [b"\xff\xff\0\0"])}
    ).bytes(),
    "property pages: more": body(
        "Text\r", tables={FibTable.CHARACTER_PAGES: plc(range(500), [b"\5\0\0\0"] * 499)}
    ).bytes(),
    "table of positions: not": body("Text\r", tables={FibTable.SHAPES: plc((5, 1), [b"\0" * 26])}).bytes(),
    "table of positions: of another": body("Text\r", tables={FibTable.SHAPES: b"\0" * 33}).bytes(),
    "strings: cut off": body("Text\r", tables={FibTable.REVISION_AUTHORS: sttb("Name")[:-2]}).bytes(),
    "strings: a table of bytes": body("Text\r", tables={FibTable.REVISION_AUTHORS: b"\1\0\0\0\0\0\0\0"}).bytes(),
    "drawings": body(
        "\x08\r", tables={FibTable.SHAPES: plc((0, 9), [b"\0" * 26]), FibTable.DRAWINGS: b"\x0f\0\0\xf0\xff\xff\0\0"}
    ).bytes(),
}


@pytest.mark.parametrize("phrase", FILES)
def test_what_is_unsound_is_refused_by_a_fixed_phrase(phrase: str) -> None:
    with pytest.raises(DocRefused) as raised:
        read_doc(FILES[phrase], CanonicalBuilder(), ReadingSettings())
    assert str(raised.value).startswith(phrase)
    assert "Text" not in str(raised.value)


def test_a_long_text_is_too_large() -> None:
    with pytest.raises(NoteError) as raised:
        read_doc(body("Text" * 100 + "\r").bytes(), CanonicalBuilder(), ReadingSettings(max_text_chars=100))
    assert raised.value.reason is Reason.TOO_LARGE


def read_all(folder: Path, files: dict[str, bytes], settings: ReadingSettings) -> tuple[dict[str, str], dict[str, int]]:
    """What came of files, by name: the note's text or the error; and the reader's refusals."""
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with NoteReader(settings) as reader:
        results = {source.relative: result for source, result in reader.read(source_files(folder))}
    return {n: r.text if isinstance(r, Note) else str(r) for n, r in results.items()}, dict(reader.refusals)


def test_a_refused_file_goes_to_libreoffice_with_the_reason(tmp_path: Path, stand_in: StandIn) -> None:
    broken = FILES["fields: a begin"]
    files = {
        "a.doc": GOOD,
        "b.doc": broken,
        "c.doc": body("\x13NOTHING\r", data=b"NOTHING").bytes(),
        "d.doc": FILES["header: encrypted"],
        "e.doc": body("\r").bytes(),
    }
    results, refusals = read_all(tmp_path / "notes", files, ReadingSettings(libreoffice=str(stand_in.path)))
    phrase = "fields: a begin without an end"
    assert results == {
        "a.doc": "Text",
        "b.doc": "converted",
        "c.doc": f"converter_failed: LibreOffice gave nothing for it, alone; direct reader: {phrase}",
        "d.doc": "encrypted: a .doc with a password",
        "e.doc": "empty: no text",
    }
    assert refusals == {phrase: 2}


def test_libreoffice_can_be_given_every_file(tmp_path: Path, stand_in: StandIn) -> None:
    settings = ReadingSettings(libreoffice=str(stand_in.path), doc_reader="libreoffice")
    assert read_all(tmp_path / "notes", {"a.doc": GOOD}, settings) == ({"a.doc": "converted"}, {})


def test_a_fault_of_the_direct_reader_loses_no_note(
    tmp_path: Path, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: object) -> None:
        raise ZeroDivisionError("Text")

    monkeypatch.setattr("deid_core.readers.note_reader.read_doc", faulty)
    results, refusals = read_all(tmp_path / "notes", {"a.doc": GOOD}, ReadingSettings(libreoffice=str(stand_in.path)))
    assert results == {"a.doc": "converted"}
    (phrase,) = refusals
    assert phrase.startswith("fault: ZeroDivisionError at test_doc_refused.py:")


@cache
def rich() -> bytes:
    """A document with most structures in it."""
    text = "A\x07B\x07\x07am \x13 DATE \x14heute\x15 weg ( \x01 \x08\x0c\r"
    weg = text.index(" weg")
    footnotes = notes(Story.FOOTNOTES, "\x02 Note\r")
    headers = notes(Story.HEADERS, *[""] * 7, "Kopf\r\r", *[""] * 4)
    boxes = notes(Story.TEXT_BOXES, "Feld\r", "")
    return Doc(
        {
            Story.MAIN: text,
            Story.FOOTNOTES: footnotes[0],
            Story.HEADERS: headers[0],
            Story.TEXT_BOXES: boxes[0],
        },
        paragraphs=CELLS,
        characters=[
            (weg, weg + 4, prls((0x0800, b"\1"), (0x4863, b"\0\0"))),
            (weg + 5, weg + 6, prls((0x6A09, b"\0\0\xb0\xf0"))),
            (weg + 7, weg + 8, prls((0x6A03, b"\0\0\0\0"))),
        ],
        tables={
            FibTable.FOOTNOTE_TEXTS: footnotes[1],
            FibTable.HEADER_TEXTS: headers[1],
            FibTable.BOX_TEXTS: boxes[1],
            FibTable.SECTIONS: plc((0, len(text) - 1), [b"\0" * 12]),
            FibTable.SHAPES: plc((32, 35), [b"\1" + b"\0" * 25]),
            FibTable.DRAWINGS: b"\x0f\0\0\xf0\0\0\0\0\0\x0f\0\x02\xf0\0\0\0\0",
            FibTable.REVISION_AUTHORS: sttb("Rot"),
        },
        data=bytes(100),
    ).bytes()


CHANGES = st.lists(
    st.tuples(
        st.integers(0, len(rich()) - 1), st.sampled_from([b"\0", b"\xff", b"\x7f", b"\1", b"\xff" * 4, b"\0" * 4])
    ),
    max_size=12,
)


@settings(max_examples=500)
@given(changes=CHANGES, end=st.one_of(st.none(), st.integers(0, len(rich()))))
def test_changed_and_cut_bytes_give_a_note_an_error_or_a_refusal(
    changes: list[tuple[int, bytes]], end: int | None
) -> None:
    data = rich()
    for at, new in changes:
        data = patched(data, at, new)
    builder = CanonicalBuilder()
    try:
        read_doc(data[:end], builder, ReadingSettings())
    except (DocRefused, NoteError):
        return
    note = builder.build("n")
    assert note.text.encode("utf-8").decode("utf-8") == note.text


def test_the_rich_document_is_read() -> None:
    builder = CanonicalBuilder()
    read_doc(rich(), builder, ReadingSettings())
    assert builder.build("n").text == "A\tB\nam heute \uf0b0  \n\nKopf\n Note\nFeld\n weg\nRot"


def test_notes_are_read_anew_with_another_reader() -> None:
    ledger = pytest.importorskip("deid_core.lake.notes.ledger")
    prints = [
        ledger.ReaderFingerprint.from_settings(Settings.model_validate({"reading": {"doc_reader": way}}))
        for way in ("direct", "libreoffice")
    ]
    assert prints[0].notes != prints[1].notes


def many_pieces_of_one_list() -> bytes:
    """A thousand characters, each a piece of its own, all with the same long property list."""
    content = prls(*[IN_TABLE] * 5000)
    table = plc(range(1001), [struct.pack("<HIH", 0, TEXT_AT + 2 * n, 1) for n in range(1000)])
    clx = b"\x01" + struct.pack("<H", len(content)) + content + b"\x02" + struct.pack("<I", len(table)) + table
    return body("Text\r" * 200, tables={FibTable.CLX: clx}).bytes()


def many_properties_of_one_text() -> bytes:
    """A property set whose thousand properties are all the same text of 20,000 characters."""
    area = struct.pack("<II", 30, 20_000) + b"Text" * 5000
    places = b"".join(struct.pack("<II", number + 2, 8 + 8 * 1000) for number in range(1000))
    content = struct.pack("<II", 8 + len(places) + len(area), 1000) + places + area
    head = struct.pack("<HH4x16xI", 0xFFFE, 0, 1) + bytes.fromhex("05d5cdd59c2e1b10939708002b2cf9ae")
    stream = head + struct.pack("<I", 48) + content
    return body("Text\r", extra={"\x05DocumentSummaryInformation": stream}).bytes()


@pytest.mark.parametrize("make", [many_pieces_of_one_list, many_properties_of_one_text])
def test_offsets_that_repeat_do_not_multiply_the_work(make: Callable[[], bytes]) -> None:
    with pytest.raises(DocRefused, match=r"^file: more work than its text can be worth$"):
        read_doc(make(), CanonicalBuilder(), ReadingSettings())


def test_a_shape_gives_its_text_once_however_often_it_is_anchored() -> None:
    shape = bytes.fromhex("0f0004f0") + struct.pack("<I", 16 + 8 + 6 + 10)
    shape += struct.pack("<HHI", 0, 0xF00A, 8) + struct.pack("<II", 7, 0)
    shape += struct.pack("<HHI", 3 | 1 << 4, 0xF00B, 16) + struct.pack("<HI", 0x8381, 10) + "Bild\0".encode("utf-16-le")
    group = struct.pack("<HHI", 0xF, 0xF003, len(shape)) + shape
    drawing = b"\x0f\0\0\xf0\0\0\0\0\0" + struct.pack("<HHI", 0xF, 0xF002, len(group)) + group
    anchors = plc(range(101), [struct.pack("<I22x", 7)] * 100)
    builder = CanonicalBuilder()
    document = body("\x08" * 100 + "\r", tables={FibTable.SHAPES: anchors, FibTable.DRAWINGS: drawing})
    read_doc(document.bytes(), builder, ReadingSettings())
    assert builder.build("n").text == "\nBild"


def test_a_declared_size_costs_no_memory_where_the_chain_bites_its_tail(tmp_path: Path, stand_in: StandIn) -> None:
    # Sector 3 of the table follows itself, and WordDocument begins there: two gigabytes of one sector.
    start = struct.unpack_from("<I", GOOD, 2 * SECTOR + 128 + 0x74)[0]
    endless = patched(GOOD, SECTOR + 4 * start, struct.pack("<I", start))
    endless = patched(endless, 2 * SECTOR + 128 + 0x78, struct.pack("<Q", 1 << 31))
    tracemalloc.start()
    settings = ReadingSettings(libreoffice=str(stand_in.path))
    results, _ = read_all(tmp_path / "notes", {"a.doc": endless}, settings)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert results == {"a.doc": "corrupt: compound file: a stream far larger than the file"}
    assert peak < 100_000_000
