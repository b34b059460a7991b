"""Every place of a .docx that can hold text, and the order the places come in."""

from __future__ import annotations

import io
from collections.abc import Callable

import docx
import pytest
from word_package import package, paragraph, part

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import BlockKind, Note
from deid_core.readers.canonical import CanonicalBuilder
from deid_core.readers.docx.reader import read_docx
from deid_core.readers.settings import ReadingSettings

ReadNote = Callable[..., Note]

_BOX = "<w:txbxContent><w:p><w:r><w:t>Im Kasten</w:t></w:r></w:p></w:txbxContent>"
_CHOICE_AND_FALLBACK = (
    "<w:p><w:r><mc:AlternateContent>"
    f'<mc:Choice Requires="wps"><w:drawing><wps:txbx>{_BOX}</wps:txbx></w:drawing></mc:Choice>'
    f"<mc:Fallback><w:pict><v:textbox>{_BOX}</v:textbox></w:pict></mc:Fallback>"
    "</mc:AlternateContent><w:t>Absatz</w:t></w:r></w:p>"
)


def cell(content: str, properties: str = "") -> str:
    return f"<w:tc>{properties}{content}</w:tc>"


def table(*rows: str) -> str:
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"


def blocks(note: object) -> list[tuple[str, str]]:
    assert isinstance(note, Note), note
    return [(block.kind.value, note.block_text(block)) for block in note.blocks]


def test_places_come_in_the_documented_order(read_note: ReadNote) -> None:
    sections = '<w:sectPr><w:headerReference w:type="default" r:id="header1"/></w:sectPr>'
    data = package(
        paragraph("Körper")
        + '<w:p><w:del w:author="Frau Rot"><w:r><w:delText>gelöscht</w:delText></w:r></w:del></w:p>'
        + _CHOICE_AND_FALLBACK
        + sections,
        {
            "custom": part(
                "Properties", '<property name="Chefarzt"><vt:lpwstr xmlns:vt="vt">Prof. Blau</vt:lpwstr></property>'
            ),
            "app": part("Properties", "<Application>Microsoft Office Word</Application><Company>Klinik</Company>"),
            "core": part(
                "cp:coreProperties",
                '<dc:creator xmlns:dc="dc">Dr. Grün</dc:creator><t:created xmlns:t="t">2011</t:created>',
            ).replace("<cp:coreProperties", '<cp:coreProperties xmlns:cp="cp"'),
            "comments": part(
                "w:comments", f'<w:comment w:author="Dr. Gelb" w:initials="DG">{paragraph("bemerkt")}</w:comment>'
            ),
            "endnotes": part("w:endnotes", f"<w:endnote>{paragraph('Endnote')}</w:endnote>"),
            "footnotes": part(
                "w:footnotes",
                '<w:footnote w:type="separator"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
                f"<w:footnote>{paragraph('Fußnote')}</w:footnote>",
            ),
            "footer1": part("w:ftr", paragraph("Fuß")),
            "header1": part("w:hdr", paragraph("Kopf")),
        },
    )
    assert blocks(read_note(data)) == [
        ("paragraph", "Körper"),
        ("paragraph", ""),
        ("paragraph", "Absatz"),
        ("page_header", "Kopf"),
        ("page_footer", "Fuß"),
        ("footnote", "Fußnote"),
        ("endnote", "Endnote"),
        ("text_box", "Im Kasten"),
        ("comment", "bemerkt"),
        ("deleted_text", "gelöscht"),
        ("author", "Dr. Grün"),
        ("property", "Klinik"),
        ("property", "Prof. Blau"),
        ("author", "Frau Rot"),
        ("author", "Dr. Gelb"),
        ("author", "DG"),
    ]


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<w:r><w:t>Mül</w:t></w:r><w:r><w:t>ler</w:t></w:r>", "Müller"),
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:cr/><w:t>d</w:t></w:r>", "a\tb\nc\nd"),
        ("<w:r><w:t>Müller</w:t><w:noBreakHyphen/><w:t>Kern</w:t></w:r>", "Müller\u2011Kern"),
        ('<w:hyperlink r:id="x"><w:r><w:t>Verweis</w:t></w:r></w:hyperlink>', "Verweis"),
        ("<w:smartTag><w:smartTag><w:r><w:t>Heidelberg</w:t></w:r></w:smartTag></w:smartTag>", "Heidelberg"),
        ("<w:sdt><w:sdtContent><w:r><w:t>Inhalt</w:t></w:r></w:sdtContent></w:sdt>", "Inhalt"),
        ('<w:ins w:author="X"><w:r><w:t>eingefügt</w:t></w:r></w:ins>', "eingefügt"),
        ("<w:moveTo><w:r><w:t>verschoben</w:t></w:r></w:moveTo>", "verschoben"),
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>verborgen</w:t></w:r>", "verborgen"),
        ('<w:fldSimple w:instr="AUTHOR"><w:r><w:t>Feld</w:t></w:r></w:fldSimple>', "Feld"),
        (
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>DATE</w:instrText></w:r>'
            '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1.2.2009</w:t></w:r>'
            '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
            "1.2.2009",
        ),
        (
            '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/>'
            '<w:listEntry w:val="Herr"/><w:listEntry w:val="Frau"/></w:ddList></w:ffData></w:fldChar></w:r>',
            "Frau",
        ),
        ("<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>", "x=1"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>', "\uf0fc"),
    ],
)
def test_what_is_text_in_a_paragraph(read_note: ReadNote, inner: str, expected: str) -> None:
    note = read_note(package(f"<w:p><w:pPr><w:jc/></w:pPr>{inner}</w:p>{paragraph('Ende')}"))
    assert blocks(note)[0] == ("paragraph", expected)


def test_deletions_are_apart_and_join_only_where_nothing_stands_between(read_note: ReadNote) -> None:
    def deleted(text: str) -> str:
        return f"<w:del><w:r><w:delText>{text}</w:delText></w:r></w:del>"

    run = "<w:r><w:t>{}</w:t></w:r>"
    moved = "<w:moveFrom><w:r><w:t>umgezogen</w:t></w:r></w:moveFrom>"
    note = read_note(
        package(
            f"<w:p>{run.format('Herr ')}{deleted('Mei')}{deleted('er')}{run.format('Müller')}{deleted('kam')}</w:p>"
            f"<w:p>{run.format('Ende')}{moved}</w:p>"
        )
    )
    assert blocks(note) == [
        ("paragraph", "Herr Müller"),
        ("paragraph", "Ende"),
        ("deleted_text", "Meier"),
        ("deleted_text", "kam"),
        ("deleted_text", "umgezogen"),
    ]


def test_deletions_of_different_paragraphs_stay_apart(read_note: ReadNote) -> None:
    """Each of a hundred paragraphs has one: names that are glued together would be found by nobody."""
    names = [f"Name{number}" for number in range(100)]
    deletion = "<w:p><w:del><w:r><w:delText>{}</w:delText></w:r></w:del></w:p>"
    note = read_note(package("".join(map(deletion.format, names)) + paragraph("Ende")))
    assert [text for kind, text in blocks(note) if kind == "deleted_text"] == names


def test_tables_merged_cells_once_nested_tables_as_lines_of_the_cell(read_note: ReadNote) -> None:
    wide = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
    down = '<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>'
    under = "<w:tcPr><w:vMerge/></w:tcPr>"
    nested = table(cell(paragraph("i")) + cell(paragraph("k")), cell(paragraph("l")) + cell(paragraph("m")))
    note = read_note(
        package(
            table(
                cell(paragraph("breit"), wide) + cell(paragraph("c")),
                cell(paragraph("hoch"), down) + cell(paragraph("b") + paragraph("b2")) + cell("<w:p/>"),
                cell("<w:p/>", under) + cell(paragraph("vor") + nested + paragraph("nach")),
            )
            + paragraph("Sehr geehrte Frau Kollegin,")
            + table(cell(paragraph("Hb")))
        )
    )
    assert isinstance(note, Note)
    assert note.text == ("breit\tc\nhoch\tb\nb2\t\n\tvor\ni k\nl m\nnach\nSehr geehrte Frau Kollegin,\nHb")
    header = [(b.table, b.row, b.column) for b in note.blocks_of(BlockKind.HEADER_CELL)]
    assert header == [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2), (0, 2, 0), (0, 2, 1)]
    assert [(b.table, b.row, b.column) for b in note.blocks_of(BlockKind.TABLE_CELL)] == [(1, 0, 0)]


def test_content_controls_around_paragraphs_rows_and_cells(read_note: ReadNote) -> None:
    def control(content: str) -> str:
        return f'<w:sdt><w:sdtPr><w:alias w:val="Titel"/></w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>'

    row = f"<w:tr>{control(cell(paragraph('Zelle')))}{cell(control(paragraph('innen')))}</w:tr>"
    note = read_note(
        package(control(paragraph("eins") + control(paragraph("zwei"))) + f"<w:tbl>{control(row)}</w:tbl>")
    )
    assert blocks(note) == [
        ("paragraph", "eins"),
        ("paragraph", "zwei"),
        ("table_cell", "Zelle"),
        ("table_cell", "innen"),
    ]


def test_headers_first_default_even_and_each_text_once(read_note: ReadNote) -> None:
    def section(*references: tuple[str, str]) -> str:
        return (
            "<w:sectPr>"
            + "".join(f'<w:headerReference w:type="{t}" r:id="{i}"/>' for t, i in references)
            + "</w:sectPr>"
        )

    headers = {
        f"header{n}": part("w:hdr", paragraph(text)) for n, text in enumerate(("unused", "d", "e", "f", "d", " "))
    }
    note = read_note(
        package(
            f"<w:p><w:pPr>{section(('even', 'header2'), ('default', 'header1'), ('first', 'header3'))}</w:pPr></w:p>"
            + section(("default", "header4"), ("first", "header5")),
            headers,
        )
    )
    assert blocks(note)[1:] == [("page_header", text) for text in ("f", "d", "e", "unused")]


def test_text_boxes_watermarks_and_alternative_texts_once(read_note: ReadNote) -> None:
    picture = '<wp:docPr id="1" name="Bild 1" descr="Foto von Frau Rot"/>'
    drawing = f"<w:p><w:r><w:drawing><wp:inline>{picture}</wp:inline></w:drawing></w:r></w:p>"
    watermark = '<w:p><w:r><w:pict><v:shape><v:textpath string="ENTWURF"/></v:shape></w:pict></w:r></w:p>'
    nested = (
        "<w:p><w:r><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>außen</w:t>"
        f"<w:pict><v:textbox>{_BOX}</v:textbox></w:pict></w:r></w:p></w:txbxContent></v:textbox></w:pict></w:r></w:p>"
    )
    note = read_note(package(_CHOICE_AND_FALLBACK + drawing + nested, {"header1": part("w:hdr", watermark)}))
    assert [text for kind, text in blocks(note) if kind == "text_box"] == [
        "Im Kasten",
        "Foto von Frau Rot",
        "außen",
        "Im Kasten",
        "ENTWURF",
    ]


def test_fields_that_libreoffice_computed_anew_are_left_out() -> None:
    def field(code: str, result: str) -> str:
        return (
            f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> {code} </w:instrText></w:r>'
            '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
            f'<w:r><w:t>{result}</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )

    fields = field("DATE \\@ dd.MM.yyyy", "heute") + field("AUTHOR", "Dr. Grün") + field("filename \\p", "in/n1.doc")
    builder = CanonicalBuilder()
    read_docx(package(f"<w:p>{fields}</w:p>"), builder, ReadingSettings(), recomputed=True)
    assert builder.build("n").text == "Dr. Grün"


def test_page_breaks_part_words_but_end_no_paragraph(read_note: ReadNote) -> None:
    page = '<w:br w:type="page"/>'
    note = read_note(package(f"<w:p><w:r>{page}<w:t>eins</w:t>{page}<w:t>zwei</w:t>{page}</w:r></w:p>"))
    assert blocks(note) == [("paragraph", "eins\nzwei")]


def test_properties_of_software_and_dates_are_left_out(read_note: ReadNote) -> None:
    document = docx.Document()  # python-docx's template: author "python-docx", comment "generated by python-docx"
    document.add_paragraph("Text")
    document.core_properties.title = "Arztbrief Müller"
    buffer = io.BytesIO()
    document.save(buffer)
    assert blocks(read_note(buffer.getvalue())) == [("paragraph", "Text"), ("property", "Arztbrief Müller")]


def test_paragraphs_and_cells_are_those_of_python_docx(read_note: ReadNote) -> None:
    document = docx.Document()
    document.add_heading("Überschrift", 1)
    document.add_paragraph("eins\tzwei\ndrei")
    grid = document.add_table(2, 2)
    for number, each in enumerate(c for row in grid.rows for c in row.cells):
        each.text = f"Zelle {number}"
    document.add_paragraph("Ende")
    buffer = io.BytesIO()
    document.save(buffer)
    note = read_note(buffer.getvalue())
    expected = [p.text for p in document.paragraphs[:2]] + [c.text for r in grid.rows for c in r.cells] + ["Ende"]
    assert [text for _, text in blocks(note)] == expected


def test_an_imported_document_stands_where_it_is_imported(read_note: ReadNote) -> None:
    body = paragraph("vor") + '<w:altChunk r:id="aFChunk1"/>' + paragraph("nach")
    inner = package(paragraph("eingebunden"))
    assert [t for _, t in blocks(read_note(package(body, {"aFChunk1": inner})))] == ["vor", "eingebunden", "nach"]
    text = b"als Text"
    assert [t for _, t in blocks(read_note(package(body, {"aFChunk1": text})))] == ["vor", "als Text", "nach"]


def test_every_body_is_read_and_text_outside_paragraphs_too(read_note: ReadNote) -> None:
    body = "<w:body>{}</w:body>"
    document = part(
        "w:document", body.format("<w:r><w:t>lose</w:t></w:r>" + paragraph("eins")) + body.format(paragraph("zwei"))
    )
    assert [t for _, t in blocks(read_note(package("", raw_document=document)))] == ["lose", "eins", "zwei"]


def test_strict_office_open_xml(read_note: ReadNote) -> None:
    strict = part("w:document", f"<w:body>{paragraph('streng')}</w:body>").replace(
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://purl.oclc.org/ooxml/wordprocessingml/main",
    )
    assert blocks(read_note(package("", raw_document=strict))) == [("paragraph", "streng")]


def test_comments_and_instructions_of_xml_part_no_word(read_note: ReadNote) -> None:
    note = read_note(package("<w:p><w:r><w:t>Mül<!-- x -->l<?x y?>er<![CDATA[-Kern]]></w:t></w:r></w:p>"))
    assert blocks(note) == [("paragraph", "Müller-Kern")]


def test_page_headers_have_charts_and_imported_documents_of_their_own(read_note: ReadNote) -> None:
    drawing = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    extra = {
        "word/_rels/header1.xml.rels": relations(header_chart=("chart", "chart1.xml"), chunk=("aFChunk", "inner.docx")),
        "word/chart1.xml": f'<c:chart xmlns:c="c" {drawing}><a:t>Verlauf</a:t><c:v>7,5</c:v></c:chart>'.encode(),
        "word/_rels/chart1.xml.rels": relations(shapes=("chartUserShapes", "drawing1.xml")),
        "word/drawing1.xml": f"<s {drawing}><a:t>Frau Rot</a:t></s>".encode(),
        "word/inner.docx": package(paragraph("im Kopf")),
    }
    body = paragraph("Text") + '<w:altChunk r:id="aFChunk1"/>'
    parts = {"header1": part("w:hdr", '<w:altChunk r:id="chunk"/>'), "aFChunk1": package(paragraph("im Körper"))}
    assert blocks(read_note(package(body, parts, extra=extra))) == [
        ("paragraph", "Text"),
        ("paragraph", "im Körper"),
        ("page_header", "im Kopf"),
        ("text_box", "Verlauf\n7,5"),
        ("text_box", "Frau Rot"),
    ]


def test_who_changed_an_imported_document_is_named(read_note: ReadNote) -> None:
    inner = package('<w:p><w:ins w:author="Frau Rot"><w:r><w:t>Text</w:t></w:r></w:ins></w:p>')
    note = read_note(package('<w:altChunk r:id="aFChunk1"/>', {"aFChunk1": inner}))
    assert blocks(note) == [("paragraph", "Text"), ("author", "Frau Rot")]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ('<w:rPr><w:b/><w:rFonts w:ascii="Arial" w:hAnsi="Arial"/></w:rPr><w:t>Text</w:t>', ["Text"]),
        ("<w:rPr></w:rPr><w:t>Text</w:t><w:rPr/>", ["Text"]),
        ('<w:rPr><w:b/><w:ins w:id="1" w:author="Frau Rot"/></w:rPr><w:t>Text</w:t>', ["Text", "Frau Rot"]),
        ('<w:rPr><w:rPrChange w:author="Rot"><w:rPr><w:b/></w:rPr></w:rPrChange></w:rPr><w:t>a</w:t>', ["a", "Rot"]),
        ("<w:t><![CDATA[<w:rPr><w:b/></w:rPr>]]></w:t>", ["<w:rPr><w:b/></w:rPr>"]),
        ("<!-- <w:rPr> --><w:t>Text</w:t><!-- </w:rPr> -->", ["Text"]),
        ("<w:rPr><w:b/>", None),
        ("<w:rPr><w:b w:val='a</w:rPr>", None),
    ],
)
def test_formatting_hides_nothing(read_note: ReadNote, run: str, expected: list[str] | None) -> None:
    note: object = read_note(package(f"<w:p><w:r>{run}</w:r></w:p>"))
    if expected is None:
        assert isinstance(note, NoteError)
        assert note.reason is Reason.CORRUPT
    else:
        assert [text for _, text in blocks(note)] == expected


def relations(**targets: tuple[str, str]) -> bytes:
    """A part of relationships: id=(kind, target)."""
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    rows = "".join(f'<r Id="{i}" Type="{office}{kind}" Target="{target}"/>' for i, (kind, target) in targets.items())
    return f"<relations>{rows}</relations>".encode()
