"""Removing notes from files of raw notes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deid_core.lake.runs.note_removal import remove_notes


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "part-0.parquet"
    pq.write_table(pa.table({"note_id": ["a", "b"], "text": ["x", "y"]}), path)
    return path


def test_notes_are_removed(file: Path) -> None:
    assert remove_notes(file, {"a", "c"}) == 1
    assert pq.read_table(file)["note_id"].to_pylist() == ["b"]


def test_a_file_without_notes_is_removed(file: Path) -> None:
    assert remove_notes(file, {"a", "b"}) == 2
    assert not file.exists()


def test_other_files_are_not_written(file: Path) -> None:
    before = file.read_bytes(), file.stat().st_mtime_ns
    assert remove_notes(file, {"c"}) == 0
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


@pytest.mark.parametrize("note_ids", ["a", "ab", "c"])
def test_remains_of_a_killed_run_are_removed(file: Path, note_ids: str) -> None:
    left = file.with_name(f".{file.name}.new")
    left.write_bytes(b"raw text")
    remove_notes(file, set(note_ids))
    assert not left.exists()


def test_the_checksum_of_the_old_file_is_removed(file: Path) -> None:
    """Spark would take the new file for damaged."""
    checksum = file.with_name(f".{file.name}.crc")
    checksum.write_bytes(b"crc")
    remove_notes(file, {"a"})
    assert not checksum.exists()
