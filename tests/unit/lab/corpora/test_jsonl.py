"""JSON lines: strict reading, and writing that loses nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from corpus_strategies import annotated_texts
from hypothesis import given

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.jsonl import read_jsonl, write_jsonl


def test_a_bad_file_gives_all_its_errors(tmp_path: Path) -> None:
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


def test_labels_of_another_scheme_pass_if_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": 7, "text": "Ulm", "spans": [{"start": 0, "end": 3, "label": "CITY", "score": 1}]}\n')
    assert read_jsonl(path, labels=None) == [AnnotatedText("7", "Ulm", (LabelledSpan(0, 3, "CITY"),))]


def test_a_file_that_is_none_names_itself(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b"\xe4")
    with pytest.raises(ConfigurationError, match="is not UTF-8: byte 0"):
        read_jsonl(tmp_path / "latin.jsonl")
    with pytest.raises(ConfigurationError, match="cannot be read: No such file"):
        read_jsonl(tmp_path / "none.jsonl")


@given(annotated_texts())
def test_what_is_written_is_read(text: AnnotatedText) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notes.jsonl"
        write_jsonl(path, [text])
        assert read_jsonl(path, labels=None) == [text]
