"""Layouts of letters: the same words with the same annotations."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.note import BlockKind
from deid_core.lab.corpora.layout_changes import FORMATS, LAYOUTS, laid_out
from deid_core.lab.corpora.letters import AnnotatedLetter, parse_letter
from deid_core.lab.corpora.writing_changes import WRITINGS

HEAD = ["kind: Arztbrief", "speciality: Innere", "country: DE", "year: 2009", "---"]
PIECES = [
    "wir sahen",
    "<salute>Frau</salute>",
    "<patient>Ida Muster-Au</patient>,",
    "geb.",
    "<date>3.4.2009</date>",
    "(Dr.)",
]
PIECES += ["aus <town>Bad Muster</town>.", "RR 120/80,", "Fax: <fax>01 / 23</fax>;", "Es ging ihr gut."]


def letter(*lines: str) -> AnnotatedLetter:
    return parse_letter(Path("a01-1.txt"), [*HEAD, *lines])


def without_blanks(text: str) -> str:
    return "".join(text.split())


bodies = st.lists(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join), min_size=1, max_size=6)


@given(bodies, st.sampled_from(list(LAYOUTS)), st.text(max_size=3))
def test_only_blanks_and_line_breaks_change_and_spans_keep_their_words(
    lines: list[str], layout: str, seed: str
) -> None:
    before = letter(*lines)
    after = laid_out(before, layout, seed)
    assert without_blanks(after.note.text) == without_blanks(before.note.text)
    assert [(g.type, without_blanks(after.note.text[g.start : g.end])) for g in after.gold] == [
        (g.type, without_blanks(before.note.text[g.start : g.end])) for g in before.gold
    ]
    assert all(after.note.text[at].strip() for g in after.gold for at in (g.start, g.end - 1))
    assert laid_out(before, layout, seed) == after
    assert after.note.blocks == ()


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("flowing", "Herr <Muster>, geb. am 1.2.1950. EF 55 % <Ulm>\tRaum 2"),
        ("tight", "Herr <Muster>,geb.am 1.2.1950.\nEF 55 %\n<Ulm>\tRaum 2"),
        ("spaced", "Herr <Muster> , geb . am 1.2.1950 .\nEF 55 %\n<Ulm>\tRaum 2"),
    ],
)
def test_each_layout_on_a_letter(layout: str, expected: str) -> None:
    of = letter("Herr <patient>Muster</patient>, geb. am 1.2.1950.", "EF 55 %", "| <town>Ulm</town> | Raum 2 |")
    changed = {annotated(laid_out(of, layout, str(seed))) for seed in range(9)}
    assert expected in changed


@pytest.mark.parametrize(
    ("writing", "expected"),
    [
        ("soft-hyphens", "Frau <Wei\u00adland>, am <3.4.2010>"),
        ("no-break-blanks", "Frau\u00a0<Weiland>, am <3.4.2010>"),
        ("tabs", "Frau\t<Weiland>, am <3.4.2010>"),
        ("full-width", "Frau <Ｗｅｉｌａｎｄ>, am <３.４.２０１０>"),
        ("look-alikes", "Frau <Weilаnd>, am <3.4.2010>"),
        ("letter-spaced", "Frau <W e i l a n d>, am <3.4.2010>"),
        ("letter-spaced-capitals", "Frau <W E I L A N D>, am <3.4.2010>"),
        ("hyphenated", "Frau <Wei-\nland>, am <3.4.2010>"),
        ("capitals", "Frau <WEILAND>, am <3.4.2010>"),
        ("small", "Frau <weiland>, am <3.4.2010>"),
        ("misread", "Frau <Wei1and>, am <3.4.2010>"),
    ],
)
def test_each_writing_of_a_name(writing: str, expected: str) -> None:
    of = letter("Frau <patient>Weiland</patient>, am <date>3.4.2010</date>")
    assert expected in {annotated(laid_out(of, writing, str(seed))) for seed in range(30)}


def test_writings_of_more_than_a_name() -> None:
    of = letter("Frau <patient>Öztürk</patient> Dr. <clinician>Weber</clinician>")
    assert annotated(laid_out(of, "decomposed", "")) == "Frau <O\u0308ztu\u0308rk> Dr. <Weber>"
    assert annotated(laid_out(of, "joined", "")) == "Frau <Öztürk>Dr. <Weber>"
    assert len(annotated(laid_out(of, "invisible", ""))) == len(annotated(of)) + 2


@pytest.mark.parametrize("writing", [*WRITINGS])
def test_every_writing_changes_a_letter_and_keeps_its_annotations(writing: str) -> None:
    of = letter(
        "Frau <patient>Monika Reinhold</patient> Dr. <clinician>Oppermann</clinician>, Lörrach, <date>3.4.2010</date>"
    )
    after = laid_out(of, writing, "")
    assert after.note.text != of.note.text
    assert [span.type for span in after.gold] == [span.type for span in of.gold]
    # A name that is run together with its salutation has no blank before it.
    assert after.note.text[after.gold[0].start - 1].isspace() is (writing != "run-together")


def test_wrapped_lines_may_break_within_names() -> None:
    of = letter("<patient>Ida Muster</patient> kam. " * 40)
    for layout in ("wrapped", "ragged"):
        texts = [laid_out(of, layout, str(seed)) for seed in range(6)]
        assert all(max(map(len, changed.note.text.split("\n"))) <= 100 for changed in texts)
        assert any("\n" in changed.note.text[g.start : g.end] for changed in texts for g in changed.gold)


def annotated(changed: AnnotatedLetter) -> str:
    text = changed.note.text
    for span in reversed(changed.gold):
        text = f"{text[: span.start]}<{text[span.start : span.end]}>{text[span.end :]}"
    return text


@given(bodies, st.sampled_from(FORMATS))
def test_a_format_keeps_words_and_spans(lines: list[str], name: str) -> None:
    before = letter(*lines, "", "Klinik <town>Ulm</town>", "Sehr geehrte Frau A,", "Ende.")
    after = laid_out(before, name, "")
    assert without_blanks(after.note.text) == without_blanks(before.note.text)
    assert [after.note.text[g.start : g.end] for g in after.gold] == [
        before.note.text[g.start : g.end] for g in before.gold
    ]


def test_the_groups_of_a_header_become_cells_in_two_columns_and_the_body_stays() -> None:
    lines = (
        "Klinik <town>Ulm</town>",
        "Weg 1",
        "",
        "Herrn <patient>Muster</patient>",
        "",
        "Betreff",
        "Sehr geehrte A,",
    )
    after = laid_out(letter(*lines), "header-table", "")
    note = after.note
    assert note.text == "Klinik Ulm\nWeg 1\tHerrn Muster\nBetreff\nSehr geehrte A,"
    assert [note.text[g.start : g.end] for g in after.gold] == ["Ulm", "Muster"]
    cells = [(note.block_text(b), b.row, b.column) for b in note.blocks_of(BlockKind.HEADER_CELL)]
    assert cells == [("Klinik Ulm\nWeg 1", 0, 0), ("Herrn Muster", 0, 1), ("Betreff", 1, 0)]
    assert [note.block_text(block) for block in note.blocks[3:]] == ["Sehr geehrte A,"]
    assert laid_out(letter(*lines), "text", "").note.blocks == ()


def test_a_header_that_is_a_table_already_stays() -> None:
    before = letter("Klinik", "", "| Herr | <patient>Muster</patient> |", "Sehr geehrte Frau A,")
    assert laid_out(before, "header-table", "") == before
