"""The plain form of a text: replacements, and the way back from every offset to the raw text."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.recognisers.pattern.plain_text import plain_text
from deid_core.text.vocabulary import Vocabulary

ODD = st.text("abÄö1 .-\u00a0\u202f\u2028\u00ad\u200b\u200d\u2011\u2013\u0308\u0301\ufeff", max_size=40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("am 12.3.2010", "am 12.3.2010"),
        ("Größe 5", "Größe 5"),
        ("12\u20113\u20132010\u00a0\u202fUhr", "12-3-2010  Uhr"),
        ("a\u2028b", "a\nb"),
        ("Ma\u0308rz", "März"),
        ("Thor\u00adwald\u2060sen", "Thorwaldsen"),
        ("Herr\u200bKnarz Knar\u200bzig\u200b", "Herr Knarz Knarzig"),
        ("\u0308a", "\u0308a"),
        ("", ""),
    ],
)
def test_plain_form(text: str, expected: str) -> None:
    assert plain_text(text).text == expected


def test_a_plain_text_keeps_its_offsets() -> None:
    plain = plain_text("am 12\u20113\u20112010")
    assert plain.starts is None
    assert plain.to_raw(3, 12) == (3, 12)


def test_offsets_lead_to_the_raw_text() -> None:
    text = "Fu\u0308r Thor\u00adwaldsen"
    plain = plain_text(text)
    start = plain.text.index("Thor")
    assert text[slice(*plain.to_raw(start, start + 11))] == "Thor\u00adwaldsen"
    assert text[slice(*plain.to_raw(0, 3))] == "Fu\u0308r"


@given(st.one_of(st.text(max_size=40), ODD))
def test_invariants(text: str) -> None:
    plain = plain_text(text)
    for at in range(len(plain.text)):
        start, end = plain.to_raw(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert plain.to_raw(0, at + 1) == (plain.to_raw(0, 1)[0], end)
    vocabulary = Vocabulary()
    tokens = vocabulary.tokenise(text)
    for place, number in zip(plain.from_raw(tokens.starts).tolist(), tokens.types.tolist(), strict=True):
        word = vocabulary.words[number]
        assert len(word) == 1 or plain.text.startswith(word, place)


@given(st.text("aouAOU bc.", max_size=30))
def test_decomposed_text_equals_composed_text(text: str) -> None:
    marked = "".join(c + "\u0308" if c in "aouAOU" else c for c in text)
    plain = plain_text(marked)
    assert plain.text == unicodedata.normalize("NFC", marked)
    assert np.all(np.diff(plain.starts) >= 0) if plain.starts is not None else marked == text
