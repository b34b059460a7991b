"""`deid letters export`: the formats that other tools read, read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.cli import main
from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ExitCode
from deid_core.lab.corpora import read_corpus


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three train letters."""
    path = tmp_path / "mine" / "few"
    path.mkdir(parents=True)
    for file in sorted((letters_dir() / "train/long").glob("*.txt"))[:3]:
        (path / file.name).write_bytes(file.read_bytes())
    return path


@pytest.mark.parametrize(
    ("format", "name"),
    [("jsonl", "mine-few.jsonl"), ("cas", "mine-few"), ("webanno", "mine-few"), ("brat", "mine-few")],
)
def test_an_export_read_back_has_the_same_texts_and_spans(tmp_path: Path, folder: Path, format: str, name: str) -> None:
    if format == "cas":
        pytest.importorskip("cassis", reason="needs the extra 'lab'")
    out = tmp_path / "out"
    assert (
        main(["letters", "export", "--input", str(folder), "--format", format, "--output", str(out)]) == ExitCode.DONE
    )
    assert read_corpus(out / name, format) == read_corpus(folder, "letters")


def test_conll_has_a_token_and_a_tag_a_line_and_types_if_asked(tmp_path: Path, folder: Path) -> None:
    arguments = ["letters", "export", "--input", str(folder), "--format", "conll", "--output", str(tmp_path), "--types"]
    assert main(arguments) == ExitCode.DONE
    tags = {tag for text in read_corpus(tmp_path / "mine-few.conll") for tag in {span.label for span in text.spans}}
    assert {"patient", "clinician", "date"} <= tags


def test_test_letters_are_exported_only_if_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = str(letters_dir() / "test/mixed")
    arguments = ["letters", "export", "--input", part, "--format", "jsonl", "--output", str(tmp_path / "out")]
    assert main(arguments) == ExitCode.USAGE
    assert "give --test to export them" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
