"""A text is read as a person sees it, and every character keeps its place in the note."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Block, BlockKind, Note
from deid_core.core.spans import Span
from deid_core.text import normalisation
from deid_core.text.normalisation import normalised

HOSTILE = st.text(
    st.sampled_from("Mülerаο \u00a0\n.-1\u00ad\u200b\u200e\ufe0f\u2062\u180e\u0308ﬀ\uff2d\uff11\U0001d40c\U000e0041")
)


@pytest.mark.parametrize(
    ("stored", "seen"),
    [
        ("M\u200eü\u200fl\ufe0fl\u2062e\u180er", "Müller"),
        ("Mül\u00adler", "Müller"),
        ("Mu\u0308ller", "Müller"),
        ("Ｍüller, 12.０３.２０１０", "Müller, 12.03.2010"),
        ("Gri\ufb00el", "Griffel"),
        ("M\u043eller", "Moller"),
        ("Herr M ü l l e r - L ü d e n kam", "Herr Müller-Lüden kam"),
        ("P e t e r M ü l l e r kam", "Peter Müller kam"),
        ("B E F U N D:", "BEFUND:"),
        ("Mül-\nler", "Müller"),
        ("Mül\u00ad\nler", "Müller"),
        ("Mül-\u00a0 \n\t ler, Mül\u2011\n  ler, Mül\u00ad \nler", "Müller, Müller, Müller"),
        ("Herr MüllerDr. Weber und FrauDr.Klein", "Herr Müller Dr. Weber und Frau Dr.Klein"),
        ("HerrMüller, DrWeber", "Herr Müller, Dr Weber"),
        ("Herr\tPeter Müller, Frau\tDr.\tK.\tvon\tMuster", "Herr Peter Müller, Frau Dr. K. von Muster"),
        ("Wir berichten über Peter\tMüller, der zu uns kam.", "Wir berichten über Peter Müller, der zu uns kam."),
        ("**Patient:** Herr **Müller**, *12.3.1950", "Patient: Herr Müller, *12.3.1950"),
        ("DG\n * Morbus Crohn\n* Gastritis\n* 12.3.1950", "DG\n - Morbus Crohn\n- Gastritis\n* 12.3.1950"),
        ("## Arztbrief\n*Dr. Weber*, ***Oberarzt***", "Arztbrief\nDr. Weber, Oberarzt"),
        ("| Name | Tag |\n|:---|---:|\n| Müller | 3.4. |", "Name\tTag\n\nMüller\t3.4."),
        ('<p class="a">Frau <b>M&uuml;ller</b><br/>Tag&nbsp;1', "\nFrau Müller\nTag\u00a01"),
        ("<tr><td>Name</td><td>M&#252;ller</td></tr>", "\n\tName\t\tMüller\t\n"),
    ],
)
def test_a_name_is_read_as_it_is_seen(stored: str, seen: str) -> None:
    assert normalised(Note("n", stored)).note.text == seen


@pytest.mark.parametrize(
    "text",
    [
        "Мюллер",
        "5 μg/l, β-Blocker, 37 °C, m²",
        "Haupt-\nund Nebendiagnose, Müller-\nSchmidt, CT-\ngesteuert",
        "Haupt-\n  und Nebendiagnose, Müller- \n  Schmidt, Mül-\n\nler, Mül -\nler",
        # A dash divides no word, nor does a hyphen before a word that begins a clause.
        "Frau Weber\u2013\nseit gestern, Ehefrau Ilse\u2013\nkeine Kinder, Herr Gärtner-\n  anbei der Befund",
        "Müller\u200bMeier",
        "Typ A B",
        "z. B. I a",
        "CRP <5, aber >3; p<0,05 und <li path.> A&B, R&D; # 3",
        "*** FAX *** von *12.3.1950, Leukos*",
        "Lisinopril 5 mg | ASS 100 | Simvastatin",
        "Hausarzt:\tDr. Weber und die Ärzte von nebenan",
        "Herz und Lunge ohne jeden krankhaften Befund\tNieren\nLeber\tunauffällig und ohne jeden Befund von Wert",
        "Frauenklinik, InfectoKrupp, Herrmann, Drucker, Patientinnen",
        "",
    ],
)
def test_other_texts_are_left_alone(text: str) -> None:
    note = Note("n", text)
    assert normalised(note) == (note, None)


VISIBLE = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
"""Signs of Arabic, Syriac and Kaithi that are in category Cf, but are seen."""
FORMAT = [code for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf" and code != 0x200B]


@pytest.mark.parametrize("code", [*FORMAT, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0, 16)])
def test_nothing_invisible_divides_a_name(code: int) -> None:
    seen = normalised(Note("n", f"Mül{chr(code)}ler")).note.text
    assert (seen == "Müller") == (code not in VISIBLE)


@given(HOSTILE, st.data())
def test_a_span_has_all_characters_of_the_note_that_are_read_in_it(text: str, data: st.DataObject) -> None:
    note, places = normalised(Note("n", text))
    if places is None or not note.text:
        return
    cuts = sorted(data.draw(st.sets(st.integers(0, len(note.text)), min_size=2, max_size=5)) | {0, len(note.text)})
    spans = [Span(a, b, Label.PER, PhiType.PERSON, "r", "r") for a, b in pairwise(cuts)]
    moved = places.moved(spans)
    covered = [n for span in moved for n in range(span.start, span.end)]
    assert covered == sorted(set(covered))
    first = int(places.starts[0])
    assert covered == list(range(first, len(text)))
    assert normalised(Note("n", text[:first])).note.text == ""


@given(HOSTILE, st.data())
def test_the_normalised_text_of_a_range_is_found_again(text: str, data: st.DataObject) -> None:
    note, places = normalised(Note("n", text))
    if places is None or not note.text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    starts, ends = places.in_text(np.array([start], np.int32), np.array([end], np.int32))
    # A character of the normalised text has the note's characters up to where the next one begins.
    begins = places.starts.tolist()
    touched = [
        n
        for n in range(len(note.text))
        if begins[n] < end
        and start < max(next((b for b in begins[n + 1 :] if b > begins[n]), len(text)), begins[n] + 1)
    ]
    assert list(range(int(starts[0]), int(ends[0]))) == touched


def test_blocks_keep_their_text() -> None:
    cells = ["Patient:", "M\u200e ü l l e r", "Ｍ", ""]
    text, blocks = "", []
    for cell in cells:
        blocks.append(Block(BlockKind.TABLE_CELL, len(text), len(text) + len(cell)))
        text += cell + "\t"
    note = normalised(Note("n", text, blocks=tuple(blocks))).note
    assert [note.block_text(block) for block in note.blocks] == ["Patient:", "Müller", "M", ""]


@pytest.mark.parametrize(
    ("stored", "name"),
    [
        ("**Müller**, geb.", "Müller"),
        ("| Peter Müller | 3.4. |", "Peter Müller"),
        ("<b>Peter M&uuml;ller</b>", "Peter M&uuml;ller"),
        ("Herr MüllerDr. Weber", "Müller"),
        ("HerrMüller kam", "Müller"),
        ("# Mül\u200eler #", "Mül\u200eler"),
    ],
)
def test_markup_and_missing_blanks_belong_to_no_name(stored: str, name: str) -> None:
    note, places = normalised(Note("n", stored))
    assert places is not None
    seen = re.compile(r"(?:Peter )?Müller").search(note.text)
    assert seen is not None
    [moved] = places.moved([Span(seen.start(), seen.end(), Label.PER, PhiType.PERSON, "r", "r")])
    assert stored[moved.start : moved.end] == name
    starts, ends = places.in_text(np.array([moved.start], np.int32), np.array([moved.end], np.int32))
    assert note.text[int(starts[0]) : int(ends[0])].strip() == seen.group()


@pytest.mark.timeout(30)
def test_a_word_without_end_costs_what_its_length_costs() -> None:
    """It cost the square of it: a hundred thousand letters took two minutes."""
    assert normalised(Note("n", "a\u0301" * 100_000)).note.text == "á" * 100_000


class Counting:
    """An expression that counts the characters that it matches."""

    def __init__(self, expression: re.Pattern[str]) -> None:
        self.expression, self.characters = expression, 0

    def match(self, text: str, at: int) -> re.Match[str] | None:
        found = self.expression.match(text, at)
        self.characters += len(found.group()) if found else 0
        return found


def test_a_letter_spaced_word_without_end_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was read again from each of its letters."""
    counting = Counting(normalisation._SPACED_WORD)
    monkeypatch.setattr(normalisation, "_SPACED_WORD", counting)
    text = "a " * 1_000 + "Ende. " + "M ü l l e r  kam"
    assert normalised(Note("n", text)).note.text == "a" * 1_000 + " Ende. Müller  kam"
    assert counting.characters <= len(text)
