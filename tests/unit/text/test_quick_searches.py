"""Searches that look for stems, letters or marks first find what the plain expressions find."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from deid_core.core.note import Note
from deid_core.core.word_lists import alternatives
from deid_core.text import header_end, markup, normalisation, unwrap
from deid_core.text.arrays import characters_beyond
from deid_core.text.literal_prefixes import prefix_matches

WORDS = st.sampled_from(
    "Wir wir ich berichten berichteten nachfolgend folgend informieren bedanken danken Vielen dank für x ſ İ".split()
)
GAPS = st.sampled_from(["", " ", "  ", "\n", "-", "_"])
INTRODUCING = re.compile(r"Dr|Prof|Herrn?|Frau|Hr\.|Fr\.|OA|OÄ")
ROW = re.compile(r"^[ \t]*\|[^\n|]*\|[^\n]*(?<=\|)[ \t]*$", re.MULTILINE)
BULLET = re.compile(
    r"^[ \t]*(\*)[ \t]+(?=[^\W\d_]{2})(?!(?i:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez))", re.MULTILINE
)
SIGNS = re.compile(r"\b(?:telefon|tel\.|tel|e-mail|universität\w*)\b|@", re.IGNORECASE)


@given(st.lists(st.tuples(WORDS, GAPS), max_size=12), st.integers(0, 4), st.integers(0, 4))
@example([("wir", " "), ("wir", "  "), ("berichten", "")], 0, 0)
@example([("wir", " "), ("bedanken", " "), ("x", "")], 1, 0)
def test_the_sentence_that_introduces_the_patient(pieces: list[tuple[str, str]], before: int, after: int) -> None:
    text = "".join(word + gap for word, gap in pieces)
    start, end = min(before, len(text)), max(len(text) - after, 0)
    found, expected = header_end.introduction(text, start, end), header_end.INTRODUCTION.search(text, start, end)
    assert (found and found.span()) == (expected and expected.span())


PIECES = "tel telefon Telefon tel. E-Mail e-mail mail @ Universität universitäten ſ İ x".split()


@given(st.lists(st.tuples(st.sampled_from(PIECES), GAPS), max_size=10), st.integers(0, 4))
def test_expressions_that_begin_with_stems(pieces: list[tuple[str, str]], start: int) -> None:
    text = "".join(word + gap for word, gap in pieces)
    start, end = min(start, len(text)), len(text)
    found = prefix_matches(SIGNS, ("tel", "e-mail", "universität", "@"), text, start, end, text[start:end].lower())
    assert [match.span() for match in found] == [match.span() for match in SIGNS.finditer(text, start, end)]


GLUED = "Dr Dr. Prof Prof. Herr Herrn Frau Hr. Fr. OA OÄ Müller weber Ää r rr ä . ² \u2003 Ш M ü".split(" ")


def edits_by_expressions(text: str) -> set[normalisation.Edit]:
    found: set[normalisation.Edit] = set()
    for introducing in INTRODUCING.finditer(text):
        start, end = introducing.span()
        if normalisation._GLUED_BEFORE.match(text, start):
            found.add((start, start, " "))
        if not text[start - 1 : start].isalpha() and normalisation._GLUED_BEHIND.match(text, end):
            found.add((end, end, " "))
    return found


@given(st.lists(st.tuples(st.sampled_from(GLUED), st.sampled_from(["", "", " ", "\n"])), max_size=10))
def test_missing_blanks_and_letter_spaced_words(pieces: list[tuple[str, str]]) -> None:
    text = "".join(word + gap for word, gap in pieces)
    shape = text.encode("latin-1", "replace").translate(normalisation._SHAPES)
    beyond = characters_beyond(text, normalisation._LATIN_1)
    if normalisation._SPACED_LETTERS.search(text):
        assert normalisation._may_have_spaced_letters(shape, beyond)
    edits = list(normalisation._inside_words(text, beyond))
    assert {edit for edit in edits if edit[2]} == edits_by_expressions(text)
    assert len(set(edits)) == len(edits)


@given(st.text(), st.sampled_from([0x7F, 0xFF]))
def test_distinct_characters_beyond_a_code_point(text: str, last: int) -> None:
    assert sorted(characters_beyond(text, last)) == sorted({one for one in text if ord(one) > last})


@given(st.text("|*ab \t\n-:", max_size=40))
@example("| a | b |\n|--|--|\n a | b |\t\n|a|")
@example("  * ab\n* jan\nx * ab\n** ab\n\t*\tba")
def test_rows_and_bullets(text: str) -> None:
    assert [row.span() for row in markup._rows(text)] == [row.span() for row in ROW.finditer(text)]
    bullets = {(*star.span(1), "-") for star in BULLET.finditer(text)}
    apart = {edit for edit in markup.markup(text) if edit[2] == "-"}
    assert apart <= bullets
    assert bullets - apart == set() or "**" in text or "|" in text


@given(st.lists(st.integers(0, 160), max_size=14), st.booleans())
def test_a_note_without_a_width_is_quick_to_see(lengths: list[int], lower: bool) -> None:
    lines = [("ab " * length)[:length].rstrip() if lower else ("Ab " * length)[:length].rstrip() for length in lengths]
    ends = unwrap._ends(lines)
    if not unwrap._may_have_width(lines):
        assert not unwrap._forced_by(0, unwrap._SMALL, ends, lines)
        assert not unwrap._forced_by(unwrap._RAGGED, unwrap._SMALL_BY_HAND, ends, lines)
    assert unwrapped_alike(lines)


def unwrapped_alike(lines: list[str]) -> bool:
    """Whether the result has the length of the text."""
    text = "\n".join(lines)
    return len(unwrap.unwrapped(Note("n", text)).text) == len(text)


SECTION = re.compile(rf"^[ \t]*(?:{alternatives('letterhead/section-headings')})\b", re.IGNORECASE | re.MULTILINE)


@given(st.lists(st.sampled_from("Diagnosen diagnose Befund Befunde: xBefund \n \t Therapie a".split(" ")), max_size=8))
def test_the_first_heading_ends_the_header(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = SECTION.search(text)
    assert header_end.header_end(Note("n", text)) == (found.start() if found else 0)
