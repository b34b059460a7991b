"""A lake with a few clean rows and its nights, without Spark; what lies at a place where it was published."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake
from pyarrow.fs import FileSelector

from deid_core.core.s3_url import S3Url
from deid_core.lake.inputs.table_files import open_table
from deid_core.lake.layout import Lake
from deid_core.lake.object_store import file_system
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import LakeTable, Tables

TABLES = ("deidentified", "phi_audit", "phi_counts", "runs")
POLICY = "readable"
CANARY = "Zqxkanari"
"""Is in `restricted` alone."""
_PATIENT = {"patient_key": "1" * 32, "patient_key_id": "k", "patient_source": "id"}
_NOW = datetime(2026, 11, 28, tzinfo=UTC)


def new_lake(root: Path, notes: Iterable[tuple[str, int]] = (("a", 2010), ("b", 2010), ("c", 2011))) -> Lake:
    """Return a lake after its first night, with the texts of a policy."""
    lake = Lake.at(root)
    Tables(lake).create()
    LakeTable.of_output(lake, POLICY).create()
    lake.key.write_text(CANARY)
    write_deltalake(str(lake.ledger), pa.table({"path": [CANARY]}), mode="overwrite", schema_mode="overwrite")
    night(lake, new=notes)
    return lake


def night(lake: Lake, *, new: Iterable[tuple[str, int]] = (), gone: Iterable[str] = ()) -> None:
    """Remove notes, add others, count, and record the run, as a night does; also remove the files of before."""
    tables = Tables(lake)
    run = f"r{delta_reader.version(lake.runs)}"
    for table in tables.of_notes():
        table.delete_notes(set(gone))
    for note, year in new:
        row = {"note_id": note, "year": year, "fingerprint": "f", "run_id": run} | _PATIENT
        tables.detections.add(_found(note, year) | {"start": 1, "end": 7})
        tables.phi_audit.add(_found(note, year) | {"output_start": 1, "output_end": 6})
        tables.deidentified.add(row | {"batch": "b", "text": text_of(note), "tokens": 3})
        LakeTable.of_output(lake, POLICY).add(row | {"text": f"Frau Meier {note}", "key_id": ""})
    counts = {"label": "PER", "recogniser": "x", "notes": 1, "spans": 1, "per_1000_tokens": 0.5}
    years = delta_reader.read(lake.deidentified, ["year"])["year"].to_pylist()
    rows = [counts | {"year": year, "tokens": years.count(year)} for year in sorted(set(years))]
    tables.phi_counts.overwrite(pa.Table.from_pylist(rows, schema=tables.phi_counts.columns), {})
    row = {"run_id": run, "started": _NOW, "finished": _NOW, "pipeline": "p", "fingerprint": "f", "reader": CANARY[:1]}
    tables.runs.add(
        row | {"versions": {}, "counts": {"lake.notes": len(years)}, "seconds": {}, "tokens_per_second": 0.0}
    )
    for table in tables.all():
        for file in delta_reader.dead_files(table.path):
            file.unlink()


def text_of(note: str) -> str:
    return f"Frau <PER> {note * 20}"


def _found(note: str, year: int) -> dict[str, Any]:
    found = {"label": "PER", "type": "patient", "recogniser": "x", "rule": "y", "score": 1.0}
    return {"note_id": note, "year": year} | found


def rows(table: Path | S3Url) -> list[str]:
    """Return the rows of a table in any form of comparison, sorted."""
    opened = open_table(table)
    batches = opened.batches(opened.schema.names)
    return sorted(repr(sorted(row.items())) for batch in batches for row in batch.to_pylist())


def rows_of_lake(lake: Lake, names: Iterable[str] = TABLES) -> dict[str, list[str]]:
    return {name: rows(lake.clean / name) for name in names}


def names_below(place: Path | S3Url) -> set[str]:
    """Return the path of each file at a place, below it."""
    store, path = file_system(place)
    found = store.get_file_info(FileSelector(path, recursive=True, allow_not_found=True))
    return {file.path.removeprefix(f"{path}/") for file in found if file.is_file}


def contents(place: Path | S3Url) -> dict[str, bytes]:
    """Return each file at a place by its path below it."""
    store, path = file_system(place)
    found = {}
    for name in sorted(names_below(place)):
        with store.open_input_stream(f"{path}/{name}") as file:
            found[name] = file.read()
    return found


def below(place: Path | S3Url, name: str) -> Path | S3Url:
    return S3Url(f"{place.path}/{name}") if isinstance(place, S3Url) else place / name
