"""Features of the subtype classifier: independent of the vocabulary's history, and never out of bounds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import PhiType, label_of
from deid_core.core.note import Note
from deid_core.core.spans import Span
from deid_core.ensemble.subtype.classifier import SpanReader
from deid_core.ensemble.subtype.subtype_features import _MAX_FEATURES, SLOTS, TYPES, SubtypeFeatures, Symbols, _collect
from deid_core.text.document import Document
from deid_core.text.token_ranges import overlapping_tokens
from deid_core.text.vocabulary import Vocabulary


def document(text: str, before: str = "") -> Document:
    vocabulary = Vocabulary()
    vocabulary.tokenise(before)
    return Document(Note("n", text), vocabulary.tokenise(text), vocabulary)


def span(text: str, words: str, phi: PhiType) -> Span:
    start = text.index(words)
    return Span(start, start + len(words), label_of(phi), phi, "pattern", "rule", 1.0)


def read(of: Document, spans: list[Span]) -> list[set[tuple[str, str]]]:
    """Return the features of each chosen span by name."""
    names: list[str] = ["(none)"]

    def number_of(symbol: str) -> int:
        if symbol not in names:
            names.append(symbol)
        return names.index(symbol)

    found = _facts(of, spans, Symbols(number_of, of.vocabulary))
    pairs = list(zip(found.slots.tolist(), found.symbols.tolist(), strict=True))
    bounds = found.bounds.tolist()
    return [{(SLOTS[slot], names[symbol]) for slot, symbol in pairs[begin:end]} for begin, end in pairwise(bounds)]


def _facts(of: Document, spans: list[Span], symbols: Symbols) -> SubtypeFeatures:
    return SpanReader(symbols, of.vocabulary).read(of, spans)[1]


def test_facts_of_a_name_in_a_letter() -> None:
    text = "Befund\nPat.: Herr Jan Muster , Sohn Ole\nEnde der Zeile"
    spans = [
        span(text, "Herr", PhiType.SALUTE),
        span(text, "Jan Muster", PhiType.PERSON),
        span(text, "Ole", PhiType.RELATIVE),
    ]
    of_patient, of_son = read(document(text), spans)
    assert of_patient == {
        ("found by", "pattern rule"), ("type", "<person>"), ("height", "#3"), ("lines below", "#1"), ("words", "#2"),
        ("characters", "#6"), ("first word", "jan"), ("last word", "muster"), ("word", "jan"), ("word", "muster"),
        ("before 1", "<salute>"), ("before 2", ":"), ("before 3", "pat."), ("before", "\n"), ("near before", ":"),
        ("near before", "pat."), ("after 1", ","), ("after 2", "sohn"), ("after", "<relative>"), ("after", "\n"),
        ("line begins", "pat."), ("line above begins", "befund"),
    } - {("before", "\n")}  # fmt: skip
    assert ("before 1", "sohn") in of_son and ("before 3", "<person>") in of_son
    assert ("after 1", "\n") in of_son and ("after 1", "ende") in of_son


def test_words_of_the_line_above_are_told_from_those_of_the_line() -> None:
    text = "Unterschrift\nJan Muster"
    (of_name,) = read(document(text), [span(text, "Jan Muster", PhiType.PERSON)])
    assert {("before 1", "\n"), ("line above 1", "unterschrift")} <= of_name
    assert ("before 1", "unterschrift") not in of_name


WORDS = ["Herr", "Muster", ",", "\n", "geb.", "1.2.1950", "Dr.", "Ulm", "-", "x"]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=40), st.data())
def test_facts_do_not_depend_on_what_the_vocabulary_met_before(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    tokens = document(text).tokens
    if not len(tokens):
        return
    cuts = sorted(data.draw(st.sets(st.integers(0, len(tokens) - 1), max_size=6)))
    types = data.draw(st.lists(st.sampled_from(list(PhiType)), min_size=len(cuts), max_size=len(cuts)))
    spans = [
        Span(int(tokens.starts[at]), int(tokens.ends[at]), label_of(phi), phi, "pattern", "rule", 1.0)
        for at, phi in zip(cuts, types, strict=True)
    ]
    fresh = read(document(text), spans)
    assert fresh == read(document(text, before=" ".join(reversed(WORDS)) + " Neues"), spans)
    assert len(fresh) == sum(span.type in TYPES for span in spans)
    assert all(len(of_span) >= 8 for of_span in fresh)


@pytest.mark.parametrize("mark", ["\n", " "])
def test_there_is_room_for_all_facts(mark: str) -> None:
    """As Python, where numpy refuses what compiled code would write beyond the end."""
    text = mark.join("a b c d e f g Jan Piet Max Ole Kim Muster h i j k l m n".split())
    of, symbols = document(text), Symbols(lambda _: 1, Vocabulary())
    name = mark.join("Jan Piet Max Ole Kim Muster".split())
    start = text.index(name)
    places, kinds = np.array([[start, start + len(name)]], np.int32), np.array([[0, 1, 1]], np.int32)
    touched = overlapping_tokens(of, places[:, 0], places[:, 1])
    slots, numbers = np.empty((2, _MAX_FEATURES), np.int32)
    bounds = np.zeros(2, np.int64)
    _collect.py_func(
        np.ones(len(of.tokens), np.int32), of.tokens.breaks, places, touched, kinds, np.array([0]), len(text),
        symbols.numbers, 1, bounds, slots, numbers,
    )  # fmt: skip
    assert 20 < bounds[1] <= _MAX_FEATURES


def test_words_far_from_a_name_say_nothing() -> None:
    text = "a b c d e f g Jan Piet Max Ole Kim Muster h i j k l m n\n" * 3
    spans = [span(text, "Jan Piet Max Ole Kim Muster", PhiType.PATIENT)]
    (found,) = read(document(text), spans)
    assert {("before", "b"), ("after", "l"), ("word", "ole"), ("words", "#4")} <= found
    assert ("word", "kim") not in found
