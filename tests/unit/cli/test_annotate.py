"""`deid annotate` refuses what it cannot read or write by its name: file, line and what to do; exit code 64."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deid_core.cli import main
from deid_core.core.errors import ExitCode

GOOD = json.dumps({"id": "a", "text": "EF 55 %"}).encode()


def annotate(source: Path, output: Path) -> int:
    return main(["annotate", "--input", str(source), "--output", str(output), "--pipeline", "baseline"])


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "b", "text": "Herr Mätzler"}'.encode("cp1252"),
        '{"id": "b", "text": "Herr Mätzler"}'.encode("utf-16"),
        rb'{"id": "b", "text": "Herr M\ud800tzler"}',
        rb'{"id": "\ud800", "text": "Herr Mtzler"}',
        b'{"id": "b", "text": "Herr Mtzler"',
        b'{"id": "b"}',
    ],
)
def test_a_line_that_is_no_note_is_named_and_not_quoted(
    line: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_bytes(GOOD + b"\n\n" + line + b"\n" + GOOD)
    assert annotate(source, tmp_path / "spans.jsonl") == ExitCode.USAGE
    error = capsys.readouterr().err
    assert error.startswith(f"deid annotate: {source}:3: needs a JSON object in UTF-8")
    assert "tzler" not in error
    assert [path.name for path in tmp_path.iterdir()] == ["notes.jsonl"]


def test_input_and_output_that_are_not_there_are_named_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, output = tmp_path / "notes.jsonl", tmp_path / "absent" / "spans.jsonl"
    assert annotate(source, output) == ExitCode.USAGE
    assert capsys.readouterr().err == (
        f"deid annotate: {source}: there is no such file or folder\n{output}: its folder does not exist\n"
    )


def test_an_output_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_bytes(GOOD)
    assert annotate(source, tmp_path) == ExitCode.USAGE
    assert capsys.readouterr().err == f"deid annotate: {tmp_path}: is a folder; name a file\n"
    (tmp_path / "spans.jsonl.part").mkdir()
    assert annotate(source, tmp_path / "spans.jsonl") == ExitCode.USAGE
    assert capsys.readouterr().err == f"deid annotate: {tmp_path}/spans.jsonl.part: cannot be written: Is a directory\n"


@pytest.mark.parametrize("name", ["notes.jsonl", "notes.JSONL", "notes.Jsonl"])
def test_json_lines_are_told_by_their_ending_in_any_case(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(GOOD)
    output = tmp_path / "spans"
    assert annotate(tmp_path / name, output) == ExitCode.DONE
    assert json.loads(output.read_text()) == {"id": "a", "text": "EF 55 %", "spans": []}


@pytest.mark.parametrize("name", ["notes.ndjson", "notes.json", "notes.jsonl.gz", "notes.csv", "notes"])
def test_a_file_with_another_ending_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / name
    source.write_bytes(GOOD)
    assert annotate(source, tmp_path / "spans") == ExitCode.USAGE
    told = "a file's ending must be .jsonl, .doc, .docm, .docx, .dot, .dotm, .dotx, .odt, .rtf or .txt"
    assert capsys.readouterr().err == f"deid annotate: {source}: {told}\n"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_text_file_is_read_whatever_the_case_of_its_ending(tmp_path: Path) -> None:
    (tmp_path / "brief.TXT").write_bytes(b"EF 55 %")
    output = tmp_path / "spans"
    assert annotate(tmp_path / "brief.TXT", output) == ExitCode.DONE
    assert json.loads(output.read_text())["id"] == "brief"


def test_a_folder_without_a_file_to_read_names_all_endings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "in.jsonl"
    folder.mkdir()
    assert annotate(folder, tmp_path / "spans") == ExitCode.USAGE
    assert (
        capsys.readouterr().err
        == f"deid annotate: {folder}: holds no .doc, .docm, .docx, .dot, .dotm, .dotx, .odt, .rtf or .txt file\n"
    )


@pytest.mark.parametrize("arguments", [["--help"], ["text", "--help"], ["annotate", "--help"]])
def test_the_help_names_every_ending(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    told = " ".join(capsys.readouterr().out.split())
    assert all(ending in told for ending in (".doc", ".docx", ".rtf", ".odt", ".txt"))
