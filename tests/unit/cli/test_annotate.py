"""`deid annotate`: what it refuses, by name, file and line, and its formats, read by `deid evaluate`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from deid_core.cli import main
from deid_core.core.errors import ExitCode

GOOD = json.dumps({"id": "a", "text": "EF 55 %"}).encode()


LETTERS = {
    "2018/brief 1": "Patient: Xaver Mätzler, geb. 3.4.1950\nSehr geehrter Herr Dr. Brömmel,\nHerr Mätzler ist aus Ulm.",
    "2018/brief 2": "\U0001f600 Tel. 0731 / 123456,\tDr. med. Anna Vogel-\nStein kam am 5.6.2018.",
    "2018/brief 3": "EF 55 %",
}


def annotate(source: Path, output: Path, *options: str) -> int:
    return main(["annotate", "--input", str(source), "--output", str(output), "--pipeline", "baseline", *options])


def json_lines(path: Path, notes: dict[str, str]) -> Path:
    path.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in notes.items()))
    return path


def evaluated(capsys: pytest.CaptureFixture[str], gold: Path, predicted: Path, *options: str) -> dict[str, Any]:
    capsys.readouterr()
    arguments = ["--gold", str(gold), "--predicted", str(predicted), "--json", "--resamples", "20", *options]
    assert main(["evaluate", *arguments]) == ExitCode.DONE
    system: dict[str, Any] = json.loads(capsys.readouterr().out)["predicted"]
    return system


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


@pytest.mark.parametrize("scheme", ["own", "gemtex", "i2b2", "dome", "hipaa"])
@pytest.mark.parametrize("format", ["jsonl", "conll", "webanno", "cas", "brat"])
def test_every_format_and_scheme_is_evaluated_to_its_own_spans(
    format: str, scheme: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy")
    if format == "cas":
        pytest.importorskip("cassis", reason="needs the extra 'cas'")
    source = json_lines(tmp_path / "notes.jsonl", LETTERS)
    own = tmp_path / ("own.conll" if format == "conll" else "own.jsonl")
    output = tmp_path / ("found.conll" if format == "conll" else "found")
    # Blanks are not in CoNLL files, so that these are compared with each other.
    assert annotate(source, own, "--format", "conll" if format == "conll" else "jsonl") == ExitCode.DONE
    assert annotate(source, output, "--format", format, "--scheme", scheme) == ExitCode.DONE
    system = evaluated(capsys, own, output, "--scheme", scheme)
    assert system["notes"] == 3
    exact = system["entities"]["exact"]["micro"]
    assert exact["gold"] > 4 and exact["f1"] == 1.0 and system["scores"]["PHI"]["f1"] == 1.0
    assert {path.name for path in tmp_path.iterdir()} == {"notes.jsonl", own.name, output.name}


def test_spans_that_a_scheme_has_no_label_for_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = json_lines(tmp_path / "notes.jsonl", LETTERS)
    assert annotate(source, tmp_path / "own.jsonl") == ExitCode.DONE
    assert capsys.readouterr().err == ""
    assert annotate(source, tmp_path / "i2b2.jsonl", "--scheme", "i2b2") == ExitCode.DONE
    own, i2b2 = (
        [span for line in (tmp_path / name).open() for span in json.loads(line)["spans"]]
        for name in ("own.jsonl", "i2b2.jsonl")
    )
    assert f"deid annotate: {len(own) - len(i2b2)} spans are not written: --scheme i2b2" in capsys.readouterr().err
    assert {span["label"] for span in own} - {"PER", "DATE", "PHONE", "LOC"} == {"SALUTE", "TITLE"}
    assert {span["label"] for span in i2b2} >= {"DATE", "PHONE"} and "PER" not in {span["label"] for span in i2b2}
    assert all(span["rule"] and span["recogniser"] for span in i2b2)


def test_a_note_that_no_file_can_be_named_after_or_hold_is_numbered_and_not_quoted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("cassis", reason="needs the extra 'cas'")
    source = tmp_path / "notes.jsonl"
    rows = [("Mätzler", "EF 55 %"), ("Mätzler", "Herr Brömmel"), ("", "x"), ("ö" * 50, "x"), ("b", "Herr Brömmel\x0c")]
    source.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in rows))
    assert annotate(source, tmp_path / "found", "--format", "cas") == ExitCode.QUARANTINE
    error = capsys.readouterr().err
    named = "unsupported: no file can be named after it: its id is empty, repeated or too long"
    assert error.splitlines() == [
        *(f"deid annotate: note {number} of the input: {named}" for number in (2, 3, 4)),
        "deid annotate: note 5 of the input: unsupported: format cas cannot hold its text or spans; jsonl can",
    ]
    assert [path.name for path in (tmp_path / "found").iterdir()] == ["M%C3%A4tzler.xmi"]


def test_a_folder_that_is_there_is_not_written_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = json_lines(tmp_path / "notes.jsonl", LETTERS)
    (tmp_path / "found").mkdir()
    assert annotate(source, tmp_path / "found", "--format", "brat") == ExitCode.DONE
    before = sorted((tmp_path / "found").iterdir())
    assert len(before) == 6
    assert annotate(source, tmp_path / "found", "--format", "webanno") == ExitCode.USAGE
    told = "exists; format webanno writes a file for each note, name a new folder"
    assert capsys.readouterr().err == f"deid annotate: {tmp_path}/found: {told}\n"
    assert sorted((tmp_path / "found").iterdir()) == before
    (tmp_path / "more.part").mkdir()
    assert annotate(source, tmp_path / "more", "--format", "brat") == ExitCode.USAGE
    assert capsys.readouterr().err == f"deid annotate: {tmp_path}/more.part: cannot be written: File exists\n"


@pytest.mark.parametrize("format", ["jsonl", "conll", "brat"])
def test_of_a_run_that_ends_early_no_file_stays(format: str, tmp_path: Path) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_bytes(GOOD + b"\nnone\n")
    assert annotate(source, tmp_path / "found", "--format", format) == ExitCode.USAGE
    assert [path.name for path in tmp_path.iterdir()] == ["notes.jsonl"]


def test_cas_without_its_package_is_refused_before_a_note_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cassis", None)
    assert annotate(tmp_path / "absent.jsonl", tmp_path / "found", "--format", "cas") == ExitCode.USAGE
    first, second = capsys.readouterr().err.splitlines()
    assert "absent.jsonl" in first and "pip install" in second


@pytest.mark.parametrize("format", ["cas", "webanno"])
def test_another_layer_of_a_tool_is_written_and_read(
    format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy")
    if format == "cas":
        pytest.importorskip("cassis", reason="needs the extra 'cas'")
    source = json_lines(tmp_path / "notes.jsonl", LETTERS)
    layer = ["--scheme", "gemtex", "--layer", "webanno.custom.PHI", "--feature", "kind"]
    assert annotate(source, tmp_path / "found", "--format", format, *layer) == ExitCode.DONE
    written = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "found").iterdir())
    assert "PHI" in written and "NamedEntity" not in written
    exact = evaluated(capsys, tmp_path / "found", tmp_path / "found", *layer)["entities"]["exact"]["micro"]
    assert exact["gold"] > 4 and exact["f1"] == 1.0


def test_a_layer_that_is_none_and_a_format_without_layers_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = json_lines(tmp_path / "notes.jsonl", LETTERS)
    wrong = ["--format", "webanno", "--layer", "PHI|x", "--feature", "a b"]
    assert annotate(source, tmp_path / "found", *wrong) == ExitCode.USAGE
    assert capsys.readouterr().err == (
        "deid annotate: --layer: is not the name of a UIMA layer, as webanno.custom.PHI\n"
        "--feature: is not the name of a UIMA feature, as kind\n"
    )
    assert annotate(source, tmp_path / "found", "--layer", "webanno.custom.PHI") == ExitCode.USAGE
    assert capsys.readouterr().err == "deid annotate: --layer: format jsonl has none; cas and webanno have\n"
