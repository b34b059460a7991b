"""Tokens: what is one token, offsets, and that numbers of word types do not matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.tokens import MARK, NUMBER, WORD, Vocabulary, token_kind


def cut(text: str) -> list[str]:
    tokens = Vocabulary().tokenise(text)
    return [text[s:e] for s, e in zip(tokens.starts, tokens.ends, strict=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("geb. am 01.12.1956, wh.", ["geb.", "am", "01.12.1956", ",", "wh."]),
        ("Dr. med. H. Müller-Lüdenscheid", ["Dr.", "med.", "H.", "Müller-Lüdenscheid"]),
        ("Hauptstr. 12a", ["Hauptstr.", "12a"]),
        ("RR 120/80 mmHg.", ["RR", "120/80", "mmHg", "."]),
        ("3,5mg i.v.", ["3,5", "mg", "i.v."]),
        ("06221/56-1234", ["06221/56-1234"]),
        ("O'Brien", ["O'Brien"]),
        ("EF 55%", ["EF", "55", "%"]),
        ("", []),
    ],
)
def test_what_is_one_token(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@given(st.text())
def test_tokens_cover_all_but_blanks_in_order(text: str) -> None:
    tokens = Vocabulary().tokenise(text)
    at = 0
    for start, end in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True):
        assert at <= start < end <= len(text)
        assert text[at:start].strip() == ""
        at = end
    assert text[at:].strip() == ""


@given(st.lists(st.text(max_size=60), min_size=1, max_size=5))
def test_places_do_not_depend_on_what_the_vocabulary_saw(texts: list[str]) -> None:
    used = Vocabulary()
    for text in texts:
        again, fresh = used.tokenise(text), Vocabulary().tokenise(text)
        assert again.starts.tolist() == fresh.starts.tolist()
        assert again.ends.tolist() == fresh.ends.tolist()
        assert [used.words[t] for t in again.types] == [
            text[s:e] for s, e in zip(again.starts, again.ends, strict=True)
        ]


def test_kinds() -> None:
    assert [token_kind(w) for w in ("Herz", "12a", "(")] == [WORD, NUMBER, MARK]
