"""`deid export`: what is in each file, for the lake's texts and for those of a policy."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("moto", reason="needs the extra dev")

from deltalake import write_deltalake
from s3_server import BUCKET, get, keys_below, no_store, put, s3_server

from deid_core.cli import main
from deid_core.cli.export import FORMATS
from deid_core.core.errors import DamageFoundError
from deid_core.core.files import new_folder, part_of
from deid_core.lake.layout import Lake
from deid_core.lake.outputs import export, export_output
from deid_core.lake.outputs.export import ExportFormat
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import LakeTable, Tables

NOTES = ["0" * 31 + "7", "f" * 32]
TEXTS = ["Herr <PER> kam.\n", "Zeile 1\nZeile\u2028\t\x02"]
CANARY = "Zqxkanari"
MOVED = date(2009, 11, 3)
PATIENT = {"patient_key": "1" * 32, "patient_key_id": "k", "patient_source": "id"}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Two notes of two years, and a text of policy readable for one of them."""
    lake = Lake.at(tmp_path / "lake")
    tables = Tables(lake)
    tables.create()
    made = {"batch": "b", "tokens": 1, "fingerprint": "f", "run_id": "r"} | PATIENT
    for year, note_id, text in zip((2010, 2011), NOTES, TEXTS, strict=True):
        tables.deidentified.add(made | {"note_id": note_id, "year": year, "text": text})
    output = LakeTable.of_output(lake, "readable")
    output.create()
    made = {"fingerprint": "f", "key_id": "", "run_id": "r"} | PATIENT
    output.add(made | {"note_id": NOTES[0], "year": 2010, "note_date": MOVED, "text": "Herr Meier kam.\n"})
    return lake


def exported(lake: Lake, form: str, *more: str) -> Path:
    output = lake.root.with_name(f"out-{form}")
    assert main(["export", "--lake", str(lake.root), "--format", form, "--output", str(output), *more]) == 0
    [file] = (path for path in output.iterdir() if path.name != "README.md")
    return file


def test_json_lines(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    file = exported(lake, "jsonl")
    rows = [json.loads(line) for line in file.read_bytes().decode().split("\n")[:-1]]
    expected = {"patient_key": "1" * 32, "patient_source": "id"}
    assert rows == [
        {"id": note_id, "year": year, "note_date": None, "text": text} | expected
        for note_id, year, text in zip(NOTES, (2010, 2011), TEXTS, strict=True)
    ]
    assert capsys.readouterr().out == f"2 notes in {file}\n"


def test_who_has_clean_alone_is_told_that_releases_were_not_read(
    lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exported(lake, "jsonl") and capsys.readouterr().err == ""
    shutil.rmtree(lake.restricted)
    for is_mounted, form in ((False, "parquet"), (True, "omop")):
        if is_mounted:
            lake.restricted.mkdir()  # the place for it, which is empty
        assert exported(lake, form)
        assert "could not read restricted/releases, so it was not checked" in capsys.readouterr().err


def test_no_real_year_goes_with_shifted_dates(lake: Lake) -> None:
    row = json.loads(exported(lake, "jsonl", "--policy", "readable").read_text())
    assert row["text"] == "Herr Meier kam.\n" and "year" not in row
    output = LakeTable.of_output(lake, "readable")
    made = {"fingerprint": "f", "key_id": "", "run_id": "r", "text": "Frau Kurz kam."} | PATIENT
    output.add(made | {"note_id": NOTES[1], "year": 2011})
    omop = pq.read_table(exported(lake, "omop", "--policy", "readable")).sort_by("note_id")
    assert omop["note_date"].to_pylist() == [MOVED, date(1970, 1, 1)]


def test_the_date_of_a_note_is_as_the_policy_leaves_it(lake: Lake) -> None:
    assert json.loads(exported(lake, "jsonl", "--policy", "readable").read_text())["note_date"] == "2009-11-03"
    [row] = pq.read_table(exported(lake, "parquet", "--policy", "readable")).to_pylist()
    assert row["note_date"] == MOVED


def test_texts_of_an_older_version(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = delta_reader.read(lake.deidentified, delta_reader.columns(lake.deidentified)).drop_columns("note_date")
    write_deltalake(str(lake.deidentified), texts, mode="overwrite", schema_mode="overwrite")
    assert main(["export", "--lake", str(lake.root), "--output", str(tmp_path / "out")]) == 64
    assert "lacks the column note_date: the lake is of an older version" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


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


def test_omop_tells_a_date_that_nothing_tells(lake: Lake) -> None:
    """note_date may not be null there, so note_datetime is."""
    [known] = pq.read_table(exported(lake, "omop", "--policy", "readable")).to_pylist()
    assert known["note_datetime"] == datetime(MOVED.year, MOVED.month, MOVED.day)
    shutil.rmtree(lake.root.with_name("out-omop"))
    assert pq.read_table(exported(lake, "omop"))["note_datetime"].null_count == 2


@pytest.mark.parametrize("form", FORMATS)
def test_the_readme_tells_each_column(lake: Lake, form: str) -> None:
    file = exported(lake, form)
    names = pq.read_schema(file).names if form != "jsonl" else list(json.loads(file.read_text().splitlines()[0]))
    readme = file.with_name("README.md").read_text()
    assert f"## Columns of {file.name}\n" in readme
    rows = [line.split(" | ") for line in readme.partition("## Columns")[2].partition("## What")[0].splitlines()[4:]]
    columns = {row[0].removeprefix("| "): row[1:] for row in rows if len(row) == 4}
    assert list(columns) == names
    assert all(kind in ("text", "day, YYYY-MM-DD", "day and time", "whole number") for kind, _, _ in columns.values())
    assert all(null in ("yes", "no") and len(told) > len(" |") + 5 for _, null, told in columns.values())
    assert columns["note_date"][1] == ("no" if form == "omop" else "yes")
    assert "Notes: 2. Patients: 1. Notes whose patient is not known: 0;" in readme
    assert "Notes without a note_date: 2." in readme and "Policy: thesis." in readme
    assert "Key of patient_key: k. Patients" in readme
    assert not any(text.strip() in readme for text in TEXTS)


def test_the_readme_of_a_policy_says_what_follows_for_studies(lake: Lake) -> None:
    """It does not tell the real year, which would tell the shift."""
    readme = exported(lake, "jsonl", "--policy", "readable").with_name("README.md").read_text()
    assert "between notes (note_date), are exact" in readme and "Nothing tells an invented word" in readme
    assert "2010" not in readme and "| year |" not in readme
    readme = exported(lake, "parquet").with_name("README.md").read_text()
    assert "Last run: none that ended." in readme and "Dates are gone" in readme and "invented word" not in readme


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("more", [(), ("--policy", "readable")], ids=["placeholders", "readable"])
def test_the_readme_has_nothing_of_a_note(lake: Lake, form: str, more: tuple[str, ...]) -> None:
    """Also where a name is left in a text that is exported."""
    left = {"note_id": "a" * 32, "year": 2010, "text": f"Herr {CANARY} kam.\nMorbus Weber.\n", "run_id": "r"} | PATIENT
    Tables(lake).deidentified.add(left | {"batch": "b", "tokens": 1, "fingerprint": "f"})
    LakeTable.of_output(lake, "readable").add(left | {"fingerprint": "f", "key_id": ""})
    file = exported(lake, form, *more)
    texts = file.read_text() if form == "jsonl" else repr(pq.read_table(file).to_pylist())
    readme = file.with_name("README.md").read_text()
    secrets = [CANARY, "Morbus Weber"]
    assert all(secret in texts for secret in secrets) and f"Notes: {3 - len(more) // 2}." in readme
    secrets += ["kam.", str(lake.root), "a" * 32, PATIENT["patient_key"]]
    assert [secret for secret in secrets if secret.lower() in readme.lower()] == []


def test_columns_of_parquet_have_types_and_comments(lake: Lake) -> None:
    columns = pq.read_schema(exported(lake, "parquet"))
    assert columns.equals(export.columns_of(lake.deidentified, ExportFormat.PARQUET), check_metadata=True)
    assert [column.name for column in columns if column.nullable] == ["note_date"]


def test_texts_of_a_policy(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    file = exported(lake, "jsonl", "--policy", "readable")
    assert json.loads(file.read_text())["text"] == "Herr Meier kam.\n"
    assert "1 notes of the lake have no text of this policy yet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--policy", "thesis"], "has no texts of this policy (it has: readable)"),
        (["--output", "{full}"], "is not empty; name a new folder"),
        (["--output", "{full}/file"], "cannot be made: Not a directory"),
        (["--output", "{full}/file/x"], "cannot be made: Not a directory"),
        (["--output", "{full}/" + 300 * "x"], "cannot be made: File name too long"),
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

    def fail(texts: object, columns: object, file: Path) -> int:
        if replaced:
            Tables(lake).deidentified.delete_notes({NOTES[0]})
        raise DamageFoundError(lake.deidentified)

    writers: dict[ExportFormat, tuple[str, Any]] = {ExportFormat.JSONL: ("notes.jsonl", fail)}
    monkeypatch.setattr(export, "_WRITERS", writers)
    assert main(["export", "--lake", str(lake.root), "--output", str(tmp_path / "out")]) == code
    assert not (tmp_path / "out").exists()


def test_a_table_that_changes_after_the_texts_were_written(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """README.md counts the notes of the file beside it, or there is no export."""
    write = export.export_texts

    def then_another_run(*args: Any, **kwargs: Any) -> Any:
        done = write(*args, **kwargs)
        Tables(lake).deidentified.delete_notes({NOTES[0]})
        return done

    monkeypatch.setattr(export, "export_texts", then_another_run)
    assert main(["export", "--lake", str(lake.root), "--output", str(tmp_path / "out")]) == 75
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


@pytest.fixture(scope="module")
def store() -> Iterator[None]:
    with s3_server():
        yield


def export_to(place: str, lake: Lake, *more: str) -> int:
    return main(["export", "--lake", str(lake.root), "--output", place, *more])


@pytest.mark.parametrize("form", FORMATS)
def test_the_objects_of_a_store_are_the_files_of_a_folder(
    form: str, lake: Lake, store: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last one, `_SUCCESS`, has the checksums of the others."""
    file = exported(lake, form)
    capsys.readouterr()
    assert export_to(f"s3://{BUCKET}/out/{form}", lake, "--format", form) == 0
    assert capsys.readouterr().out == f"2 notes in s3://{BUCKET}/out/{form}/{file.name}\n"
    files = [file.with_name("README.md"), file]
    assert keys_below(f"out/{form}") == [f"out/{form}/{name}" for name in ("README.md", "_SUCCESS", file.name)]
    assert [get(f"out/{form}/{path.name}") for path in files] == [path.read_bytes() for path in files]
    checksums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    assert get(f"out/{form}/_SUCCESS").decode() == "".join(checksums)


def test_a_place_of_a_store_that_is_not_new(lake: Lake, store: None, capsys: pytest.CaptureFixture[str]) -> None:
    put("taken/2010/x.txt", b"x")
    put("file.txt", b"x")
    put("mark-alone/", b"")
    for name in ("taken", "file.txt", "taken/2010/x.txt"):
        assert export_to(f"s3://{BUCKET}/{name}", lake) == 64
        assert f"--output s3://{BUCKET}/{name}: is not empty" in capsys.readouterr().err
    assert keys_below("taken") == ["taken/2010/x.txt"]
    assert export_to("s3://nobucket/x", lake) == 64
    assert "--output s3://nobucket/x: there is no such bucket" in capsys.readouterr().err
    assert export_to(f"s3://{BUCKET}/mark-alone", lake) == 0


def test_a_store_that_does_not_answer(
    lake: Lake, store: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither before the export nor when the file was put: what is there then is removed, so starting again helps."""
    copy_files, place = export_output.copy_files, f"s3://{BUCKET}/away"

    def dying(*arguments: Any, **options: Any) -> None:
        copy_files(*arguments, **options)
        # The store may have the mark of success, and die before it says so.
        put("away/_SUCCESS", b"")
        raise OSError("AWS Error NETWORK_CONNECTION during PutObject of notes.jsonl")

    with monkeypatch.context() as patch:
        patch.setattr(export_output, "copy_files", dying)
        assert export_to(place, lake) == 75
    assert f"--output {place}: the store does not answer (NETWORK_CONNECTION)" in capsys.readouterr().err
    assert keys_below("away") == ["away/"]  # Arrow's mark of an empty folder
    with monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", no_store())
        assert export_to(place, lake) == 75
    assert export_to(place, lake) == 0
