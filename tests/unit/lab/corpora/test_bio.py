"""Spans to BIO2 tags and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.lab.corpora import LabelledSpan
from deid_core.lab.corpora.bio import chunks, spans_of, tags
from deid_core.text.vocabulary import Vocabulary

TEXT = "Frau Anna Vogel-Klein kam am 3.4.2010 aus Ulm."
TOKENS = Vocabulary().tokenise(TEXT)


def at(part: str, label: str) -> LabelledSpan:
    return LabelledSpan(TEXT.index(part), TEXT.index(part) + len(part), label)


def test_spans_become_bio2_tags() -> None:
    found = tags(TOKENS, [at("Ulm", "LOC"), at("Anna Vogel-Klein", "PER")])
    assert found == ["O", "B-PER", "I-PER", "O", "O", "O", "O", "B-LOC", "O"]


def test_a_token_that_a_span_touches_belongs_to_it() -> None:
    assert tags(TOKENS, [at("Klein", "PER")])[2] == "B-PER"


def test_adjacent_entities_of_one_label_stay_separate() -> None:
    spans = (at("Anna", "PER"), at("Vogel-Klein", "PER"))
    assert spans_of(TOKENS, tags(TOKENS, spans)) == spans


def test_overlapping_spans_give_the_token_to_the_first_then_the_longer() -> None:
    found = tags(TOKENS, [at("Anna Vogel-Klein", "PER"), at("Frau Anna", "TITLE"), at("Frau", "SALUTE")])
    assert found[:3] == ["B-TITLE", "I-TITLE", "B-PER"]


def test_a_span_between_tokens_has_no_tag() -> None:
    assert set(tags(TOKENS, [LabelledSpan(4, 5, "PER")])) == {"O"}


def test_an_i_tag_without_a_predecessor_opens_a_span() -> None:
    found = list(chunks(["I-PER", "I-PER", "I-LOC", "O", "I-LOC", "B-LOC", "S-LOC", "E-PER"]))
    assert found == [(0, 2, "PER"), (2, 3, "LOC"), (4, 5, "LOC"), (5, 6, "LOC"), (6, 7, "LOC"), (7, 8, "PER")]


def test_an_invalid_tag_is_an_error_that_does_not_quote_it() -> None:
    with pytest.raises(ValueError, match="neither O nor B-") as error:
        list(chunks(["O", "Vogel"]))
    assert "Vogel" not in str(error.value)
    with pytest.raises(ValueError, match="1 tags for 9 tokens"):
        spans_of(TOKENS, ["O"])


@given(st.lists(st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]), min_size=9, max_size=9))
def test_tags_round_trip_with_invalid_ones_repaired(found: list[str]) -> None:
    mended = [
        "B" + tag[1:] if tag[0] == "I" and before[1:] != tag[1:] else tag
        for before, tag in zip(["O", *found], found, strict=False)
    ]
    assert tags(TOKENS, spans_of(TOKENS, found)) == mended
    assert spans_of(TOKENS, mended) == spans_of(TOKENS, found)
