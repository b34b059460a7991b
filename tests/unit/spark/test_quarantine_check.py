"""Too many notes in quarantine: one line that says how many, why, which command shows more, which setting counts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from deid_core.core.errors import ExitCode, QuarantineExceededError
from deid_core.lake.layout import Lake
from deid_core.lake.tables.lake_table import Tables
from deid_core.pipeline.settings_file import QuarantineSettings, Settings
from deid_core.spark.exit_checks import check_quarantine
from deid_core.spark.spark_run import SparkRun

FILE = {"size_bytes": 1, "mtime_ns": 1, "sha256": "0", "reader": "r", "run_id": "r", "path": "Muster.doc"}
REASONS = ("empty", "corrupt", "empty", None)


def test_the_line_says_what_to_do(tmp_path: Path) -> None:
    lake = Lake.at(tmp_path / "lake")
    tables = Tables.from_lake(lake)
    tables.create()
    states = ["quarantined" if reason else "converted" for reason in REASONS]
    tables.ledger.upsert(
        FILE | {"note_id": str(n), "state": state, "reason": reason}
        for n, (state, reason) in enumerate(zip(states, REASONS, strict=True))
    )
    settings = Settings(quarantine=QuarantineSettings(allowed_share=0.5))
    with pytest.raises(QuarantineExceededError) as caught:
        check_quarantine(cast(SparkRun, SimpleNamespace(lake=lake, settings=settings)))
    told = str(caught.value)
    assert told.startswith("3 of the lake's 4 notes are in quarantine (1 corrupt, 2 empty)")
    assert "(quarantine.allowed_share)" in told
    assert told.endswith(f"deid list --lake {lake.root} --state quarantined --paths")
    assert caught.value.exit_code == ExitCode.QUARANTINE
    settings = Settings(quarantine=QuarantineSettings(allowed_share=0.75))
    check_quarantine(cast(SparkRun, SimpleNamespace(lake=lake, settings=settings)))
