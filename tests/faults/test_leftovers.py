"""What SIGKILL leaves in the folder of temporary files: the next run removes it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil
import pytest
from lakes import Archive
from processes import WAIT_S, ended_alone, started

pytestmark = [pytest.mark.fault, pytest.mark.spark]


def test_the_next_run_removes_them(first_run: Archive, tmp_path: Path) -> None:
    archive, temporary = Archive(first_run.input, tmp_path / "lake"), tmp_path / "tmp"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary)}
    process = started(archive, environment=environment)
    assert process.stderr is not None
    for line in process.stderr:
        if '"message": "running the engine"' in line:
            for killed in [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]:
                os.kill(killed.pid, signal.SIGKILL)
    assert process.wait(WAIT_S) == -signal.SIGKILL
    names = {path.name.partition("-")[0] for path in temporary.glob("deid-spark-*/*")}
    assert {"spark", "blockmgr"} <= names
    assert ended_alone(archive, environment=environment).returncode == 65
    assert not list(temporary.iterdir())
