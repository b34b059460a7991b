"""Rows of the tables from what executors staged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_core.lake.layout import Lake
from deid_core.lake.runs.staged_rows import item_rows, note_rows, replace_staged
from deid_core.lake.tables import delta_reader, task_schemas
from deid_core.lake.tables.arrow_codec import record_batch
from deid_core.lake.tables.lake_table import Tables

_SPAN = (0, 4, 0, 5, "PER", "person", "pattern", "rule", 0.5)


def stage(folder: Path, notes: Sequence[dict[str, Any]]) -> Path:
    """Write the notes as executors do, a file for two of them."""
    folder.mkdir()
    for number in range(0, len(notes), 2):
        batch = record_batch(notes[number : number + 2], task_schemas.REDACTED)
        pq.write_table(pa.Table.from_batches([batch]), folder / f"part-{number}.parquet")
    return folder


def note(note_id: str, *, spans: int = 1, reason: str | None = None) -> dict[str, Any]:
    made = {"text": f"text of {note_id}", "tokens": 3, "spans": [_SPAN] * spans, "dropped": [], "refused": 0}
    base = {"note_id": note_id, "year": 2010 + ord(note_id[-1]) % 2, "batch": "b"}
    return base | ({"reason": reason, "detail": ""} if reason else made | {"patient_evidence": [("id", note_id)]})


def rows(batches: Any) -> list[dict[str, Any]]:
    return [row for batch in batches for row in batch.to_pylist()]


@given(counts=st.lists(st.none() | st.integers(0, 3), min_size=1, max_size=6))
@settings(max_examples=25)
def test_every_item_of_every_note_that_succeeded_is_a_row(
    counts: list[int | None], tmp_path_factory: pytest.TempPathFactory
) -> None:
    notes = [
        note(f"n{place}", reason="internal") if count is None else note(f"n{place}", spans=count)
        for place, count in enumerate(counts)
    ]
    folder = stage(tmp_path_factory.mktemp("staged") / "batch", notes)
    found = rows(item_rows(folder, task_schemas.REDACTED, "spans"))
    expected = [name for place, count in enumerate(counts) for name in [f"n{place}"] * (count or 0)]
    assert sorted(row["note_id"] for row in found) == sorted(expected)
    assert all(row["label"] == "PER" and row["output_end"] == 5 for row in found)


def test_texts_carry_the_columns_that_are_known_of_their_notes(tmp_path: Path) -> None:
    folder = stage(tmp_path / "batch", [note("a"), note("b", reason="internal"), note("c"), note("d")])
    known = pa.table({"note_id": ["d", "b", "a"], "patient_key": ["of d", "of b", "of a"]})
    found = rows(note_rows(folder, task_schemas.REDACTED, ["note_id", "text"], known))
    # b failed, and of c nothing is known.
    assert sorted((row["note_id"], row["text"], row["patient_key"]) for row in found) == [
        ("a", "text of a", "of a"),
        ("d", "text of d", "of d"),
    ]


def test_appended_rows_have_the_columns_of_the_table(tmp_path: Path) -> None:
    lake = Lake.at(tmp_path / "lake")
    lake.prepare()
    dropped = Tables(lake).dropped
    dropped.create()
    made = note("a") | {"dropped": [(0, 4, "PER", "person", "crf", "rule", 0.5, "below_threshold")] * 3}
    folder = stage(tmp_path / "batch", [made, note("b")])
    dropped.append(item_rows(folder, task_schemas.REDACTED, "dropped"), run_id="r")
    found = delta_reader.read(dropped.path, dropped.columns.names)
    assert found.num_rows == 3
    assert set(found["run_id"].to_pylist()) == {"r"}
    assert delta_reader.version(dropped.path) == 1


def test_no_rows_are_no_commit(tmp_path: Path) -> None:
    lake = Lake.at(tmp_path / "lake")
    lake.prepare()
    dropped = Tables(lake).dropped
    dropped.create()
    folder = stage(tmp_path / "batch", [note("a")])
    dropped.append(item_rows(folder, task_schemas.REDACTED, "dropped"), run_id="r")
    assert delta_reader.version(dropped.path) == 0


def test_rows_of_a_second_attempt_replace_the_first_ones(tmp_path: Path) -> None:
    """Of a file that has others as well, of one that has none, and of a note that now failed."""
    first = stage(tmp_path / "first", [note(f"n{number}") for number in range(4)])
    second = stage(tmp_path / "second", [note("n1", spans=3), note("n2"), note("n3", reason="leak")])
    replace_staged(first, second, {"n1", "n2", "n3"})
    found = [row["note_id"] for row in rows(item_rows(first, task_schemas.REDACTED, "spans"))]
    assert sorted(found) == ["n0", "n1", "n1", "n1", "n2"]
    assert len({row["note_id"] for row in pq.read_table(first, columns=["note_id"]).to_pylist()}) == 4
