"""A table as input of a run: the first night, nights with changes, what is refused, and a patient who withdraws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from delta.tables import DeltaTable
from lakes import LETTER, PIPELINE, Archive
from s3_server import BUCKET, s3_server, upload

from deid_core.cli import main
from deid_core.lake.inputs.table import NoteColumns
from deid_core.lake.tables import delta_reader
from deid_core.spark import deidentify
from deid_core.spark.forecasts import forecast_lake
from deid_core.spark.run_options import Options

pytestmark = pytest.mark.spark

COLUMNS = NoteColumns("id", "text", "patient", "day")
SCHEMA = pa.schema([("id", pa.string()), ("text", pa.string()), ("patient", pa.int64()), ("day", pa.date32())])
CANARY = "dZqxkanari"
DAY = 15_000
"""A day of 2011, after 1970."""


def letter(name: str, number: int) -> str:
    return LETTER.format(name=name, number=number)


ROWS: list[dict[str, Any]] = [
    {"id": "2004", "text": letter("Weber", 1), "patient": 47, "day": DAY},
    {"id": "b", "text": letter("Krüger", 2), "patient": 47, "day": DAY},
    {"id": "c", "text": letter("Koch", 3), "patient": 48, "day": None},
    {"id": CANARY, "text": f"Frau {CANARY}\x0bkam.\r\n", "patient": None, "day": DAY},
    {"id": "e", "text": None, "patient": None, "day": DAY},
    {"id": "f", "text": "eins", "patient": None, "day": DAY},
    {"id": "f", "text": "zwei", "patient": None, "day": DAY},
]


def write_table(archive: Archive, rows: list[dict[str, Any]]) -> None:
    archive.input.mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), archive.input / "notes.parquet")


@pytest.fixture(scope="module")
def first_night(spark: object, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Return a table and its lake after the first run, in two batches. Read only."""
    folder = tmp_path_factory.mktemp("table")
    archive = Archive(folder / "input", folder / "lake")
    write_table(archive, ROWS)
    (folder / "settings.yaml").write_text("run: {batch_notes: 4}\n")
    assert archive.run(columns=COLUMNS, settings=folder / "settings.yaml").counts["new"] == 6
    return archive


def texts(archive: Archive) -> dict[str, dict[str, Any]]:
    """Return the rows of clean/deidentified by the id in the table."""
    ids = {row["note_id"]: path for path, row in archive.ledger().items()}
    columns = ["note_id", "text", "patient_key", "patient_source", "year", "run_id"]
    return {ids[row["note_id"]]: row for row in delta_reader.read(archive.lake.deidentified, columns).to_pylist()}


def test_the_texts_are_those_of_the_column(spark: Any, first_night: Archive) -> None:
    """Each row byte for byte as `deidentify` makes it of the table."""
    frame = spark.read.parquet(str(first_night.input)).where("id < 'e'")
    made = frame.select("id", deidentify("text", pipeline=PIPELINE).alias("text")).collect()
    found = texts(first_night)
    assert {row.id: row.text for row in made} == {name: row["text"] for name, row in found.items()}
    assert found.keys() == {"2004", "b", "c", CANARY}
    assert "Weber" not in found["2004"]["text"]


def test_logs_name_nobody(first_night: Archive, event_log: Path) -> None:
    """Neither by a text nor by an id, which may be a name. The pipeline of these tests leaves the name in the text."""
    logs = [path for path in event_log.rglob("*") if path.is_file()]
    assert logs
    holding = {path for path in (*logs, *first_night.root.rglob("*")) if path.is_file() and _holds(path, CANARY)}
    tables = {path.relative_to(first_night.root).parts[:2] for path in holding}
    assert tables == {("restricted", "notes"), ("restricted", "ledger"), ("clean", "deidentified")}


def _holds(path: Path, text: str) -> bool:
    if path.suffix == ".parquet" and "_delta_log" not in path.parts:
        return text in repr(pq.ParquetFile(path).read().to_pylist())
    return text.encode() in path.read_bytes()


def test_ledger_patients_and_years(first_night: Archive) -> None:
    """An id that looks like a year is none. A row without a date has that of its letter."""
    ledger, found = first_night.ledger(), texts(first_night)
    assert {name: (row["state"], row["reason"]) for name, row in ledger.items() if row["reason"]} == {
        "e": ("quarantined", "empty"), "f": ("quarantined", "ambiguous")
    }  # fmt: skip
    assert {name: (row["year"], row["year_source"]) for name, row in ledger.items() if not row["reason"]} == {
        "2004": (2011, "column"), "b": (2011, "column"), "c": (2011, "header"), CANARY: (2011, "column")
    }  # fmt: skip
    assert len({ledger[name]["batch"] for name in found}) == 2
    assert found["2004"]["patient_key"] == found["b"]["patient_key"] != found["c"]["patient_key"]
    assert [found[name]["patient_source"] for name in ("2004", "b", "c", CANARY)] == ["table", "table", "table", "note"]


def test_a_night_without_a_change_does_nothing(first_night: Archive, tmp_path: Path) -> None:
    """Also if the table was written anew, in another order."""
    archive = first_night.copy(tmp_path)
    write_table(archive, ROWS[::-1])
    before = archive.versions()
    run = archive.run(columns=COLUMNS)
    assert (run.did_something, run.counts["unchanged"]) == (False, 6)
    assert archive.versions() == before


def test_a_night_with_changes(first_night: Archive, tmp_path: Path) -> None:
    """Another text and another patient are changes; a row under another id moved; one of two with an id went away."""
    archive = first_night.copy(tmp_path)
    before = texts(archive)
    changed = [ROWS[0] | {"text": "Frau Vogel kam.\n"}, ROWS[1] | {"patient": 48}, ROWS[3] | {"id": "moved"}, ROWS[5]]
    write_table(archive, changed)
    options = Options(archive.input, archive.root, PIPELINE, columns=COLUMNS)
    forecast = {name: count for name, count in forecast_lake(options).files.items() if count}
    assert forecast == {"listed": 4, "moved": 1, "changed": 3, "deleted": 2}
    run = archive.run(columns=COLUMNS)
    after = texts(archive)
    assert after.keys() == {"2004", "b", "moved", "f"}
    assert (after["2004"]["text"], after["f"]["text"]) == ("<SALUTE> <PER> kam.\n", "eins")
    assert after["b"]["patient_key"] == before["c"]["patient_key"]
    assert {row["run_id"] for row in after.values()} == {run.run_id}
    assert {name for name, row in archive.ledger().items() if row["state"] == "deleted"} == {"c", CANARY, "e"}
    assert not archive.run(columns=COLUMNS).did_something


def test_another_folder_of_files_does_not_empty_the_lake(
    first_night: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    before = first_night.files()
    arguments = ["run", "--input", str(first_night.input), "--lake", str(first_night.root), "--pipeline", PIPELINE]
    assert main(arguments) == 64
    assert "none of the lake's 6 notes (rows of a table) is among the 0 of the input" in capsys.readouterr().err
    assert main([*arguments, "--id", "note", "--text", "text", "--year", "id"]) == 64
    told = capsys.readouterr().err
    assert "--id note: the table has no such column; it has id, text, patient, day" in told
    assert "--year id: is of type string; it must be a date or a whole number" in told
    assert first_night.files() == before


def test_a_patient_of_a_column_withdraws(first_night: Archive, tmp_path: Path) -> None:
    archive = first_night.copy(tmp_path)
    assert main(["withdraw", "--patient", "047", "--lake", str(archive.root)]) == 0
    assert texts(archive).keys() == {"c", CANARY}
    assert not archive.run(columns=COLUMNS).did_something


def test_nights_over_a_table_on_an_object_store(
    spark: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --quiet, nights that went well have neither summary nor log."""
    archive = Archive(tmp_path / "table", tmp_path / "lake")
    place = ["--input", f"s3://{BUCKET}/notes", "--id", "id", "--text", "text", "--patient", "patient"]
    arguments = ["run", *place, "--lake", str(archive.root), "--pipeline", PIPELINE, "--quiet"]
    with s3_server():
        write_table(archive, ROWS[:2])
        upload(archive.input, "notes")
        assert main(arguments) == 0
        before = texts(archive)
        write_table(archive, [ROWS[0] | {"text": "Frau Vogel kam.\n"}, ROWS[2]])
        upload(archive.input, "notes")
        assert main(arguments) == 0
        versions = archive.versions()
        assert main(arguments) == 0
    after = texts(archive)
    assert (before.keys(), after.keys()) == ({"2004", "b"}, {"2004", "c"})
    assert after["2004"]["text"] == "<SALUTE> <PER> kam.\n"
    assert archive.versions() == versions
    printed = capsys.readouterr()
    assert printed.out == ""
    # The JVM may have warned of something.
    assert '"level": "info"' not in printed.err


def test_a_delta_table_with_a_deletion_vector(spark: Any, tmp_path: Path) -> None:
    """A masked row is no note, though it is in the data file."""
    archive = Archive(tmp_path / "table", tmp_path / "lake")
    rows = pa.table({"note_id": [1, 2, 3], "note_text": [letter("Weber", n) for n in range(3)], "person_id": [7, 7, 8]})
    days = rows.append_column("note_date", pa.array([DAY] * 3, pa.date32()))
    frame = spark.createDataFrame(days).repartition(1)
    frame.write.format("delta").option("delta.enableDeletionVectors", "true").save(str(archive.input))
    DeltaTable.forPath(spark, str(archive.input)).delete("note_id = 2")
    assert list(archive.input.glob("deletion_vector_*.bin"))
    arguments = ["run", "--input", str(archive.input), "--lake", str(archive.root), "--pipeline", PIPELINE]
    assert main([*arguments, "--input-format", "omop"]) == 0
    assert texts(archive).keys() == {"1", "3"}
    assert pc.all(pc.equal(delta_reader.read(archive.lake.deidentified, ["year"])["year"], 2011)).as_py()
