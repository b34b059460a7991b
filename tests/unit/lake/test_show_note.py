"""One note before and after; lost raw texts, dropped detections, quarantined notes."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake

from deid_core.core.errors import ConfigurationError
from deid_core.lake.inspection.show_note import before_and_after
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ledger import LedgerRow
from deid_core.lake.states import State
from deid_core.lake.tables.lake_table import Tables
from deid_core.lake.tables.task_schemas import STORED

NOTE = "0" * 32
ROW = LedgerRow(NOTE, "a.txt", 1, 2, "", State.CONVERTED, "reader", "run", batch="b", year=2010, year_source="path")


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A lake with a note in ledger and clean tables."""
    made = Lake.at(tmp_path / "lake")
    tables = Tables(made)
    tables.create()
    tables.ledger.upsert([asdict(ROW)])
    text = {"note_id": NOTE, "year": 2010, "batch": "b", "text": "<PER>", "tokens": 1, "fingerprint": "f"}
    text |= {"patient_key": "p", "patient_key_id": "k", "patient_source": "note"}
    rows = pa.Table.from_pylist([text | {"run_id": "run"}], schema=tables.deidentified.columns)
    write_deltalake(str(tables.deidentified.path), rows, mode="append")
    return made


def raw(lake: Lake, *note_ids: str) -> Path:
    """Write these notes into a file in the folder of the note's batch; no file if there are none."""
    folder = lake.notes / "year=2010" / "batch=b"
    folder.mkdir(parents=True)
    if note_ids:
        rows = [{"note_id": note_id, "text": f"Anna {note_id}"} for note_id in note_ids]
        pq.write_table(pa.Table.from_pylist(rows, schema=STORED), folder / "part-0.parquet")
    return folder


def test_a_note_is_found_among_others(lake: Lake) -> None:
    raw(lake, "1" * 32, NOTE)
    found = before_and_after(lake, NOTE)
    assert (found.before, found.after, found.year) == (f"Anna {NOTE}", "<PER>", 2010)


def test_a_lost_folder(lake: Lake) -> None:
    """The next run notices that itself."""
    with pytest.raises(ConfigurationError, match=r"there is no .*/year=2010/batch=b; restore it, or let the next run"):
        before_and_after(lake, NOTE)


@pytest.mark.parametrize("others", [(), ("1" * 32,)])
def test_a_text_lost_from_its_folder(lake: Lake, others: tuple[str, ...]) -> None:
    """A run notices that only if it knows the file's checksum."""
    raw(lake, *others)
    with pytest.raises(ConfigurationError, match=r"batch=b exists but does not hold it; restore the folder"):
        before_and_after(lake, NOTE)


def test_what_was_dropped_is_shown_by_place(lake: Lake) -> None:
    raw(lake, NOTE)
    assert before_and_after(lake, NOTE).dropped == ()
    found = {
        "label": "PER",
        "type": "other",
        "recogniser": "crf",
        "rule": "r",
        "score": 0.5,
        "reason": "x",
    }
    places = [{"start": 5, "end": 9}, {"start": 0, "end": 4}]
    keys = {"note_id": NOTE, "year": 2010, "run_id": "run"}
    table = Tables(lake).dropped
    rows = pa.Table.from_pylist([keys | place | found for place in places], schema=table.columns)
    write_deltalake(str(table.path), rows, mode="append")
    assert before_and_after(lake, NOTE).dropped == tuple(place | found for place in reversed(places))


def test_a_quarantined_note_is_shown_with_what_to_do(lake: Lake) -> None:
    row = ROW.quarantined("encrypted", "", run_id="run", pipeline="p")
    Tables(lake).ledger.upsert([asdict(row)])
    with pytest.raises(ConfigurationError, match="quarantined: encrypted; what to do: open the file in Word"):
        before_and_after(lake, NOTE)
