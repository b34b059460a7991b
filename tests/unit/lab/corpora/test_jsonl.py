"""JSON lines: strict reading and lossless writing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from corpus_strategies import annotated_texts
from hypothesis import given

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.jsonl import read_jsonl, write_jsonl


def test_all_errors_of_a_file_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(
        '{"id": "a", "text": "Ulm", "spans": [{"start": 0, "end": 9, "label": "LOC"}]}\n'
        "not json\n"
        '{"id": "b", "text": "Ulm", "spans": [{"start": 0, "end": 3, "label": "CITY"}]}\n'
        '{"id": "c", "text": "Geheim"}\n'
        "[]\n"
        '{"id": "d", "text": "Ulm", "spans": []}\n\n'
        '{"id": "d", "text": "Ulm", "spans": []}\n'
    )
    with pytest.raises(ConfigurationError) as error:
        read_jsonl(path)
    assert [problem.split(":")[1] for problem in error.value.problems] == ["1", "2", "3", "4", "5", "8"]
    assert "Geheim" not in str(error.value)


def test_labels_of_another_scheme_are_allowed_on_request(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": 7, "text": "Ulm", "spans": [{"start": 0, "end": 3, "label": "CITY", "score": 1}]}\n')
    assert read_jsonl(path, labels=None) == [AnnotatedText("7", "Ulm", (LabelledSpan(0, 3, "CITY"),))]


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b"\xe4")
    with pytest.raises(ConfigurationError, match="is not UTF-8: byte 0"):
        read_jsonl(tmp_path / "latin.jsonl")
    with pytest.raises(ConfigurationError, match="cannot be read: No such file"):
        read_jsonl(tmp_path / "none.jsonl")


@given(annotated_texts())
def test_writing_and_reading_round_trips(text: AnnotatedText) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notes.jsonl"
        write_jsonl(path, [text])
        assert read_jsonl(path, labels=None) == [text]
