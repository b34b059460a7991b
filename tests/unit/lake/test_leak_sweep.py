"""What clean/leak_sweep counts, and a lake of a version that had no such table."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from deid_core.core.errors import Reason
from deid_core.core.spans import DropReason
from deid_core.lake.checks import audit_counts
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.columns import LEAK_SWEEP
from deid_core.lake.tables.lake_table import LakeTable, Tables

SWEPT = {"label": "PER", "type": "person", "recogniser": "sweep", "score": 1.0}
FILE = {"size_bytes": 1, "mtime_ns": 1, "sha256": "0", "reader": "r", "run_id": "r"}
PATIENT = {"patient_key": "p", "patient_key_id": "k", "patient_source": "note"}
TEXT = PATIENT | {"batch": "b", "text": "<PER>", "tokens": 100, "run_id": "run"}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Two notes of 2010 that a pipeline with the sweep made, one of 2011 that another made, two in quarantine."""
    lake = Lake.at(tmp_path / "lake")
    tables = Tables(lake)
    tables.create()
    notes = [("a", 2010, "f"), ("b", 2010, "f-known"), ("c", 2011, "older")]
    append(tables.deidentified, [TEXT | {"note_id": n, "year": year, "fingerprint": made} for n, year, made in notes])
    place = {"output_start": 0, "output_end": 5}
    spans = [("a", "header.name.letterhead"), ("a", "header.name.letterhead"), ("b", "patient.number.stacking")]
    append(tables.phi_audit, [SWEPT | place | {"note_id": n, "year": 2010, "rule": rule} for n, rule in spans])
    append(tables.phi_audit, [SWEPT | place | {"note_id": "a", "year": 2010, "rule": "r", "recogniser": "pattern"}])
    common = {"start": 0, "end": 4, "reason": DropReason.COMMON.value, "run_id": "r", "rule": "header.name.crf"}
    append(tables.dropped, [SWEPT | common | {"note_id": "b", "year": 2010}])
    rules = "header.name.letterhead, header.number.pattern"
    quarantined = {"state": "quarantined", "year": 2011}
    tables.ledger.upsert(
        [
            FILE | quarantined | {"note_id": "d", "path": "d", "reason": Reason.LEAK.value, "detail": rules},
            FILE | quarantined | {"note_id": "e", "path": "e", "reason": Reason.EMPTY.value, "detail": ""},
        ]
    )
    return lake


def append(table: LakeTable, rows: list[dict[str, Any]]) -> None:
    write_deltalake(str(table.path), pa.Table.from_pylist(rows, schema=table.columns), mode="append")


def counted(lake: Lake) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in delta_reader.read(lake.leak_sweep, LEAK_SWEEP.names).to_pylist()]


def test_what_the_sweep_found_is_counted(lake: Lake) -> None:
    audit_counts.update(Tables(lake), "f")
    assert counted(lake) == [
        (2010, "", "", "searched", "", 2, 0),
        (2011, "", "", "searched", "", 1, 0),
        (2010, "header", "name", "redacted", "letterhead", 1, 2),
        (2010, "patient", "number", "redacted", "stacking", 1, 1),
        (2010, "header", "name", "common", "crf", 1, 1),
        (2011, "header", "name", "quarantined", "letterhead", 1, 1),
        (2011, "header", "number", "quarantined", "pattern", 1, 1),
    ]


def test_a_pipeline_without_the_sweep_searched_nothing_but_what_is_in_quarantine(lake: Lake) -> None:
    audit_counts.update(Tables(lake))
    assert [row for row in counted(lake) if row[3] == "searched"] == [(2011, "", "", "searched", "", 1, 0)]


def test_a_lake_of_a_version_without_the_table_gets_it(lake: Lake) -> None:
    tables = Tables(lake)
    audit_counts.update(tables, "f")
    found = counted(lake)
    shutil.rmtree(lake.leak_sweep)
    tables.check()
    assert audit_counts.are_outdated(lake)
    tables.create()
    audit_counts.update(tables, "f")
    assert counted(lake) == found
    assert not audit_counts.are_outdated(lake)
