"""SIGKILL of the driver's JVM: the run says that running again is all it takes, and the next one continues."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil
import pytest
from lakes import NAMES, Archive
from processes import WAIT_S, ended_alone, started

pytestmark = [pytest.mark.fault, pytest.mark.spark]


@pytest.mark.parametrize("message", ['"message": "reading notes"', '"message": "running the engine"'])
def test_the_next_run_continues(first_run: Archive, tmp_path: Path, message: str) -> None:
    archive = Archive(first_run.input, tmp_path / "lake")
    archive.lake.prepare()
    archive.lake.key.write_text(first_run.lake.key.read_text())
    process = started(archive)
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if message in line:
            _kill_jvm(archive, process.pid)
    assert process.wait(WAIT_S) == 75
    text = "".join(lines)
    assert "the Java process of Spark was killed" in text
    assert "run again" in text
    assert "internal error" not in text
    assert not [name for name in NAMES if name in text]
    assert ended_alone(archive).returncode == 65, "two of the notes are unreadable"
    assert archive.rows() == first_run.rows()


def _kill_jvm(archive: Archive, driver: int) -> None:
    """Kill the JVM once the stage writes its results: Spark those of reading, executors those of the engine."""
    deadline, staging = time.monotonic() + WAIT_S, archive.lake.staging
    while not [*staging.glob("*/*/_temporary"), *staging.glob("*/*/*-written")] and time.monotonic() < deadline:
        time.sleep(0.05)
    [java] = [child for child in psutil.Process(driver).children() if "java" in child.name()]
    os.kill(java.pid, signal.SIGKILL)
