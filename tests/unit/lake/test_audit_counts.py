"""Counts of removed spans and of dropped detections, and when they are made again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from deid_core.lake.checks import audit_counts
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import LakeTable, Tables

DETECTION = {"label": "PER", "type": "other", "recogniser": "header", "rule": "r", "score": 0.5}
SPAN = DETECTION | {"output_start": 0, "output_end": 5}
DROPPED = DETECTION | {"start": 0, "end": 4, "reason": "below_threshold", "run_id": "run"}
PATIENT = {"patient_key": "p", "patient_key_id": "k", "patient_source": "note"}
TEXT = PATIENT | {"batch": "b", "text": "<PER>", "tokens": 100, "fingerprint": "f", "run_id": "run"}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Two notes of 2010 and one of 2011, with removed spans and dropped detections."""
    lake = Lake.at(tmp_path / "lake")
    tables = Tables(lake)
    tables.create()
    notes = [("a", 2010), ("b", 2010), ("c", 2011)]
    append(tables.deidentified, [TEXT | {"note_id": note, "year": year} for note, year in notes])
    spans = [("a", 2010), ("a", 2010), ("b", 2010), ("c", 2011)]
    append(tables.phi_audit, [SPAN | {"note_id": note, "year": year} for note, year in spans])
    dropped = [("a", 2010, "x"), ("a", 2010, "x"), ("b", 2010, "x"), ("b", 2010, "y")]
    append(tables.dropped, [DROPPED | {"note_id": note, "year": year, "rule": rule} for note, year, rule in dropped])
    return lake


def append(table: LakeTable, rows: list[dict[str, Any]]) -> None:
    write_deltalake(str(table.path), pa.Table.from_pylist(rows, schema=table.columns), mode="append")


def test_spans_are_counted_by_year_label_and_recogniser(lake: Lake) -> None:
    audit_counts.update(Tables(lake))
    key = {"label": "PER", "recogniser": "header"}
    assert delta_reader.read(lake.phi_counts, Tables(lake).phi_counts.columns.names).to_pylist() == [
        {"year": 2010} | key | {"notes": 2, "spans": 3, "tokens": 200, "per_1000_tokens": 15.0},
        {"year": 2011} | key | {"notes": 1, "spans": 1, "tokens": 100, "per_1000_tokens": 10.0},
    ]


def test_dropped_detections_are_counted_by_rule_and_reason(lake: Lake) -> None:
    audit_counts.update(Tables(lake))
    rows = delta_reader.read(lake.dropped_counts, ["year", "rule", "reason", "notes", "detections"]).to_pylist()
    assert rows == [
        {"year": 2010, "rule": "x", "reason": "below_threshold", "notes": 2, "detections": 3},
        {"year": 2010, "rule": "y", "reason": "below_threshold", "notes": 1, "detections": 1},
    ]


def test_totals_of_the_lake(lake: Lake) -> None:
    tables = Tables(lake)
    audit_counts.update(tables)
    assert audit_counts.lake_totals(tables) == {"lake.notes": 3, "lake.tokens": 300, "lake.spans.PER": 4}


def test_totals_of_an_empty_lake(tmp_path: Path) -> None:
    tables = Tables(Lake.at(tmp_path))
    tables.create()
    assert audit_counts.lake_totals(tables) == {"lake.notes": 0, "lake.tokens": 0}


def test_counts_are_made_again_only_if_a_table_changed(lake: Lake) -> None:
    tables = Tables(lake)
    assert audit_counts.are_outdated(lake)
    audit_counts.update(tables)
    assert not audit_counts.are_outdated(lake)
    tables.dropped.delete_notes({"b"})
    assert audit_counts.are_outdated(lake)
    version = delta_reader.version(lake.phi_counts)
    audit_counts.update(tables)
    assert delta_reader.read(lake.dropped_counts, ["detections"])["detections"].to_pylist() == [2]
    assert delta_reader.version(lake.phi_counts) == version


def test_counts_are_made_again_if_a_table_was_made_again_with_as_many_commits(lake: Lake) -> None:
    tables = Tables(lake)
    audit_counts.update(tables)
    version = delta_reader.version(lake.dropped)
    shutil.rmtree(lake.dropped)
    tables.create()
    append(tables.dropped, [DROPPED | {"note_id": "a", "year": 2010, "rule": "z"}])
    assert delta_reader.version(lake.dropped) == version
    assert audit_counts.are_outdated(lake)
    audit_counts.update(tables)
    assert delta_reader.read(lake.dropped_counts, ["rule"])["rule"].to_pylist() == ["z"]


def test_a_new_lake_has_nothing_to_count(tmp_path: Path) -> None:
    assert not audit_counts.are_outdated(Lake.at(tmp_path / "lake"))


def test_a_lake_of_the_version_before_gets_the_new_tables(lake: Lake) -> None:
    """It has no table of dropped detections. That is no reason to refuse it, nor to count anything."""
    audit_counts.update(Tables(lake))
    for path in (lake.dropped, lake.dropped_counts):
        shutil.rmtree(path)
    tables = Tables(lake)
    tables.check()
    assert not audit_counts.are_outdated(lake)
    tables.create()
    assert audit_counts.are_outdated(lake)
    audit_counts.update(tables)
    assert not audit_counts.are_outdated(lake)
    assert delta_reader.read(lake.dropped_counts, ["year"]).num_rows == 0
