"""Tokens within ranges, tokens that overlap a range, and tokens of a type."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.note import Note
from deid_core.text.document import Document
from deid_core.text.token_ranges import is_within, overlapping_tokens, token_ranges, tokens_of_types
from deid_core.text.vocabulary import Vocabulary

TEXT = "Herr Dr. Stein, geb. 1.2.1950\nkam aus Ulm nach Ulm."


def document() -> Document:
    vocabulary = Vocabulary()
    return Document(Note("n", TEXT), vocabulary.tokenise(TEXT), vocabulary)


@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(1, len(TEXT))).map(lambda r: (min(r), max(r) + 1))))
def test_tokens_within_and_overlapping_ranges_agree_with_their_offsets(ranges: list[tuple[int, int]]) -> None:
    of = document()
    tokens = list(zip(of.tokens.starts.tolist(), of.tokens.ends.tolist(), strict=True))
    wholly = [[start <= a and b <= end for a, b in tokens] for start, end in ranges]
    for (start_token, end_token), expected in zip(token_ranges(of, ranges), wholly, strict=True):
        assert [start_token <= number < end_token for number in range(len(tokens))] == expected
    assert is_within(of, ranges).tolist() == [any(column) for column in zip(*wholly, strict=True)] or not ranges
    starts, ends = (np.array([r[side] for r in ranges], np.int32) for side in (0, 1))
    for (start_token, end_token), (start, end) in zip(
        overlapping_tokens(of, starts, ends).tolist(), ranges, strict=True
    ):
        assert [start_token <= n < end_token for n in range(len(tokens))] == [a < end and start < b for a, b in tokens]


def test_tokens_of_a_type_come_in_the_order_of_the_text() -> None:
    of = document()
    ulm, herr = of.vocabulary.number("Ulm"), of.vocabulary.number("Herr")
    found = list(tokens_of_types(of, np.array([ulm, herr], np.int32)))
    words = [TEXT[of.tokens.starts[token] : of.tokens.ends[token]] for token, _ in found]
    assert words == ["Herr", "Ulm", "Ulm"]
    assert [number for _, number in found] == [herr, ulm, ulm]
