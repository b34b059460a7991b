"""Tables without Spark: deleting notes, upserting ledger rows, merging files, and what a log may hold."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_core.core.errors import ConfigurationError
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import LakeTable, Tables

LEDGER_ROW = {
    "size_bytes": 1,
    "mtime_ns": 2,
    "sha256": "",
    "state": "converted",
    "reader": "r",
    "run_id": "run",
}


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    made = Tables(Lake.at(tmp_path / "lake"))
    made.create()
    return made


def texts(tables: Tables, rows: list[tuple[str, int]]) -> None:
    """Append these (note, year), a file for each year."""
    more = {"batch": "b", "text": "Anna", "tokens": 1, "fingerprint": "f", "run_id": "r"}
    more |= {"patient_key": "p", "patient_key_id": "k", "patient_source": "note"}
    data = [{"note_id": note, "year": year} | more for note, year in rows]
    table = pa.Table.from_pylist(data, schema=tables.deidentified.columns)
    write_deltalake(str(tables.deidentified.path), table, mode="append")


def left(tables: Tables) -> list[tuple[str, int]]:
    rows = delta_reader.read(tables.deidentified.path, ["note_id", "year"]).to_pylist()
    return sorted((row["note_id"], row["year"]) for row in rows)


def reworded(table: LakeTable) -> LakeTable:
    """Return the table as a version of the program with other comments has it."""
    return replace(table, columns=pa.schema([column.with_metadata({"comment": "other"}) for column in table.columns]))


def test_a_lake_whose_comments_are_of_another_version_is_written(tables: Tables) -> None:
    """Comments of columns say nothing about rows: each way to write works as before."""
    texts(tables, [("a", 2010), ("b", 2010)])
    ledger, runs, counts = (reworded(table) for table in (tables.ledger, tables.runs, tables.phi_counts))
    assert [table.differences() for table in (ledger, runs, counts)] == [[], [], []]
    rows = [LEDGER_ROW | {"note_id": note, "path": note} for note in "ab"]
    ledger.upsert(rows[:1])
    ledger.upsert(rows)
    assert delta_reader.read(ledger.path, ["note_id"])["note_id"].to_pylist() == ["a", "b"]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    run = {"run_id": "r", "started": now, "finished": now, "pipeline": "p", "fingerprint": "f", "reader": "r"}
    runs.add(run | {"versions": {"deid": "1"}, "counts": {"notes": 2}, "seconds": {}, "tokens_per_second": 0.0})
    assert delta_reader.read(runs.path, ["run_id"])["run_id"].to_pylist() == ["r"]
    counts.overwrite(counts.columns.empty_table(), {})
    reworded(tables.deidentified).delete_notes({"a"})
    assert left(tables) == [("b", 2010)]
    reworded(tables.deidentified).map_columns(2010, lambda batch: {"patient_key": batch["note_id"]})
    assert delta_reader.read(tables.deidentified.path, ["patient_key"])["patient_key"].to_pylist() == ["b"]


def test_delete_notes_writes_only_the_files_of_the_notes_in_one_commit(tables: Tables) -> None:
    texts(tables, [("a", 2010), ("b", 2010), ("c", 2011), ("e", 2012), ("f", 2012)])
    texts(tables, [("d", 2010)])
    path = tables.deidentified.path
    before, version = set(delta_reader.data_files(path)), delta_reader.version(path)
    tables.deidentified.delete_notes({"a", "e", "unknown"})
    assert left(tables) == [("b", 2010), ("c", 2011), ("d", 2010), ("f", 2012)]
    kept = before & set(delta_reader.data_files(path))
    assert sorted(file.parent.name for file in kept) == ["year=2010", "year=2011"]
    assert delta_reader.version(path) == version + 1


def test_rows_that_stay_are_the_same_and_a_file_holds_no_value_of_one_that_went(tables: Tables) -> None:
    """A dictionary of a Parquet file would keep values that no row has."""
    table = tables.dropped
    row = {"year": 2010, "start": 1, "end": 2, "label": "PER", "type": "", "recogniser": "r", "score": 0.5}
    rows = [
        row | {"note_id": note, "rule": f"rule of {note}", "reason": "cut", "run_id": f"run {number}"}
        for number, note in enumerate("abacbdaab")
    ]
    table.add(*rows)
    table.delete_notes({"a"})
    columns = table.columns.names
    kept = [{name: row[name] for name in columns} for row in rows if row["note_id"] != "a"]
    assert delta_reader.read(table.path, columns).to_pylist() == kept
    [file] = delta_reader.data_files(table.path)
    assert b"rule of a" not in file.read_bytes()
    assert b"rule of b" in file.read_bytes()
    assert pq.read_schema(file).field("rule").type == pa.string()
    assert delta_reader.distinct(table.path, "note_id") == {"b", "c", "d"}


@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_a_removal_that_fails_leaves_the_files_as_they_were(tables: Tables, damaged: int) -> None:
    texts(tables, [(note, year) for year in (2010, 2011, 2012) for note in ("a", f"b{year}")])
    path = tables.deidentified.path
    files, version = delta_reader.data_files(path), delta_reader.version(path)
    files[damaged].write_bytes(b"no Parquet")
    with pytest.raises(pa.ArrowInvalid):
        tables.deidentified.delete_notes({"a"}, files)
    assert sorted(path.glob("**/*.parquet")) == files
    assert delta_reader.version(path) == version


def test_missing_values_stay_missing(tables: Tables) -> None:
    more = {"batch": "b", "text": "Anna", "tokens": 1, "fingerprint": "f", "run_id": "r", "year": 2010}
    more |= {"patient_key": "p", "patient_key_id": "k", "patient_source": "note"}
    languages = {"a": None, "b": "en", "c": None, "d": "fr"}
    tables.deidentified.add(*({"note_id": note, "languages": found} | more for note, found in languages.items()))
    tables.deidentified.delete_notes({"b"})
    found = delta_reader.read(tables.deidentified.path, ["note_id", "languages"]).to_pylist()
    assert {row["note_id"]: row["languages"] for row in found} == {"a": None, "c": None, "d": "fr"}


def test_tables_of_another_version_are_refused_with_all_differences(tables: Tables) -> None:
    tables.check()
    for table in (tables.ledger, tables.runs):
        shutil.rmtree(table.path)
    write_deltalake(str(tables.ledger.path), tables.ledger.columns.empty_table().drop_columns(["pipeline", "year"]))
    more = pa.field("weather", pa.string())
    columns = tables.runs.columns.append(more)
    columns = columns.set(columns.get_field_index("tokens_per_second"), pa.field("tokens_per_second", pa.int64()))
    write_deltalake(str(tables.runs.path), columns.empty_table())
    with pytest.raises(ConfigurationError) as caught:
        tables.check()
    *told, what_to_do = caught.value.problems
    assert [line.removeprefix(str(tables.ledger.path.parent.parent)) for line in told] == [
        "/restricted/ledger: lacks the column year",
        "/restricted/ledger: lacks the column pipeline",
        "/clean/runs: has the unknown column weather",
        "/clean/runs: column tokens_per_second is long, not double",
    ]
    assert "make a new lake" in what_to_do


def test_deleting_nothing_commits_nothing(tables: Tables) -> None:
    texts(tables, [("a", 2010)])
    version = delta_reader.version(tables.deidentified.path)
    tables.deidentified.delete_notes({"b"})
    tables.deidentified.delete_notes(())
    assert delta_reader.version(tables.deidentified.path) == version


def test_all_notes_of_a_year_can_be_deleted(tables: Tables) -> None:
    texts(tables, [("a", 2010), ("b", 2011)])
    tables.deidentified.delete_notes({"a"})
    assert left(tables) == [("b", 2011)]
    tables.deidentified.delete_notes({"b"})
    assert left(tables) == []


def test_compact(tables: Tables) -> None:
    for note in "abc":
        texts(tables, [(note, 2010), (note.upper(), 2011)])
    texts(tables, [("d", 2010)])
    rows = left(tables)
    table = tables.deidentified
    assert table.compact(above_files=4, small_file_bytes=10**6) == 0
    assert table.compact(above_files=3, small_file_bytes=10) == 0
    assert table.compact(above_files=3, small_file_bytes=10**6) == 4
    assert left(tables) == rows
    files = [path.parent.name for path in delta_reader.data_files(table.path)]
    assert (files.count("year=2010"), files.count("year=2011")) == (1, 3)
    assert table.compact(above_files=2, small_file_bytes=10**6) == 3
    assert table.compact(above_files=2, small_file_bytes=10**6) == 0


def test_compact_leaves_large_files_as_they_are_and_no_text_in_the_log(tables: Tables) -> None:
    table = tables.deidentified
    texts(tables, [(f"{number:06}", 2010) for number in range(20_000)])
    [large] = delta_reader.data_files(table.path)
    for note in "abc":
        texts(tables, [(note, 2010)])
    assert table.compact(above_files=2, small_file_bytes=20_000) == 3
    assert large in delta_reader.data_files(table.path)
    assert len(delta_reader.data_files(table.path)) == 2
    logs = [path.read_text() for path in table.path.rglob("_delta_log/*.json")]
    assert not any("Anna" in log or "deletionVector" in log for log in logs)
    assert len(delta_reader.dead_files(table.path)) == 3


def test_compact_a_table_without_years(tables: Tables) -> None:
    for number in range(3):
        tables.runs.add(run_row(f"run {number}"))
    assert tables.runs.compact(above_files=2, small_file_bytes=10**6) == 3
    found = delta_reader.read(tables.runs.path, ["run_id", "counts"]).to_pylist()
    assert sorted(row["run_id"] for row in found) == ["run 0", "run 1", "run 2"]
    assert dict(found[0]["counts"]) == {"new": 1}


def run_row(run_id: str) -> dict[str, Any]:
    from datetime import UTC, datetime

    return {
        "run_id": run_id,
        "started": datetime(2020, 1, 1, tzinfo=UTC),
        "finished": datetime(2020, 1, 1, tzinfo=UTC),
        "pipeline": "p",
        "fingerprint": "f",
        "reader": "r",
        "versions": {"a": "1"},
        "counts": {"new": 1},
        "seconds": {"convert": 0.5},
        "tokens_per_second": 0.0,
    }


@settings(max_examples=10)
@given(st.lists(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["converted", "deleted"]), min_size=1)))
def test_upserts_are_a_dictionary(tmp_path_factory: pytest.TempPathFactory, commits: list[dict[str, str]]) -> None:
    tables = Tables(Lake.at(tmp_path_factory.mktemp("lake")))
    tables.create()
    expected: dict[str, str] = {}
    for commit in commits:
        expected |= commit
        rows = [LEDGER_ROW | {"note_id": note, "path": note, "state": state} for note, state in commit.items()]
        tables.ledger.upsert(rows)
    found = delta_reader.read(tables.ledger.path, ["note_id", "state"]).to_pylist()
    assert {row["note_id"]: row["state"] for row in found} == expected
    assert len(found) == len(expected)
    assert delta_reader.version(tables.ledger.path) == len(commits)


def test_logs_hold_extremes_of_note_ids_only(tables: Tables) -> None:
    tables.ledger.upsert([LEDGER_ROW | {"note_id": "n1", "path": "Müller, Anna.doc"}])
    texts(tables, [("n1", 2010), ("n2", 2010)])
    tables.deidentified.delete_notes({"n1"})
    logs = [p.read_text() for table in (tables.ledger, tables.deidentified) for p in table.path.rglob("*.json")]
    assert any("n2" in log for log in logs)
    assert not any("Müller" in log or "Anna" in log for log in logs)


def test_deleted_rows_are_in_no_live_file(tables: Tables) -> None:
    texts(tables, [("a", 2010), ("b", 2010)])
    tables.deidentified.delete_notes({"a"})
    files = delta_reader.data_files(tables.deidentified.path)
    assert [pq.ParquetFile(file).read()["note_id"].to_pylist() for file in files] == [["b"]]
    assert len(delta_reader.dead_files(tables.deidentified.path)) == 1


def test_map_columns_changes_one_year(tables: Tables) -> None:
    texts(tables, [("a", 2010), ("b", 2010), ("c", 2011)])
    before = set(delta_reader.data_files(tables.deidentified.path))
    tables.deidentified.map_columns(
        2010, lambda rows: {"batch": pc.if_else(pc.equal(rows["note_id"], "a"), "new", rows["batch"])}
    )
    found = delta_reader.read(tables.deidentified.path, ["note_id", "batch", "text"]).to_pylist()
    assert {row["note_id"]: row["batch"] for row in found} == {"a": "new", "b": "b", "c": "b"}
    assert {row["text"] for row in found} == {"Anna"}
    kept = before & set(delta_reader.data_files(tables.deidentified.path))
    assert [path.parent.name for path in kept] == ["year=2011"]


def test_no_table_is_forgotten(tables: Tables) -> None:
    """All tables are created, checked, and freed of dead files."""
    root = tables.ledger.path.parents[1]
    assert {table.path for table in tables.all()} == {log.parent for log in root.glob("*/*/_delta_log")}
