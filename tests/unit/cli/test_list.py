"""`deid list`: which notes it finds, and that it prints no names unless told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from page_lake import CANARY, append, page_lake

from deid_core.cli import list as list_command
from deid_core.cli import main
from deid_core.core.errors import ExitCode
from deid_core.lake.layout import Lake
from deid_core.lake.states import State, YearSource
from deid_core.lake.tables.lake_table import Tables

SWEPT = {"label": "PER", "type": "person", "recogniser": "sweep", "rule": "header.name.crf", "score": 1.0}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """That of the audit page, with a span of the sweep in note b."""
    lake = page_lake(tmp_path)
    place = {"note_id": "b", "year": 2011, "output_start": 9, "output_end": 14}
    append(Tables(lake).phi_audit, [SWEPT | place])
    return lake


def listed(capsys: pytest.CaptureFixture[str], lake: Lake, *options: str) -> list[dict[str, Any]]:
    assert main(["list", "--lake", str(lake.root), "--json", *options]) == ExitCode.DONE
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("options", "notes"),
    [
        ((), "aebcdf"),
        (("--year", "2010"), "a"),
        (("--year", "2010-2011"), "abce"),
        (("--state", "quarantined"), "de"),
        (("--state", "deleted"), "f"),
        (("--reason", "empty"), "d"),
        (("--year-source", "file"), "c"),
        (("--score-below", "0.5"), "a"),
        (("--score-below", "0.6"), "ab"),
        (("--without-spans",), "c"),
        (("--swept",), "b"),
        (("--swept", "--year", "2010"), ""),
    ],
)
def test_notes_are_found(options: tuple[str, ...], notes: str, lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    found = [row["note_id"] for row in listed(capsys, lake, *options)]
    assert sorted(found) == sorted(notes)
    if "--score-below" in options:
        assert found == list(notes), "the lowest score first"


def test_what_is_told_of_a_note(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    told = {"year": 2011, "year_source": "path", "state": "converted", "reason": None}
    [row] = listed(capsys, lake, "--swept")
    assert row == {"note_id": "b", **told, "spans": 2, "lowest_score": 0.5, "swept": 1}
    [row] = listed(capsys, lake, "--reason", "empty", "--paths")
    assert (row["spans"], row["lowest_score"], row["path"]) == (0, None, f"{CANARY}/d.doc")


def test_a_table_is_cut_and_names_nobody(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--lake", str(lake.root), "--limit", "2"]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "6 notes, 2 shown (--limit 0 shows all)"
    assert CANARY not in out
    assert main(["list", "--lake", str(lake.root), "--swept", "--paths"]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "1 note" and CANARY in out


def test_a_file_name_sends_nothing_to_the_terminal(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    tables = Tables(lake)
    row = {"note_id": "g", "path": "a\x1b[2J\n.doc", "size_bytes": 1, "mtime_ns": 1, "sha256": "0"}
    tables.ledger.upsert([row | {"state": "deleted", "reader": "r", "run_id": "r"}])
    assert main(["list", "--lake", str(lake.root), "--state", "deleted", "--paths"]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert "\x1b" not in out and "a\\x1b[2J\\n.doc" in out


@pytest.mark.parametrize("options", [["--year", "x"], ["--state", "lost"], ["--limit", "-1"]])
def test_wrong_options(options: list[str], lake: Lake) -> None:
    try:
        code = main(["list", "--lake", str(lake.root), *options])
    except SystemExit as left:
        code = int(left.code or 0)
    assert code == ExitCode.USAGE


def test_no_lake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--lake", str(tmp_path / "lake")]) == ExitCode.USAGE
    assert "no such lake" in capsys.readouterr().err


def test_choices_are_those_of_the_ledger() -> None:
    assert set(list_command.STATES) == set(State)
    assert set(list_command.YEAR_SOURCES) == set(YearSource)


def test_wrong_choices_are_told_as_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["list", "--lake", "lake", "--reason", "foo"])
    told = capsys.readouterr().err
    assert "encrypted" in told
    assert "<Reason" not in told


def test_quarantined_notes_come_with_the_detail(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    by_note = {row["note_id"]: row for row in listed(capsys, lake, "--state", "quarantined")}
    assert (by_note["d"]["detail"], by_note["e"]["detail"]) == (CANARY, None)
    assert "detail" not in listed(capsys, lake)[0]
