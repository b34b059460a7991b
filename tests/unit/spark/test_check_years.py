"""Too many notes with the year of their file's date: copied files have the date of the copy."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from deid_core.core.errors import ExitCode, YearsOfFilesError
from deid_core.lake.layout import Lake
from deid_core.lake.tables.lake_table import Tables
from deid_core.pipeline.settings_file import RunSettings, Settings
from deid_core.spark.exit_checks import check_years
from deid_core.spark.spark_run import SparkRun

FILE = {"size_bytes": 1, "mtime_ns": 1, "sha256": "0", "reader": "r", "run_id": "r", "state": "converted", "year": 2010}


def run(folder: Path, *, files: int, paths: int, deleted: int = 0, **settings: float) -> SparkRun:
    lake = Lake.at(folder / "lake")
    tables = Tables.from_lake(lake)
    tables.create()
    rows: list[dict[str, Any]] = []
    for number in range(files + paths + deleted):
        row = FILE | {"note_id": f"{number:04}", "path": f"{number}.txt"}
        row["year_source"] = "path" if files <= number < files + paths else "file"
        rows.append(row | ({"state": "deleted"} if number >= files + paths else {}))
    tables.ledger.upsert(rows)
    settings_of_run = RunSettings(**settings)  # type: ignore[arg-type]
    return cast(SparkRun, SimpleNamespace(lake=lake, settings=Settings(run=settings_of_run)))


def test_too_many_are_an_error_that_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(YearsOfFilesError, match=r"20 of the lake's 399 notes .*allowed_file_year_share: 1\.0") as error:
        check_years(run(tmp_path, files=20, paths=379))
    assert error.value.exit_code == ExitCode.QUARANTINE


@pytest.mark.parametrize(
    ("files", "paths", "deleted", "settings"),
    [
        (20, 380, 0, {}),
        (19, 1, 0, {}),
        (0, 0, 0, {}),
        (19, 100, 300, {}),
        (30, 0, 0, {"allowed_file_year_share": 1.0}),
    ],
)
def test_few_deleted_ones_and_allowed_ones_are_none(
    files: int, paths: int, deleted: int, settings: dict[str, float], tmp_path: Path
) -> None:
    check_years(run(tmp_path, files=files, paths=paths, deleted=deleted, **settings))
