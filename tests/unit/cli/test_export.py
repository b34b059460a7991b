"""`deid export`: what is in each file, for the lake's texts and for those of a policy."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from deid_core.cli import main
from deid_core.cli.export import FORMATS
from deid_core.core.errors import DamageFoundError
from deid_core.core.files import new_folder, part_of
from deid_core.lake import export
from deid_core.lake.export import ExportFormat
from deid_core.lake.layout import Lake
from deid_core.lake.tables import LakeTable, Tables

NOTES = ["0" * 31 + "7", "f" * 32]
TEXTS = ["Herr <PER> kam.\n", "Zeile 1\nZeile\u2028\t\x02"]
PATIENT = {"patient_key": "1" * 32, "patient_key_id": "k", "patient_source": "id"}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Two notes of two years, and a text of policy readable for one of them."""
    lake = Lake.at(tmp_path / "lake")
    tables = Tables.from_lake(lake)
    tables.create()
    made = {"batch": "b", "tokens": 1, "fingerprint": "f", "run_id": "r"} | PATIENT
    for year, note_id, text in zip((2010, 2011), NOTES, TEXTS, strict=True):
        tables.deidentified.add(made | {"note_id": note_id, "year": year, "text": text})
    output = LakeTable.of_output(lake, "readable")
    output.create()
    made = {"fingerprint": "f", "key_id": "", "run_id": "r"} | PATIENT
    output.add(made | {"note_id": NOTES[0], "year": 2010, "text": "Herr Meier kam.\n"})
    return lake


def exported(lake: Lake, form: str, *more: str) -> Path:
    output = lake.root.with_name(f"out-{form}")
    assert main(["export", "--lake", str(lake.root), "--format", form, "--output", str(output), *more]) == 0
    [file] = output.iterdir()
    return file


def test_json_lines(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    file = exported(lake, "jsonl")
    rows = [json.loads(line) for line in file.read_bytes().decode().split("\n")[:-1]]
    expected = {"patient_key": "1" * 32, "patient_source": "id"}
    assert rows == [
        {"id": note_id, "year": year, "text": text} | expected
        for note_id, year, text in zip(NOTES, (2010, 2011), TEXTS, strict=True)
    ]
    assert capsys.readouterr().out == f"2 notes in {file}\n"


def test_parquet(lake: Lake) -> None:
    rows = pq.read_table(exported(lake, "parquet")).to_pylist()
    assert [(row["note_id"], row["text"]) for row in rows] == list(zip(NOTES, TEXTS, strict=True))


def test_the_table_note_of_omop(lake: Lake) -> None:
    """Note and person are numbers that the lake's ids give; the id itself is the source value."""
    table = pq.read_table(exported(lake, "omop"))
    assert table.schema.names == export.OMOP_NOTE_SCHEMA.names
    first, second = table.to_pylist()
    known = {name: value for name, value in first.items() if value}
    assert known == {
        "person_id": 0x111111111111111, "note_date": date(2010, 1, 1), "note_text": TEXTS[0],
        "note_source_value": NOTES[0],
    }  # fmt: skip
    assert (first["note_id"], second["note_id"]) == (0, 0xFFFFFFFFFFFFFFF)
    assert all(table[field.name].null_count == 0 for field in table.schema if not field.nullable)


def test_texts_of_a_policy(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    file = exported(lake, "jsonl", "--policy", "readable")
    assert json.loads(file.read_text())["text"] == "Herr Meier kam.\n"
    assert "1 notes of the lake have no text of this policy yet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--policy", "thesis"], "has no texts of this policy (it has: readable)"),
        (["--output", "{full}"], "is not empty; name a new folder"),
        (["--output", "{full}/file/x"], "cannot be made: File exists"),
        (["--lake", "{full}"], "no such lake"),
    ],
)
def test_what_is_refused(
    lake: Lake, tmp_path: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    more = [argument.format(full=tmp_path / "full") for argument in arguments]
    assert main(["export", "--lake", str(lake.root), "--output", str(tmp_path / "out"), *more]) == 64
    assert said in capsys.readouterr().err
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize(("replaced", "code"), [(True, 75), (False, 64)])
def test_a_table_that_changes_meanwhile(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, replaced: bool, code: int
) -> None:
    """Files of it are gone then. It is no damage, and starting again helps."""

    def fail(texts: object, file: Path) -> int:
        if replaced:
            Tables.from_lake(lake).deidentified.delete_notes({NOTES[0]})
        raise DamageFoundError(lake.deidentified)

    writers: dict[ExportFormat, tuple[str, Any]] = {ExportFormat.JSONL: ("notes.jsonl", fail)}
    monkeypatch.setattr(export, "_WRITERS", writers)
    assert main(["export", "--lake", str(lake.root), "--output", str(tmp_path / "out")]) == code
    assert not (tmp_path / "out").exists()


def test_what_a_killed_export_left_is_removed(lake: Lake, tmp_path: Path) -> None:
    left = part_of(tmp_path / "out-jsonl")
    (left / "folder").mkdir(parents=True)
    (left / "notes.jsonl").write_text("half a li")
    assert len(exported(lake, "jsonl").read_text().split("\n")) == len(NOTES) + 1
    assert not left.exists()


def test_two_exports_into_one_folder(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with new_folder(tmp_path / "out"):
        assert main(["export", "--lake", str(lake.root), "--output", str(tmp_path / "out")]) == 75
    assert "out: another process is writing it" in capsys.readouterr().err


def test_the_formats_of_the_command_line() -> None:
    assert set(FORMATS) == set(ExportFormat)
