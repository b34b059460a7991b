"""Merged files of raw notes: of the right size, each note once, in order."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.lake.runs.maintenance import _write
from deid_core.lake.tables import task_schemas


def part(numbers: list[int]) -> pa.Table:
    """The notes of a small file. No two compress to the same size."""
    data = [{"note_id": str(number), "text": f"{number:x}" * 50} for number in numbers]
    return pa.Table.from_pylist(data, schema=task_schemas.STORED)


@given(st.lists(st.lists(st.integers(), max_size=3), max_size=8), st.integers(1, 5_000))
def test_each_note_once_in_order(tmp_path_factory: pytest.TempPathFactory, parts: list[list[int]], size: int) -> None:
    folder = tmp_path_factory.mktemp("batch")
    _write(folder, map(part, parts), size)
    files = sorted(folder.iterdir())
    found = [note_id for file in files for note_id in pq.read_table(file)["note_id"].to_pylist()]
    assert found == [str(number) for numbers in parts for number in numbers]
    assert all(file.stat().st_size >= size for file in files[:-1])


def test_a_file_ends_when_it_is_no_longer_small(tmp_path: Path) -> None:
    _write(tmp_path, (part([number]) for number in range(10)), 1)
    assert len(list(tmp_path.iterdir())) == 10
    (tmp_path / "one").mkdir()
    _write(tmp_path / "one", (part([number]) for number in range(10)), 1_000_000)
    assert len(list((tmp_path / "one").iterdir())) == 1
