"""A finished run that ends with exit code 65: all reasons at once, a line each, which says what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from deid_core.cli import main
from deid_core.core.errors import ExitCode, NeedsAttentionError
from deid_core.lake.layout import Lake
from deid_core.lake.tables.lake_table import Tables
from deid_core.pipeline.settings_file import QuarantineSettings, RunSettings, Settings
from deid_core.spark import run_lake
from deid_core.spark.exit_checks import check_run
from deid_core.spark.spark_run import SparkRun

FILE = {"size_bytes": 1, "mtime_ns": 1, "sha256": "0", "reader": "r", "run_id": "r", "path": "Muster.doc", "year": 2010}
CONVERTED = {"state": "converted", "year_source": "path"}
BY_FILE = {"state": "converted", "year_source": "file"}
DELETED = {"state": "deleted", "year_source": "file"}
EMPTY = {"state": "quarantined", "reason": "empty"}
CORRUPT = {"state": "quarantined", "reason": "corrupt"}


def run(folder: Path, rows: Iterable[Mapping[str, Any]], settings: Settings | None = None, drifts: int = 0) -> SparkRun:
    """Return a finished run of a lake with these ledger rows."""
    lake = Lake.at(folder / "lake")
    tables = Tables(lake)
    tables.create()
    tables.ledger.upsert([FILE | {"note_id": f"{number:04}"} | row for number, row in enumerate(rows)])
    return cast(SparkRun, SimpleNamespace(lake=lake, settings=settings or Settings(), drift=[None] * drifts))


def test_too_many_in_quarantine(tmp_path: Path) -> None:
    """One line says how many, why, which command shows more, which setting counts."""
    rows = [EMPTY, CORRUPT, EMPTY, CONVERTED]
    finished = run(tmp_path, rows, Settings(quarantine=QuarantineSettings(allowed_share=0.5)))
    with pytest.raises(NeedsAttentionError) as caught:
        check_run(finished)
    [told] = caught.value.problems
    assert told.startswith("3 of the lake's 4 notes are in quarantine (1 corrupt, 2 empty)")
    assert "(quarantine.allowed_share)" in told
    assert told.endswith(f"deid list --lake {finished.lake.root} --state quarantined --paths")
    assert caught.value.exit_code == ExitCode.QUARANTINE
    check_run(run(tmp_path / "other", rows, Settings(quarantine=QuarantineSettings(allowed_share=0.75))))


def test_too_many_years_of_files_are_an_error_that_names_the_setting(tmp_path: Path) -> None:
    """Copied files have the date of the copy."""
    told = r"20 of the lake's 399 notes .*allowed_file_year_share: 1\.0"
    with pytest.raises(NeedsAttentionError, match=told) as caught:
        check_run(run(tmp_path, [BY_FILE] * 20 + [CONVERTED] * 379))
    assert caught.value.exit_code == ExitCode.QUARANTINE


@pytest.mark.parametrize(
    ("files", "paths", "deleted", "allowed"),
    [(20, 380, 0, 0.05), (19, 1, 0, 0.05), (0, 0, 0, 0.05), (19, 100, 300, 0.05), (30, 0, 0, 1.0)],
)
def test_few_deleted_ones_and_allowed_ones_are_none(
    files: int, paths: int, deleted: int, allowed: float, tmp_path: Path
) -> None:
    rows = [BY_FILE] * files + [CONVERTED] * paths + [DELETED] * deleted
    check_run(run(tmp_path, rows, Settings(run=RunSettings(allowed_file_year_share=allowed))))


def test_all_reasons_are_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finished = run(tmp_path, [EMPTY] * 10 + [BY_FILE] * 20, drifts=2)
    with pytest.raises(NeedsAttentionError) as caught:
        check_run(finished)
    assert len(caught.value.problems) == 2
    monkeypatch.setattr(finished, "stop_spark", lambda: None, raising=False)
    monkeypatch.setattr(run_lake, "run_lake", lambda options: finished)
    command = ["run", "--input", "notes", "--lake", str(tmp_path), "--quiet", "--fail-on-drift"]
    assert main(command) == ExitCode.QUARANTINE
    quarantine, years, drift = capsys.readouterr().err.splitlines()
    assert quarantine.startswith("deid run: 10 of the lake's 30 notes are in quarantine (10 empty)")
    assert years.startswith("20 of the lake's 20 notes have the year of their file's date")
    assert drift.startswith("the notes of this run differ from those of earlier runs in 2 measures")
