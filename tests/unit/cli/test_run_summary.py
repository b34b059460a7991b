"""The summary of a run tells what to do about quarantined notes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("pyspark", reason="needs the extra spark")

from deid_core.cli.run_summary import foreseen, summary
from deid_core.core.remedies import REMEDIES
from deid_core.lake.inspection.dry_run import DryRun
from deid_core.lake.layout import Lake
from deid_core.lake.tables.lake_table import Tables

ROW = {"size_bytes": 1, "mtime_ns": 2, "sha256": "", "reader": "r", "run_id": "run"}

INPUTS = SimpleNamespace(identities=None)


def test_each_reason_in_quarantine_comes_with_its_remedy(tmp_path: Path) -> None:
    lake = Lake.at(tmp_path / "lake")
    ledger = Tables(lake).ledger
    ledger.create()
    states = [("a", "converted", None), ("b", "quarantined", "encrypted"), ("c", "quarantined", "encrypted")]
    ledger.upsert(ROW | {"note_id": n, "path": f"Müller {n}", "state": s, "reason": r} for n, s, r in states)
    run = SimpleNamespace(
        lake=lake, drift=[], did_something=False, counts=Counter(), reasons=Counter(), seconds={}, inputs=INPUTS
    )
    text = summary(run)  # type: ignore[arg-type]
    assert f"encrypted 2: {REMEDIES['encrypted']}" in text  # type: ignore[index]
    assert f"deid list --lake {lake.root} --state quarantined --paths" in text
    assert f"detail of {lake.ledger}" in text
    assert "corrupt" not in text
    assert "Müller" not in text


def test_files_that_are_not_read_are_counted_by_ending(tmp_path: Path) -> None:
    lake = Lake.at(tmp_path / "lake")
    Tables(lake).ledger.create()
    counts = Counter({"listed": 0, "not_read.jpg": 3, "not_read.other": 20, "not_read.pdf": 1200})
    run = SimpleNamespace(
        lake=lake, drift=[], did_something=False, counts=counts, reasons=Counter(), seconds={}, inputs=INPUTS
    )
    line = "Files in the input folder that are not read: 1,200 .pdf, 3 .jpg, 20 with other endings"
    assert line in summary(run)  # type: ignore[arg-type]
    files = {"listed": 0, "new": 0, "deleted": 0} | counts
    assert line in foreseen(DryRun(files, {}, {}, 0))
    assert "not read" not in foreseen(DryRun({"listed": 0}, {}, {}, 0))


def test_copies_and_moved_notes_are_told(tmp_path: Path) -> None:
    lake = Lake.at(tmp_path / "lake")
    tables = Tables(lake)
    tables.create()
    files = [("converted", "x"), ("converted", "x"), ("converted", "y"), ("deleted", "y")]
    tables.ledger.upsert(
        ROW | {"note_id": str(n), "path": str(n), "state": state, "sha256": digest, "reason": None}
        for n, (state, digest) in enumerate(files)
    )
    run = SimpleNamespace(
        lake=lake, drift=[], did_something=True, counts=Counter({"listed": 3, "moved": 2}), reasons=Counter(),
        seconds={}, inputs=INPUTS, run_id="run", spec=SimpleNamespace(pipeline=SimpleNamespace(name="baseline")),
    )  # fmt: skip
    text = summary(run)  # type: ignore[arg-type]
    assert "1 note is a copy of another, byte for byte" in text
    assert "moved: new ids, made again" in text
