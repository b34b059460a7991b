"""brat standoff: files that brat writes, and texts that read back unchanged."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from corpus_strategies import CRITICAL, annotated_texts
from hypothesis import given

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.brat import read_brat, write_brat

NOT_BLANK = "".join(character for character in CRITICAL if not character.isspace())


@given(annotated_texts(labels=NOT_BLANK))
def test_writing_and_reading_round_trips(text: AnnotatedText) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "note.ann"
        write_brat(path, text)
        assert read_brat(path) == [text]
        # As brat reads it: a line of the file is a line of `splitlines`.
        assert len(path.read_text(encoding="utf-8").splitlines()) == len(text.spans)


def test_the_written_file_has_the_documented_format(tmp_path: Path) -> None:
    text = AnnotatedText(
        "a", "\U0001f600 Anna Stein,\r\nUlm\nBahnhof", (LabelledSpan(2, 12, "PER"), LabelledSpan(15, 26, "LOC"))
    )
    write_brat(tmp_path / "a.b.ann", text)
    assert (tmp_path / "a.b.ann").read_text() == "T1\tPER 2 12\tAnna Stein\nT2\tLOC 15 18;19 26\tUlm Bahnhof\n"
    assert (tmp_path / "a.b.txt").read_bytes().decode() == text.text


def test_other_lines_are_not_read_and_fragments_with_text_between_are_spans(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Anna und Otto Vogel kamen")
    (tmp_path / "a.ann").write_text(
        "T1\tPER 0 4;14 19\tAnna Vogel\nT2\tPER 9 19\tOtto Vogel\n"
        "R1\tKin Arg1:T1 Arg2:T2\t\nA1\tSure T1\n#1\tAnnotatorNotes T1\tvielleicht\n*\tEquiv T1 T2\n"
    )
    (text,) = read_brat(tmp_path / "a.ann")
    assert [(text.text[s.start : s.end], s.label) for s in text.spans] == [
        ("Anna", "PER"),
        ("Otto Vogel", "PER"),
        ("Vogel", "PER"),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("T1\tPER 0 6", "is not a line of brat"),
        ("T1 PER 0 6 Geheim", "is not a line of brat"),
        ("T1\tPER 0 7\tGeheim", "outside the text of 6 characters"),
        ("T1\tPER 3 3\tGeheim", "outside the text"),
        ("T1\tPER 1 6\tGeheim", "the annotated text is not at its offsets in a.txt"),
    ],
)
def test_bad_lines_are_named_and_not_quoted(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "a.txt").write_text("Geheim")
    (tmp_path / "a.ann").write_text(f"T9\tPER 0 6\tGeheim\n{line}\n")
    with pytest.raises(ConfigurationError) as error:
        read_brat(tmp_path / "a.ann")
    assert [part.split(":")[1] for part in error.value.problems] == ["2"]
    assert problem in error.value.problems[0] and "Geheim" not in str(error.value)


def test_a_missing_text_and_one_that_is_no_utf8_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_text("")
    with pytest.raises(ConfigurationError, match=r"a.txt: the text of a.ann cannot be read: No such file"):
        read_brat(tmp_path / "a.ann")
    (tmp_path / "a.txt").write_bytes("Mätzler".encode("cp1252"))
    with pytest.raises(ConfigurationError, match=r"a.txt: is not UTF-8: byte 1"):
        read_brat(tmp_path / "a.ann")


def test_what_brat_cannot_hold_is_refused_before_a_file_is_written(tmp_path: Path) -> None:
    text = AnnotatedText("a", "Ulm\n\nGeheim", (LabelledSpan(3, 5, "LOC"), LabelledSpan(5, 11, "a b")))
    with pytest.raises(ConfigurationError) as error:
        write_brat(tmp_path / "a.ann", text)
    line_ends, label = error.value.problems
    assert "[3, 5) holds nothing but line ends" in line_ends and "the label of span [5, 11) has a blank" in label
    assert list(tmp_path.iterdir()) == []
