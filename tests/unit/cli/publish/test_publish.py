"""`deid publish`: copies of the clean tables after nights, in a folder and on a store."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("moto", reason="needs the extra dev")

from clean_tables import CANARY, POLICY, TABLES, below, contents, night, rows_of_lake, text_of
from published_copy import (
    a_night,
    assert_is_the_lakes,
    before_step,
    data_files,
    files_with_note,
    killed,
    live,
    log_of,
    publish,
    published,
    versions,
)

from deid_core.core.s3_url import S3Url
from deid_core.lake.layout import Lake
from deid_core.lake.outputs.published_table import PublishedTable
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables


def test_the_first_publication(lake: Lake, place: Path | S3Url, capsys: pytest.CaptureFixture[str]) -> None:
    """Four tables, with the columns, comments and partitions of the lake's; nothing of `restricted`."""
    assert publish(lake, place) == 0
    assert_is_the_lakes(lake, place)
    found = contents(place)
    assert {name.partition("/")[0] for name in found} == set(TABLES)
    assert CANARY not in repr(list(found.values()))
    assert b'"minValues"' not in b"".join(found.values())
    for name in TABLES:
        log, own = log_of(place, name), delta_reader.open_log(lake.clean / name)
        assert log.schema().to_json() == own.schema().to_json()
        assert log.metadata().partition_columns == own.metadata().partition_columns
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{below(place, 'deidentified')}: version 1, 3 rows; 3 files added, 0 removed"
    assert [line.partition(": version 1, ")[0] for line in told] == [str(below(place, name)) for name in TABLES]


def test_a_night_without_a_change(lake: Lake, place: Path | S3Url, capsys: pytest.CaptureFixture[str]) -> None:
    assert publish(lake, place) == 0
    before = contents(place)
    capsys.readouterr()
    with before_step(0, killed) as reached:
        assert publish(lake, place) == 0
    assert not reached
    assert contents(place) == before
    assert capsys.readouterr().out.count("; unchanged\n") == len(TABLES)


def test_nights(lake: Lake, place: Path | S3Url, monkeypatch: pytest.MonkeyPatch) -> None:
    """One commit for each table that changed, and only new files are written."""
    put_files = []
    step = PublishedTable._put

    def counted(copy: PublishedTable, source: Path, name: str) -> None:
        put_files.append(source)
        step(copy, source, name)

    monkeypatch.setattr(PublishedTable, "_put", counted)
    assert publish(lake, place) == 0
    for number in range(2, 4):
        before = {file for name in TABLES for file in live(lake, name)}
        night(lake, gone=[f"n{number - 1}"], new=[(f"n{number}", 2010), (f"m{number}", 2011)])
        put_files.clear()
        assert publish(lake, place) == 0
        assert_is_the_lakes(lake, place)
        assert set(put_files) == {file for name in TABLES for file in live(lake, name)} - before
        assert versions(place) == dict.fromkeys(TABLES, number)
    Tables(lake).runs.compact(above_files=0, small_file_bytes=1_000_000)
    assert publish(lake, place) == 0
    assert versions(place) == dict.fromkeys(TABLES, 3) | {"runs": 4}
    assert published(place) == rows_of_lake(lake)


def test_a_withdrawn_note_is_gone(lake: Lake, place: Path | S3Url) -> None:
    """From the tables, and from all that lies there: no older version has it."""
    assert publish(lake, place) == 0
    assert text_of("a") in repr(published(place))
    holding = files_with_note(lake, "a")
    assert holding and holding <= data_files(place)
    night(lake, gone=["a"])
    assert publish(lake, place) == 0
    assert_is_the_lakes(lake, place)
    assert text_of("a") not in repr(published(place))
    assert not data_files(place) & holding
    assert [row for row in published(place)["phi_audit"] if "('note_id', 'a')" in row] == []


def test_a_patients_text_leaves_first(lake: Lake, place: Path | S3Url, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the run is listed last."""
    assert publish(lake, place) == 0
    a_night(lake)
    done = []
    step = PublishedTable._commit
    monkeypatch.setattr(PublishedTable, "_commit", lambda copy, *args: (done.append(copy.place), step(copy, *args)))
    assert publish(lake, place) == 0
    assert done == [below(place, name) for name in TABLES]


def test_who_may_read_clean_alone(lake: Lake, folder: Path) -> None:
    shutil.rmtree(lake.restricted)
    assert publish(lake, folder) == 0
    assert_is_the_lakes(lake, folder)


def test_texts_of_a_policy(lake: Lake, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the audit: it would tell which names are invented. Nor are they put beside other texts."""
    names = (f"deidentified_{POLICY}", "phi_counts", "runs")
    Tables(lake).outputs[0].delete_notes({"a"})
    assert publish(lake, folder, "--policy", POLICY) == 64
    assert "each note's real year, which tells the shift" in capsys.readouterr().err
    assert not folder.exists() or not contents(folder)
    assert publish(lake, folder, "--policy", POLICY, "--with-years") == 0
    assert published(folder, names) == rows_of_lake(lake, names)
    assert {name.partition("/")[0] for name in contents(folder)} == set(names)
    told = capsys.readouterr().err
    assert "1 notes of the lake have no text of this policy yet" in told
    before = contents(folder)
    assert publish(lake, folder) == 64
    assert f"holds deidentified_{POLICY} of another --policy" in capsys.readouterr().err
    assert contents(folder) == before
