"""What the direct reader of .doc gives for each place of a document that can hold text."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest
from word_binary import (
    DELETED,
    IN_TABLE,
    INNER_CELL,
    INNER_ROW,
    ROW_END,
    Doc,
    body,
    depth,
    notes,
    plc,
    prls,
    row_definition,
    sttb,
    xst,
)

from deid_core.core.note import BlockKind, Note
from deid_core.readers.canonical import CanonicalBuilder
from deid_core.readers.msdoc import read_doc
from deid_core.readers.msdoc.fib import FibTable, Story
from deid_core.readers.settings import ReadingSettings

Found = list[tuple[BlockKind, str]]


def note_of(document: Doc) -> Note:
    builder = CanonicalBuilder()
    read_doc(document.bytes(), builder, ReadingSettings())
    return builder.build("n")


def blocks_of(document: Doc) -> Found:
    note = note_of(document)
    return [(block.kind, note.block_text(block)) for block in note.blocks]


def texts(document: Doc, kind: BlockKind) -> list[str]:
    return [text for found, text in blocks_of(document) if found is kind]


def paragraphs(text: str) -> list[str]:
    return texts(body(text), BlockKind.PARAGRAPH)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eins\rzwei\r", ["eins", "zwei"]),
        ("\r\r", ["", ""]),
        ("ohne Ende", ["ohne Ende"]),
        ("Zeile\x0bZeile\r", ["Zeile\nZeile"]),
        ("\x0cneue Seite\r", ["neue Seite"]),
        ("vor\x0cnach\x0espalte\r", ["vor\nnach\nspalte"]),
        ("Not\x1eauf\x1fnahme\r", ["Not\N{NON-BREAKING HYPHEN}auf\N{SOFT HYPHEN}nahme"]),
        ("a\x02\x05\x08\x01b\xa0c\td\r", ["ab\xa0c\td"]),
        ("Zeichen \U0001f600 und € „Zitat“\r", ["Zeichen \U0001f600 und € „Zitat“"]),
    ],
)
def test_paragraphs_of_the_body(text: str, expected: list[str]) -> None:
    assert paragraphs(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("am \x13 DATE \\@ x \x1412.03.2009\x15 hier\r", "am 12.03.2009 hier"),
        ('\x13 XE "Meier" \x15Text\r', "Text"),
        ("\x13 IF \x13 NAME \x14innen\x15 = 1 \x14außen\x15\r", "außen"),
        ("\x13 HYPERLINK \x14vor \x13 PAGE \x147\x15 nach\x15\r", "vor 7 nach"),
        ("\x13MACROBUTTON NoMacro [hier Namen]\x15\r", "[hier Namen]"),
        ("übrig\x15 \x14bleibt\r", "übrig bleibt"),
    ],
)
def test_of_a_field_the_result_is_text(text: str, expected: str) -> None:
    assert paragraphs(text) == [expected]


def test_the_chosen_entry_of_a_drop_down_list() -> None:
    entries = sttb("Herr", "Frau")
    strings = xst("Anrede") + b"\0\0" + struct.pack("<H", 0) + (xst("") + b"\0\0") * 5
    field = struct.pack("<IHHH", 0xFFFFFFFF, 2 | 1 << 2, 0, 0) + strings + entries
    data = struct.pack("<iH62x", 68 + len(field), 68) + field
    text = "\x13 FORMDROPDOWN \x01\x15 Grün\r"
    at = text.index("\x01")
    document = body(text, characters=[(at, at + 1, prls((0x6A03, b"\0\0\0\0"), (0x0806, b"\1")))], data=data)
    assert texts(document, BlockKind.PARAGRAPH) == ["Frau Grün"]


def test_a_symbol_stands_for_the_parenthesis_that_marks_it() -> None:
    symbol = prls((0x6A09, struct.pack("<HH", 3, 0xF0B0)))
    assert texts(body("37 ( C (\r", characters=[(3, 4, symbol)]), BlockKind.PARAGRAPH) == ["37 \uf0b0 C ("]


def test_a_section_ends_a_paragraph() -> None:
    sections = plc((0, 5, 11), [b"\0" * 12] * 2)
    document = body("eins\x0czwei\x0cx\r", tables={FibTable.SECTIONS: sections})
    assert texts(document, BlockKind.PARAGRAPH) == ["eins", "zwei\nx"]


def cells(document: Doc) -> list[tuple[int | None, int | None, int | None, str]]:
    note = note_of(document)
    found = note.blocks_of(BlockKind.TABLE_CELL, BlockKind.HEADER_CELL)
    return [(block.table, block.row, block.column, note.block_text(block)) for block in found]


def in_rows(*rows: Sequence[str], flags: Sequence[int] = ()) -> tuple[str, list[tuple[int, int, bytes]]]:
    """Text and properties of a table."""
    text, ranges = "", []
    for row in rows:
        start = len(text)
        text += "".join(cell + "\x07" for cell in row)
        definition = row_definition(*(flags or [0] * len(row)))
        ranges += [(start, len(text), prls(IN_TABLE)), (len(text), len(text) + 1, prls(IN_TABLE, ROW_END, definition))]
        text += "\x07"
    return text, ranges


def test_cells_and_rows() -> None:
    table, ranges = in_rows(["An", "Klinik\rSüd"], ["", "x"])
    document = body(table + "Sehr geehrte Kollegen,\r", paragraphs=ranges)
    assert cells(document) == [(0, 0, 0, "An"), (0, 0, 1, "Klinik\nSüd"), (0, 1, 0, ""), (0, 1, 1, "x")]
    assert [kind for kind, _ in blocks_of(document)] == [*[BlockKind.HEADER_CELL] * 4, BlockKind.PARAGRAPH]


def test_tables_with_a_paragraph_between_are_two() -> None:
    table, ranges = in_rows(["a"])
    size = len(table)
    later = [(first + size + 2, last + size + 2, content) for first, last, content in ranges]
    document = body(f"{table}b\r{table}", paragraphs=[*ranges, *later])
    assert cells(document) == [(0, 0, 0, "a"), (1, 0, 0, "a")]


@pytest.mark.parametrize("flags", [(1, 2, 2, 0), (2, 1, 1, 0)], ids=["as Word 97 says", "as the specification says"])
def test_a_merged_cell_stands_once_and_hides_no_text(flags: tuple[int, ...]) -> None:
    table, ranges = in_rows(["a", "", "b", "c"], flags=flags)
    assert cells(body(table, paragraphs=ranges)) == [(0, 0, 0, "a\nb"), (0, 0, 1, "c")]


def test_rows_of_a_nested_table_are_lines_of_the_outer_cell() -> None:
    text = "vor\ri1\ri2\r\rnach\x07z\x07\x07"
    inner, outer = prls(IN_TABLE, depth(2), INNER_CELL), prls(IN_TABLE, depth(1))
    ranges = [
        (0, 4, outer),
        (4, 10, inner),
        (10, 11, prls(IN_TABLE, depth(2), INNER_CELL, INNER_ROW)),
        (11, 18, outer),
        (18, 19, prls(IN_TABLE, depth(1), ROW_END)),
    ]
    assert cells(body(text, paragraphs=ranges)) == [(0, 0, 0, "vor\ni1 i2\nnach"), (0, 0, 1, "z")]


def test_properties_may_lie_in_the_data_stream() -> None:
    content = prls(IN_TABLE, ROW_END)
    data = b"\0" * 8 + struct.pack("<H", len(content)) + content
    ranges = [(0, 2, prls(IN_TABLE)), (2, 3, prls((0x6646, struct.pack("<I", 8))))]
    assert cells(body("a\x07\x07", paragraphs=ranges, data=data)) == [(0, 0, 0, "a")]


def test_deleted_text_goes_aside_and_paragraphs_stay_apart() -> None:
    text = "vor gelöscht\rauch weg nach\r"
    start, end = text.index("gel"), text.index(" nach")
    document = body(text, characters=[(start, end, prls(DELETED, (0x4863, b"\1\0")))],
                    tables={FibTable.REVISION_AUTHORS: sttb("Unknown", "Dr. Rot")})  # fmt: skip
    assert blocks_of(document) == [
        (BlockKind.PARAGRAPH, "vor "),
        (BlockKind.PARAGRAPH, " nach"),
        (BlockKind.DELETED_TEXT, "gelöscht"),
        (BlockKind.DELETED_TEXT, "auch weg"),
        (BlockKind.AUTHOR, "Dr. Rot"),
    ]


def test_hidden_text_is_kept() -> None:
    assert texts(body("a versteckt\r", characters=[(2, 11, prls((0x083C, b"\1")))]), BlockKind.PARAGRAPH) == [
        "a versteckt"
    ]


def test_page_headers_and_footers_each_text_once() -> None:
    separators = ["", "", "", "", "", ""]
    first = ["gerade\r\r", "Kopf\r\r", "Fuß gerade\r\r", "Fuß\r\r", "Kopf erste\r\r", ""]
    second = ["", "Kopf\r\r", "", "Fuß zwei\r\r", "", ""]
    text, positions = notes(Story.HEADERS, *separators, *first, *second)
    document = Doc({Story.MAIN: "x\r", Story.HEADERS: text}, tables={FibTable.HEADER_TEXTS: positions})
    assert texts(document, BlockKind.PAGE_HEADER) == ["Kopf erste", "Kopf", "gerade"]
    assert texts(document, BlockKind.PAGE_FOOTER) == ["Fuß", "Fuß gerade", "Fuß zwei"]


def test_footnotes_endnotes_and_comments() -> None:
    footnotes, endnotes = (
        notes(Story.FOOTNOTES, "\x02 eins\r", "\x02 zwei\rnoch\r"),
        notes(Story.ENDNOTES, "\x02 Ende\r"),
    )
    comments = notes(Story.COMMENTS, "\x05Kommentar\r")
    reference = xst("DB").ljust(20, b"\0") + struct.pack("<H8x", 1)
    document = Doc(
        {Story.MAIN: "x\r", Story.FOOTNOTES: footnotes[0], Story.ENDNOTES: endnotes[0], Story.COMMENTS: comments[0]},
        tables={
            FibTable.FOOTNOTE_TEXTS: footnotes[1],
            FibTable.ENDNOTE_TEXTS: endnotes[1],
            FibTable.COMMENT_TEXTS: comments[1],
            FibTable.COMMENT_REFERENCES: plc((0, 1), [reference]),
            FibTable.COMMENT_OWNERS: xst("Dr. Gelb") + xst("Dr. Braun"),
        },
    )
    assert blocks_of(document)[1:] == [
        (BlockKind.FOOTNOTE, " eins"),
        (BlockKind.FOOTNOTE, " zwei\nnoch"),
        (BlockKind.ENDNOTE, " Ende"),
        (BlockKind.COMMENT, "Kommentar"),
        (BlockKind.AUTHOR, "Dr. Braun"),
        (BlockKind.AUTHOR, "DB"),
    ]


def record(kind: int, content: bytes, *, count: int = 0) -> bytes:
    """A record of a drawing."""
    version = 3 | count << 4 if count else 0xF if kind < 0xF005 else 0
    return struct.pack("<HHI", version, kind, len(content)) + content


def shape(number: int, *strings: tuple[int, str], box: int = 0) -> bytes:
    """A shape with strings as properties and, if `box` is a number from 1 on, a text box."""
    values = [(identifier | 0x8000, text.encode("utf-16-le") + b"\0\0") for identifier, text in strings]
    pairs = b"".join(struct.pack("<HI", identifier, len(value)) for identifier, value in values)
    content = record(0xF00A, struct.pack("<II", number, 0))
    content += record(0xF00B, pairs + b"".join(value for _, value in values), count=len(values)) if values else b""
    content += record(0xF00D, struct.pack("<HH", 0, box)) if box else b""
    return record(0xF004, content)


def drawing(*shapes: bytes) -> bytes:
    """An OfficeArtContent with one drawing; the first shape of its group is the drawing itself."""
    return record(0xF000, b"") + b"\0" + record(0xF002, record(0xF003, b"".join([shape(1), *shapes])))


def anchors(*places: tuple[int, int]) -> bytes:
    """Where shapes stand in the text."""
    items = [struct.pack("<I22x", number) for _, number in places]
    return plc([*(at for at, _ in places), 99], items)


def test_text_boxes_stand_in_the_order_of_their_anchors() -> None:
    text, positions = notes(Story.TEXT_BOXES, "zweites\r", "erstes\r", "ohne Form\r", "")
    group = record(0xF003, shape(7, (0x0381, "Gruppe")) + shape(8, box=2))
    document = Doc(
        {Story.MAIN: "a\x08b\x08c\r", Story.TEXT_BOXES: text},
        tables={
            FibTable.BOX_TEXTS: positions,
            FibTable.SHAPES: anchors((1, 7), (3, 9)),
            FibTable.DRAWINGS: drawing(shape(9, (0x00C0, "ENTWURF"), (0x0381, "Bild von Frau Grün"), box=1), group),
        },
    )
    expected = ["Gruppe", "erstes", "ENTWURF", "Bild von Frau Grün", "zweites", "ohne Form"]
    assert texts(document, BlockKind.TEXT_BOX) == expected


def test_the_alternative_text_of_a_picture_in_the_line() -> None:
    content = shape(5, (0x0381, "Röntgenbild Orange"))
    data = struct.pack("<iHh60x", 68 + len(content), 68, 0x64) + content
    document = body("a\x01b\r", characters=[(1, 2, prls((0x6A03, b"\0\0\0\0")))], data=data)
    assert blocks_of(document) == [(BlockKind.PARAGRAPH, "ab"), (BlockKind.TEXT_BOX, "Röntgenbild Orange")]


def property_set(identifier: str, values: dict[int, str], names: dict[int, str] | None = None) -> bytes:
    """A property set of strings in CP1252."""
    strings = {
        number: struct.pack("<II", 30, len(text) + 1) + text.encode("cp1252") + b"\0" for number, text in values.items()
    }
    content = {1: struct.pack("<IHxx", 2, 1252), **strings}
    if names:
        entries = (struct.pack("<II", n, len(name) + 1) + name.encode("cp1252") + b"\0" for n, name in names.items())
        content[0] = struct.pack("<I", len(names)) + b"".join(entries)
    at, places, area = 8 + 8 * len(content), b"", b""
    for number, value in content.items():
        places += struct.pack("<II", number, at + len(area))
        area += value
    head = struct.pack("<II", at + len(area), len(content))
    return bytes.fromhex(identifier) + head + places + area


def stream(*sets: bytes) -> bytes:
    """A stream of property sets."""
    start, places, areas = 28 + 20 * len(sets), b"", b""
    for each in sets:
        places += each[:16] + struct.pack("<I", start + len(areas))
        areas += each[16:]
    return struct.pack("<HH4x16xI", 0xFFFE, 0, len(sets)) + places + areas


def test_document_properties() -> None:
    first = property_set("e0859ff2f94f6810ab9108002b27b3d9", {2: "Brief", 4: "Dr. Gelb", 8: "Frau Blau", 18: "Word"})
    second = property_set("02d5cdd59c2e1b10939708002b2cf9ae", {15: "Klinikum Süd", 14: "Prof. Weiß", 2: "Brief A"})
    names = {2: "Zuweiser", 3: "Abteilung", 4: "AppVersion"}
    custom = property_set("05d5cdd59c2e1b10939708002b2cf9ae", {2: "Dr. Ocker", 3: "Innere", 4: "16.0"}, names)
    document = body("x\r", extra={"\x05SummaryInformation": stream(first),
                                  "\x05DocumentSummaryInformation": stream(second, custom)})  # fmt: skip
    assert blocks_of(document)[1:] == [
        (BlockKind.PROPERTY, "Brief"),
        (BlockKind.AUTHOR, "Dr. Gelb"),
        (BlockKind.AUTHOR, "Frau Blau"),
        *((BlockKind.PROPERTY, text) for text in ("Brief A", "Klinikum Süd")),
        (BlockKind.AUTHOR, "Prof. Weiß"),
        *((BlockKind.PROPERTY, text) for text in ("Innere", "Dr. Ocker")),
    ]


def test_properties_of_the_document_itself_where_there_are_none_beside_it() -> None:
    associated = sttb(*(f"s{number}" for number in range(8)))
    document = body("x\r", tables={FibTable.ASSOCIATED_STRINGS: associated})
    assert texts(document, BlockKind.PROPERTY) == ["s2", "s3", "s4"]
    assert texts(document, BlockKind.AUTHOR) == ["s6", "s7"]


def test_the_order_of_places_is_that_of_a_docx() -> None:
    headers = notes(Story.HEADERS, *[""] * 7, "Kopf\r\r", *[""] * 4)
    stories = {
        Story.FOOTNOTES: notes(Story.FOOTNOTES, "\x02Note\r"),
        Story.HEADERS: headers,
        Story.TEXT_BOXES: notes(Story.TEXT_BOXES, "Feld\r", ""),
    }
    tables = {
        Story.FOOTNOTES: FibTable.FOOTNOTE_TEXTS,
        Story.HEADERS: FibTable.HEADER_TEXTS,
        Story.TEXT_BOXES: FibTable.BOX_TEXTS,
    }
    document = Doc(
        {Story.MAIN: "Text weg\r", **{story: text for story, (text, _) in stories.items()}},
        characters=[(4, 8, prls(DELETED))],
        tables={tables[story]: positions for story, (_, positions) in stories.items()},
    )
    kinds = [kind for kind, _ in blocks_of(document)]
    assert kinds == [
        BlockKind.PARAGRAPH,
        BlockKind.PAGE_HEADER,
        BlockKind.FOOTNOTE,
        BlockKind.TEXT_BOX,
        BlockKind.DELETED_TEXT,
    ]
