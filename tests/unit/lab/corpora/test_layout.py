"""Layouts of letters: the same words with the same annotations."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.lab.corpora.layout import LAYOUTS, laid_out
from deid_core.lab.corpora.letters import AnnotatedLetter, parse_letter

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
