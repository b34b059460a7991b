"""`deid gazetteers check`: what a list would change, without text of the letters unless it is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deid_core.cli import main
from deid_core.cli.choices import LIST_KINDS
from deid_core.core.errors import ExitCode

CANARY = "Xylandrowitsch"
LETTERS = [
    "Sehr geehrte Kollegen, wir berichten über Ihren Patienten Herrn Anton Stein, geb. 1.2.1950.",
    f"Befund nach Stein positiv. Der Ranzler war da. {CANARY} auch.",
    "Kein Befund.",
]


def check(tmp_path: Path, entries: str, kind: str, *more: str) -> int:
    (tmp_path / "list.txt").write_text(entries, encoding="utf-8")
    letters = tmp_path / "letters.jsonl"
    letters.write_text("".join(json.dumps({"id": f"n{n}", "text": text}) + "\n" for n, text in enumerate(LETTERS)))
    where = ["--letters", str(letters), "--pipeline", "baseline"]
    return main(["gazetteers", "check", str(tmp_path / "list.txt"), "--as", kind, *where, *more])


def rows(text: str) -> dict[str, list[str]]:
    return {line.split("  ")[0].strip(): line.split()[-4:] for line in text.splitlines() if "  " in line}


def test_words_removed_always_are_counted_by_label(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "Ranzler\nStein\n", "ORG") == ExitCode.DONE
    out = capsys.readouterr().out
    # Ranzler is new; Stein, twice in the letters, is also a town.
    assert rows(out)["ORG"] == ["0", "3", "3", "0"]
    assert rows(out)["LOC"][2:] == ["0", "2"]
    assert rows(out)["removed at all"][2:] == ["1", "0"]
    assert "2 entries as ORG: 2 of 3 letters change" in out
    assert CANARY not in out and "Befund" not in out


def test_words_never_removed_and_those_that_the_letterhead_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(tmp_path, "Stein\n", "never") == ExitCode.DONE
    out = capsys.readouterr().out
    assert rows(out)["removed at all"][2:] == ["0", "1"]
    assert "1 of 3 letters change" in out
    assert "words of lists.never, 1 times" in out


def test_a_list_of_names_is_checked_like_those_of_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(tmp_path, f"{CANARY}\n", "surname") == ExitCode.DONE
    assert rows(capsys.readouterr().out)["PER"][2:] == ["1", "0"]


def test_the_changed_words_are_shown_if_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "Ranzler\n", "PER", "--show") == ExitCode.DONE
    assert "n1\tkept -> PER\t" in (out := capsys.readouterr().out)
    assert "[Ranzler] war da." in out


def test_a_wrong_list_is_told_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "Stein\na\tb\n", "never") == ExitCode.USAGE
    assert f"{tmp_path}/list.txt:2: holds a tab" in capsys.readouterr().err


def test_a_contradiction_with_the_pipelines_own_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "Stein\n", "never", "--set", "lists.always={PER: [stein]}") == ExitCode.USAGE
    assert "entries in common" in capsys.readouterr().err


def test_the_kinds_are_told_apart() -> None:
    assert len(set(LIST_KINDS)) == len(LIST_KINDS)
