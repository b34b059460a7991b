"""Sentences joined to texts of about N tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deid_core.lab.corpora import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.bio import chunks
from deid_core.lab.corpora.joining import Sentence, join_texts, texts_of


def sentence(name: str, *pairs: str) -> Sentence:
    """A sentence of "word/tag" strings."""
    words, tags = zip(*(pair.split("/") for pair in pairs), strict=True)
    return Sentence(name, words, tuple(chunks(tags)))


def entities(text: AnnotatedText) -> list[tuple[str, str]]:
    return [(text.text[span.start : span.end], span.label) for span in text.spans]


FIRST = sentence("a", "Anna/B-PER", "Vogel/I-PER", "kam/O", "./O")
SECOND = sentence("b", "Ulm/B-LOC", "ist/O", "schön/O")


def test_sentences_alone_and_joined() -> None:
    assert [text.text for text in texts_of([FIRST, SECOND], None)] == ["Anna Vogel kam .", "Ulm ist schön"]
    (joined,) = texts_of([FIRST, SECOND], 7)
    assert (joined.id, joined.text) == ("a", "Anna Vogel kam . Ulm ist schön")
    assert entities(joined) == [("Anna Vogel", "PER"), ("Ulm", "LOC")]
    assert len(texts_of([FIRST, SECOND], 6)) == 2


def test_a_long_sentence_is_cut_after_a_full_stop_if_there_is_one() -> None:
    long = sentence("a", "a/O", "b/O", "./O", "c/O", "d/O", "e/O")
    assert [text.text for text in texts_of([long], 5)] == ["a b .", "c d e"]
    assert [text.text for text in texts_of([long], 2)] == ["a b", ". c", "d e"]


def test_no_entity_is_cut() -> None:
    long = sentence("a", "a/O", "b/B-PER", "c/I-PER", "d/I-PER", "e/O")
    assert [text.text for text in texts_of([long], 2)] == ["a", "b c d", "e"]
    assert [text.id for text in texts_of([long], 2)] == ["a", "a+1", "a+4"]


def test_texts_are_joined_and_their_spans_shifted() -> None:
    texts = [
        AnnotatedText("a", "Anna kam", (LabelledSpan(0, 4, "PER"),)),
        AnnotatedText("b", "aus Ulm", (LabelledSpan(4, 7, "LOC"),)),
        AnnotatedText("c", "und ging nach Aalen am Kocher", (LabelledSpan(14, 19, "LOC"),)),
        AnnotatedText("d", "gern", ()),
    ]
    joined = join_texts(texts, 4)
    assert [(text.id, text.text) for text in joined] == [("a", "Anna kam aus Ulm"), ("c", texts[2].text), ("d", "gern")]
    assert entities(joined[0]) == [("Anna", "PER"), ("Ulm", "LOC")]
    assert joined[1] == texts[2]
    assert join_texts([], 4) == []


TAG = st.sampled_from(["O", "O", "B-PER", "I-PER", "I-LOC"])


ROWS = st.lists(st.lists(st.tuples(st.sampled_from(["ab", "c", "."]), TAG), min_size=1, max_size=12), max_size=6)
Rows = list[list[tuple[str, str]]]


def sentences_of(rows: Rows) -> list[Sentence]:
    return [sentence(str(n), *(f"{word}/{tag}" for word, tag in row)) for n, row in enumerate(rows)]


@given(ROWS, st.integers(1, 9))
def test_joining_loses_no_word_and_no_entity(rows: Rows, limit: int) -> None:
    sentences = sentences_of(rows)
    joined = texts_of(sentences, limit)
    alone = texts_of(sentences, None)
    assert " ".join(text.text for text in joined) == " ".join(text.text for text in alone)
    assert [e for text in joined for e in entities(text)] == [e for text in alone for e in entities(text)]
    longest = max((end - start for s in sentences for start, end, _ in s.entities), default=1)
    assert all(len(text.text.split(" ")) <= max(limit, longest) for text in joined)
    assert len({text.id for text in joined}) == len(joined)


@given(ROWS, st.integers(12, 30))
def test_texts_are_joined_as_their_sentences_are(rows: Rows, limit: int) -> None:
    sentences = sentences_of(rows)
    assert join_texts(texts_of(sentences, None), limit) == texts_of(sentences, limit)
