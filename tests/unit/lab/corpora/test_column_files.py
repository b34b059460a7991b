"""Column files: CoNLL and GermEval, with columns in any order."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from corpus_strategies import CRITICAL, annotated_texts
from hypothesis import given

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.bio import chunks, tags
from deid_core.lab.corpora.conll import read_conll, write_conll
from deid_core.lab.corpora.germeval import read_germeval
from deid_core.text.vocabulary import Vocabulary

CASES = Path(__file__).resolve().parents[3] / "cases" / "corpora"


def entities(text: AnnotatedText) -> list[tuple[str, str]]:
    return [(text.text[span.start : span.end], span.label) for span in text.spans]


def test_iob1_and_documents_of_conll_2003() -> None:
    first, second = read_conll(CASES / "iob1.conll", tag=3)
    assert first.text == "Anna Stein Otto traf in Ulm #"
    assert entities(first) == [("Anna Stein", "PER"), ("Otto", "PER"), ("Ulm", "LOC")]
    assert entities(second) == [("Vogel", "PER")]
    assert (first.id, second.id) == ("iob1:3", "brief-7:13")


def test_index_column_and_tokens_that_look_like_comments() -> None:
    texts = read_conll(CASES / "comments.iob2", word=1, tag=2, comment=r"# (newdoc id = (?P<document>\S+))?")
    assert [(text.id, text.text) for text in texts] == [("d1:4", "# Anna kam"), ("d1:9", "Ulm")]


def test_only_listed_errors_are_repaired() -> None:
    repairs = {"B-LOCer": "B-LOC", "B_PER": "B-PER", "": "O"}
    options = {"comment": r"# file:\s+(?P<document>\S+)", "words_with_blanks": True}
    (text,) = read_conll(CASES / "slips.bio", **options, repairs=repairs)
    assert text.id == "seite-3:2"
    assert text.text == "Neu Ulm # Anna Vogel kam"
    assert entities(text) == [("Neu Ulm", "LOC"), ("Anna Vogel", "PER")]
    with pytest.raises(ConfigurationError) as error:
        read_conll(CASES / "slips.bio", **options)
    assert [problem.split(":")[1] for problem in error.value.problems] == ["4", "6"]


def test_every_bad_line_is_named_and_none_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "bad.conll"
    path.write_text("Anna B-PER\nVogel Geheim\nkam\nin der O\n\nUlm B-\n\tO\n")
    with pytest.raises(ConfigurationError) as error:
        read_conll(path)
    assert [problem.split(":")[1] for problem in error.value.problems] == ["2", "3", "4", "6", "7"]
    assert not any(word in str(error.value) for word in ("Vogel", "Geheim", "kam", "der", "Ulm"))


def test_an_invalid_comment_expression_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="comment: is not a regular expression"):
        read_conll(CASES / "slips.bio", comment="(")


def test_germeval_is_read_with_outer_names_only() -> None:
    first, second = read_germeval(CASES / "nested.tsv")
    assert (first.id, second.id) == ("http://beispiel.example/1:2", "http://beispiel.example/2:10")
    assert entities(first) == [("Klinikum Ulm", "ORG"), ("Anna Vogel", "PER")]
    assert entities(second) == [("Ulm", "LOC")]


def test_germeval_with_derived_entities() -> None:
    first, _ = read_germeval(CASES / "nested.tsv", derived=True)
    assert entities(first) == [
        ("Klinikum Ulm", "ORG"),
        ("Ulmer", "LOCderiv"),
        ("Vogel-Klinik", "PERpart"),
        ("Anna Vogel", "PER"),
    ]


def test_two_columns_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "notes.conll"
    notes = [
        AnnotatedText("a", "Frau Anna Stein,\nUlm.", (LabelledSpan(5, 15, "PER"), LabelledSpan(17, 20, "LOC"))),
        AnnotatedText("b", " ", ()),
        AnnotatedText("c d", "Otto", (LabelledSpan(1, 4, "PER"),)),
    ]
    write_conll(path, notes)
    assert path.read_text() == (
        "-DOCSTART- a\n\nFrau O\nAnna B-PER\nStein I-PER\n, O\nUlm B-LOC\n. O\n\n-DOCSTART- c%20d\n\nOtto B-PER\n\n"
    )
    first, second = read_conll(path)
    assert (first.id, second.id) == ("a:3", "c%20d:12")
    assert first.text == "Frau Anna Stein , Ulm ."
    assert entities(first) == [("Anna Stein", "PER"), ("Ulm", "LOC")]
    assert entities(second) == [("Otto", "PER")]


@given(annotated_texts(labels="".join(character for character in CRITICAL if not character.isspace())))
def test_tokens_and_the_spans_of_whole_tokens_round_trip(text: AnnotatedText) -> None:
    tokens = Vocabulary().tokenise(text.text)
    words = [text.text[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)]
    whole = [(" ".join(words[start:end]), label) for start, end, label in chunks(tags(tokens, text.spans))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "note.conll"
        write_conll(path, [text])
        read = read_conll(path)
    assert [part.text for part in read] == ([" ".join(words)] if words else [])
    assert [found for part in read for found in entities(part)] == whole
