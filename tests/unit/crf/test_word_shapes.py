"""Shapes: what is left of a word when its letters are forgotten."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.crf.features.word_families import short_shapes, stanford_shapes
from deid_core.crf.features.word_shapes import abstract_shape, orthography

LETTERS = st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("word", "stanford", "short", "abstract"),
    [
        ("Maria", "Xxxxx", "Xx", "Aaaaa"),
        ("EKG", "XXX", "X", "AAA"),
        ("12.03.2010", "dd.ddd", "d.d.d", "##.##.####"),
        ("7534-Df", "dd-dXx", "d-Xx", "####-Aa"),
        ("Müller-Lüdenscheid", "Xx-Xxxx", "Xx-Xx", "Aaaaaa-Aaaaa"),
        ("", "", "", ""),
    ],
)
def test_shapes_of_usual_words(word: str, stanford: str, short: str, abstract: str) -> None:
    assert (*stanford_shapes((word,)), *short_shapes((word,)), abstract_shape(word)) == (stanford, short, abstract)


@given(LETTERS)
def test_words_that_differ_in_letters_alone_have_one_shape(word: str) -> None:
    other = "".join("7" if c.isdigit() else "Q" if c.isupper() else "q" for c in word)
    (stanford, other_stanford), (short, other_short) = stanford_shapes((word, other)), short_shapes((word, other))
    assert (stanford, short) == (other_stanford, other_short)
    assert abstract_shape(word) == abstract_shape(other)


@given(LETTERS)
def test_stanford_shapes_are_few(word: str) -> None:
    (shape,) = stanford_shapes((word,))
    assert len(shape) <= 4 + len({"X", "x", "d"})


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("AOK", ("all_capitals", "capitalised")),
        ("Öl", ("capitalised", "not_ascii")),
        ("McDonald", ("capitalised", "inner_capital")),
        ("L4/5", ("all_capitals", "capitalised", "digit", "punctuation")),
        ("und", ()),
    ],
)
def test_orthography(word: str, expected: tuple[str, ...]) -> None:
    assert set(orthography(word)) == set(expected)
