"""What the canonical text changes in a text: line ends and characters that no text has, nothing else."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import BlockKind
from deid_core.core.spans import Span
from deid_core.readers.canonical import CanonicalBuilder, clean, in_given_text
from deid_core.text.salutation import SALUTATION, STEMS


def test_every_character_alone_and_in_a_word() -> None:
    lines = {"\n", "\r", "\v", "\f"}
    for number in range(0x110000):
        character = chr(number)
        if character in lines:
            expected = "\n"
        elif number in (0xFFFE, 0xFFFF) or 0xE0000 <= number < 0xE0080:
            expected = ""
        elif number < 0x80 or 0xD800 <= number < 0xE000:
            expected = "" if unicodedata.category(character) in ("Cc", "Cs") and character != "\t" else character
        else:
            expected = character
        assert (clean(character), clean(f"ä{character}b")) == (expected, f"ä{expected}b"), number


@given(st.lists(st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"))))
def test_line_ends_of_all_systems_are_one(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert clean("\r\n".join(lines)) == clean("\r".join(lines)) == clean(text) == text


@given(st.text("aä\t\n\r\v\0\x7f\ud800\U000e0041", max_size=12))
def test_every_range_of_the_canonical_text_has_its_place_in_the_given_one(text: str) -> None:
    kept = clean(text)
    places = [(start, end) for end in range(1, len(kept) + 1) for start in range(end)]
    spans = [Span(*place, Label.PER, PhiType.PERSON, "crf", "r") for place in places]
    for (start, end), span in zip(places, in_given_text(text, spans), strict=True):
        assert clean(text[span.start : span.end]) == kept[start:end]


def test_the_salutation_s_stems_have_no_other_upper_case() -> None:
    """`SALUTATION` ignores case; the search for its stems that comes before it must not be stricter."""
    everything = "".join(map(chr, range(0x110000)))
    letters = set("".join(STEMS))
    found = set(re.findall(f"[{''.join(sorted(letters))}]", everything, re.IGNORECASE))
    assert {character.lower() for character in found} == letters
    assert len(found) == 2 * len(letters)


def test_the_salutation_begins_with_any_form_of_its_first_letter() -> None:
    """The class of first letters does not ignore case, so it lists what `re` takes for equal."""
    for rest in ("sehr geehrte", "liebe Frau", "guten Tag"):
        forms = [c for c in map(chr, range(0x110000)) if re.match(rest[0], c, re.IGNORECASE)]
        assert [c for c in map(chr, range(0x110000)) if SALUTATION.match(c + rest[1:])] == forms
    assert not SALUTATION.search("Unsehr geehrte")


@pytest.mark.parametrize(
    "salutation",
    [
        "Sehr geehrte Kollegen,", "SEHR  VEREHRTE Frau Rot,", "ſehr geehrter Herr Grün,", "Liebe Kollegin,",
        "lieber\u00a0Herr Blau,", "Grüß Gott und guten Tag,",
    ],
)  # fmt: skip
def test_tables_before_the_salutation_are_the_header(salutation: str) -> None:
    builder = CanonicalBuilder()
    builder.add(BlockKind.PARAGRAPH, "Mehr Leber, guter Tag")
    for number, text in enumerate(("An", "Hb")):
        builder.add_row([text], table=number, row=0)
        builder.add(BlockKind.PARAGRAPH, salutation)
    kinds = [block.kind for block in builder.build("n").blocks]
    assert kinds[1::2] == [BlockKind.HEADER_CELL, BlockKind.TABLE_CELL]


def test_no_hidden_text_stays() -> None:
    """Tag characters: ASCII that nobody sees, and that anybody can decode."""
    hidden = "".join(chr(0xE0000 + ord(character)) for character in "Mueller")
    assert clean(f"Diagnose{hidden} Weber") == "Diagnose Weber"
