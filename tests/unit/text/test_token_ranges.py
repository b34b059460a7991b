"""Tokens of a range: those wholly in it, those it touches, and those of a type."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.note import Note
from deid_core.text.document import Document
from deid_core.text.token_ranges import having, inside, token_ranges, touched_tokens
from deid_core.text.vocabulary import Vocabulary

TEXT = "Herr Dr. Stein, geb. 1.2.1950\nkam aus Ulm nach Ulm."


def document() -> Document:
    vocabulary = Vocabulary()
    return Document(Note("n", TEXT), vocabulary.tokenise(TEXT), vocabulary)


@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(1, len(TEXT))).map(lambda r: (min(r), max(r) + 1))))
def test_tokens_inside_and_touched_are_those_that_their_offsets_say(ranges: list[tuple[int, int]]) -> None:
    of = document()
    tokens = list(zip(of.tokens.starts.tolist(), of.tokens.ends.tolist(), strict=True))
    wholly = [[start <= first and last <= end for first, last in tokens] for start, end in ranges]
    for (first, behind), expected in zip(token_ranges(of, ranges), wholly, strict=True):
        assert [first <= number < behind for number in range(len(tokens))] == expected
    assert inside(of, ranges).tolist() == [any(column) for column in zip(*wholly, strict=True)] or not ranges
    starts, ends = (np.array([r[side] for r in ranges], np.int32) for side in (0, 1))
    for (first, behind), (start, end) in zip(touched_tokens(of, starts, ends).tolist(), ranges, strict=True):
        assert [first <= n < behind for n in range(len(tokens))] == [a < end and start < b for a, b in tokens]


def test_tokens_of_a_type_come_in_the_order_of_the_text() -> None:
    of = document()
    ulm, herr = of.vocabulary.number("Ulm"), of.vocabulary.number("Herr")
    found = list(having(of, np.array([ulm, herr], np.int32)))
    words = [TEXT[of.tokens.starts[token] : of.tokens.ends[token]] for token, _ in found]
    assert words == ["Herr", "Ulm", "Ulm"]
    assert [number for _, number in found] == [herr, ulm, ulm]
