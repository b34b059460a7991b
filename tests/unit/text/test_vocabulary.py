"""What tables by word type are made with."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deid_core.text.arrays import code_points
from deid_core.text.tokens import TooManyNewWords
from deid_core.text.vocabulary import MAX_WORD_CHARS, TypeFeature, Vocabulary


@given(st.text(st.characters()))
@example("")
@example("a\0")
@example("\ud800")
def test_code_points(text: str) -> None:
    codes = code_points(text)
    assert (codes.dtype, codes.tolist()) == (np.uint32, list(map(ord, text)))


@pytest.mark.parametrize("word", ["a", "A-", "1.", "1/", "Ab", "ä̈", "0123456789abcdef"])
def test_a_token_without_end_costs_no_more_than_a_word(word: str) -> None:
    """What recognisers compute once per type sees its first characters; the token is whole."""
    vocabulary, text = Vocabulary(), f"Herr Müller {word * 100_000}"
    tokens = vocabulary.tokenise(text)
    assert vocabulary.characters < 50 * MAX_WORD_CHARS
    assert tokens.ends.max() == len(text)


def test_too_many_new_words_are_not_numbered() -> None:
    vocabulary, text = Vocabulary(), " ".join(f"Wort{n}" for n in range(100))
    with pytest.raises(TooManyNewWords):
        vocabulary.tokenise(text, max_new=99)
    assert len(vocabulary) <= 1
    assert len(vocabulary.tokenise(text, max_new=100)) == 100
    assert len(vocabulary.tokenise(text, max_new=0)) == 100


def test_a_known_word_is_computed_once() -> None:
    vocabulary, computed = Vocabulary(), list[str]()

    def length(word: str) -> int:
        computed.append(word)
        return len(word)

    feature = TypeFeature(vocabulary, length)
    types = vocabulary.tokenise("eine kleine Geschichte").types
    assert feature.of("eine") == 4
    assert feature.gather(types).tolist() == [4, 6, 10]
    computed.clear()
    assert [feature.of(word) for word in ("eine", "Geschichte", "neu")] == [4, 10, 3]
    assert computed == ["neu"]
