"""The command line as users and schedulers see it: output, exit codes, and no text of a note in an error."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from deid_core.cli import COMMANDS, main
from deid_core.core.errors import ExitCode, Reason
from deid_core.core.remedies import REMEDIES
from deid_core.pipeline.engine import Engine

LETTER = "Sehr geehrte Kollegen,\nwir berichten über Herrn Peter Xylander, geb. am 1.2.1950, Tel. 06221/56-1234.\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    path.write_text(json.dumps({"id": "a", "text": LETTER}) + "\n" + json.dumps({"id": "b", "text": "EF 55%"}) + "\n")
    return path


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_text_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "brief.txt"
    path.write_bytes(LETTER.encode("cp1252"))
    assert main(["text", str(path)]) == ExitCode.DONE
    assert capsys.readouterr().out == (
        "Sehr geehrte Kollegen,\nwir berichten über <SALUTE> <PER>, geb. am <DATE>, Tel. <PHONE>.\n"
    )


def test_text_of_a_file_that_cannot_be_read_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "brief.txt").write_bytes(b"")
    assert main(["text", str(tmp_path / "brief.txt"), "--pipeline", "baseline"]) == ExitCode.QUARANTINE
    told = capsys.readouterr()
    reason, remedy = told.err.splitlines()
    assert told.out == "" and reason.startswith(f"deid text: {tmp_path / 'brief.txt'}: empty")
    assert remedy.strip() == REMEDIES[Reason.EMPTY]


def test_text_with_what_is_known_of_its_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "note.txt").write_text("Quendelins Werte sind gut, geb. 12.3.51.", encoding="utf-8")
    command = ["text", str(tmp_path / "note.txt"), "--pipeline", "baseline"]
    assert main([*command, "--identity", "name=Quendelin, Quentin", "--identity", "name=Muster"]) == 0
    assert capsys.readouterr().out == "<PER> Werte sind gut, geb. <DATE>.\n"
    assert main([*command, "--identity", "surname=Quendelin", "--identity", "number=12"]) == 64
    told = capsys.readouterr().err
    assert "there is no kind 'surname'" in told and "a number needs at least five digits" in told
    with pytest.raises(SystemExit) as left:
        main([*command, "--identity", "Quendelin"])
    assert left.value.code == 64
    assert "Quendelin" not in capsys.readouterr().err + told


def test_text_of_stdin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LETTER.encode())))
    assert main(["text", "-", "--pipeline", "baseline", "--set", "sweep=false"]) == ExitCode.DONE
    assert "<SALUTE> <PER> Xylander" in capsys.readouterr().out


def test_text_says_why_on_stderr_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "note.txt").write_text(f"{LETTER}\nHerr Xylander hat Morbus Parkinson.\n", encoding="utf-8")
    command = ["text", str(tmp_path / "note.txt")]
    assert main(command) == ExitCode.DONE
    plain = capsys.readouterr()
    assert plain.err == ""
    assert main([*command, "--why"]) == ExitCode.DONE
    told = capsys.readouterr()
    assert told.out == plain.out
    lines = told.err.splitlines()
    [at] = [number for number, line in enumerate(lines) if line.startswith("PER ") and line.endswith("'Xylander'")]
    assert "    found: " in lines[at + 1] and "propagation repeat 0.9" in lines[at + 1]
    assert lines[at + 2].startswith("    stacking model: an entity, ")


def test_annotate_keeps_text_and_explains_each_span(notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "spans.jsonl"
    assert main(["annotate", "--input", str(notes), "--output", str(out)]) == ExitCode.DONE
    first, second = rows(out)
    assert (first["id"], first["text"], second["spans"]) == ("a", LETTER, [])
    assert isinstance(first["spans"], list)
    found = {LETTER[s["start"] : s["end"]]: s for s in first["spans"]}
    assert set(found) == {"Herrn", "Peter Xylander", "1.2.1950", "06221/56-1234"}
    for span in found.values():
        assert set(span) == {"start", "end", "label", "type", "recogniser", "rule", "score"}
    assert found["1.2.1950"]["type"] == "birth_date"


def test_annotate_of_a_folder_names_notes_by_their_files(tmp_path: Path) -> None:
    folder = tmp_path / "in" / "2010"
    folder.mkdir(parents=True)
    (folder / "brief 1.txt").write_text(LETTER)
    out = tmp_path / "spans.jsonl"
    assert main(["annotate", "--input", str(tmp_path / "in"), "--output", str(out)]) == ExitCode.DONE
    assert [row["id"] for row in rows(out)] == ["brief 1"]


def test_annotate_goes_on_after_a_file_it_cannot_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.docx").write_bytes(b"PK\x03\x04 no archive")
    (tmp_path / "in" / "b.txt").write_text(LETTER)
    out = tmp_path / "spans.jsonl"
    assert main(["annotate", "--input", str(tmp_path / "in"), "--output", str(out)]) == ExitCode.QUARANTINE
    assert [row["id"] for row in rows(out)] == ["b"]
    assert "corrupt" in capsys.readouterr().err


def test_evaluate_compares_two_predictions(notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, none = tmp_path / "gold.jsonl", tmp_path / "none.jsonl"
    main(["annotate", "--input", str(notes), "--output", str(gold)])
    none.write_text("".join(json.dumps({**row, "spans": []}) + "\n" for row in rows(gold)))
    arguments = ["evaluate", "--gold", str(gold), "--predicted", str(gold), "--against", str(none)]
    assert main([*arguments, "--json"]) == ExitCode.DONE
    report = json.loads(capsys.readouterr().out)
    assert report["predicted"]["scores"]["PHI"]["f2"] == 1.0
    assert report["against"]["scores"]["PHI"]["recall"] == 0.0
    assert report["mcnemar"]["only_predicted_right"] == report["predicted"]["scores"]["PHI"]["gold"]
    assert main(arguments) == ExitCode.DONE
    assert "McNemar" in capsys.readouterr().out


def test_evaluate_refuses_other_texts_and_missing_notes(notes: Path, tmp_path: Path) -> None:
    gold, other = tmp_path / "gold.jsonl", tmp_path / "other.jsonl"
    main(["annotate", "--input", str(notes), "--output", str(gold)])
    other.write_text(json.dumps({"id": "a", "text": "x", "spans": []}) + "\n")
    assert main(["evaluate", "--gold", str(gold), "--predicted", str(other)]) == ExitCode.USAGE


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-command"],
        ["text"],
        ["text", "absent.doc"],
        ["text", "README.md", "--pipeline", "absent"],
        ["annotate", "--input", "absent.jsonl", "--output", "x.jsonl"],
        ["evaluate", "--gold", "absent.jsonl", "--predicted", "absent.jsonl"],
    ],
)
def test_usage_errors_leave_with_64(arguments: list[str], repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    try:
        code = main(arguments)
    except SystemExit as leave:
        code = int(leave.code or 0)
    assert code == ExitCode.USAGE
    assert not list(repository.glob("x.jsonl*"))


def test_a_fault_of_the_program_quotes_no_note(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(self: Engine, note: object) -> None:
        raise ValueError(f"cannot handle {LETTER}")

    monkeypatch.setattr(Engine, "annotate", fail)
    code = main(["annotate", "--input", str(notes), "--output", str(tmp_path / "out.jsonl")])
    captured = capsys.readouterr()
    assert code == ExitCode.INTERNAL
    assert "Xylander" not in captured.err + captured.out
    assert "ValueError at test_commands.py" in captured.err
    assert not list(tmp_path.glob("out.jsonl*"))


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        with pytest.raises(SystemExit) as leave:
            main([command, "--help"])
        assert leave.value.code in (0, None)
        assert "usage: deid" in capsys.readouterr().out


def test_the_engine_never_imports_pyspark(repository: Path) -> None:
    # torch and transformers come with an extra: the neural systems of the lab may lack them here.
    program = """
import importlib, pkgutil, sys
sys.modules["pyspark"] = None
import deid_core
names = [module.name for module in pkgutil.walk_packages(deid_core.__path__, "deid_core.")]
names = [name for name in names if name != "deid_core.cli.__main__" and not name.startswith("deid_core.spark")]
for name in names:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "transformers"):
            raise
print(len(names))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 60


def test_what_a_library_logs_is_not_printed(repository: Path) -> None:
    """It may quote a note. DEID_DEBUG=1 prints it."""
    program = """
import logging
from deid_core.cli import labels, main
labels.run = lambda args: logging.error("Herr Weber") or 0
main(["labels"])
"""
    for debug, printed in (("0", ""), ("1", "ERROR:root:Herr Weber\n")):
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=repository, capture_output=True, text=True, check=True,
            env={"DEID_DEBUG": debug, "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        assert (done.stdout, done.stderr) == ("", printed)


def test_an_unknown_command_suggests_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["reprot"])
    assert left.value.code == ExitCode.USAGE
    assert capsys.readouterr().err == (
        "deid: there is no command 'reprot'; did you mean 'report'?; see `deid --help`\n"
    )
