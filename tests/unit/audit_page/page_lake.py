"""A lake of five files whose figures can be computed by hand, and a name that must not come out of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake

from deid_core.lake.checks import audit_counts
from deid_core.lake.layout import Lake
from deid_core.lake.tables.lake_table import LakeTable, Tables

CANARY = "Zqxkanari"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
_SPANS = [
    ("a", 2010, "PER", "patient", "letterhead", 0.95),
    ("a", 2010, "PER", "clinician", "stacking", 0.3),
    ("a", 2010, "DATE", "date", "pattern", 1.0),
    ("b", 2011, "PER", "patient", "letterhead", 0.5),
]
_FILES = [("a", 2010, "path"), ("b", 2011, "path"), ("c", 2011, "file")]


def page_lake(folder: Path) -> Lake:
    """Three notes of 2010 and 2011, one of them without spans, two files in quarantine, one deleted; two runs."""
    lake = Lake.at(folder / "lake")
    lake.prepare()
    tables = Tables(lake)
    tables.create()
    tables.ledger.upsert(
        [
            *(_file(note, state="converted", year=year, year_source=source) for note, year, source in _FILES),
            _file("d", state="quarantined", reason="empty", detail=CANARY),
            _file("e", state="quarantined", reason="engine_timeout", year=2011, year_source="path"),
            _file("f", state="deleted"),
        ]
    )
    text = {"batch": "b", "text": f"<PER> {CANARY}\n \nam <DATE>\n", "fingerprint": "f" * 16, "run_id": "r"}
    text |= {"patient_key": "k" * 16, "patient_key_id": "k", "patient_source": "note"}
    append(
        tables.deidentified,
        [
            text | {"note_id": note, "year": year, "tokens": tokens}
            for (note, year, _), tokens in zip(_FILES, (100, 60, 40), strict=True)
        ],
    )
    names = ("note_id", "year", "label", "type", "recogniser", "score")
    place = {"output_start": 0, "output_end": 5, "rule": "r"}
    append(tables.phi_audit, [place | dict(zip(names, span, strict=True)) for span in _SPANS])
    dropped = {"start": 0, "end": 4, "label": "PER", "type": "person", "recogniser": "crf", "score": 0.4, "run_id": "r"}
    dropped |= {"rule": "crf.PER", "reason": "stacking.drop_above"}
    append(tables.dropped, [dropped | {"note_id": note, "year": year} for note, year in (("a", 2010), ("b", 2011))])
    audit_counts.update(tables, "f" * 16)
    before = {"lake.notes": 2, "lake.tokens": 160, "lake.spans.PER": 2}
    append(tables.runs, [_run("r1", 1, before), _run("r2", 2, audit_counts.lake_totals(tables) | {"listed": 5})])
    return lake


def append(table: LakeTable, rows: list[dict[str, Any]]) -> None:
    """Append rows to a table of the lake."""
    write_deltalake(str(table.path), pa.Table.from_pylist(rows, schema=table.columns), mode="append")


def _file(note: str, **columns: Any) -> dict[str, Any]:
    known = {
        "path": f"{CANARY}/{note}.doc",
        "size_bytes": 1,
        "mtime_ns": 1,
        "sha256": "0",
        "reader": "r",
        "run_id": "r",
    }
    return {"note_id": note, **known, **columns}


def _run(name: str, day: int, of_lake: dict[str, int]) -> dict[str, Any]:
    return {
        "run_id": name,
        "started": datetime(2026, 3, day, 1, tzinfo=UTC),
        "finished": datetime(2026, 3, day, 1, 2, tzinfo=UTC),
        "pipeline": "default",
        "fingerprint": "f" * 16,
        "reader": "r",
        "versions": {"deid": "0.5.0", "python": "3.11"},
        "counts": of_lake,
        "seconds": {"convert": 60.0},
        "tokens_per_second": 5.0,
    }
