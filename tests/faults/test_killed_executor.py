"""SIGKILL of executors during a run with two executor processes: Spark repeats their tasks, the tables are the same."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import psutil
import pytest
from lakes import Archive
from processes import WAIT_S, started

pytestmark = [pytest.mark.fault, pytest.mark.spark]

CLUSTER = {"spark.executor.memory": "1g", "spark.executor.cores": "1"}


def test_tables_are_those_of_an_undisturbed_run(first_run: Archive, tmp_path: Path) -> None:
    archive = Archive(first_run.input, tmp_path / "lake")
    archive.lake.prepare()
    archive.lake.key.write_text(first_run.lake.key.read_text())
    log = tmp_path / "events"
    log.mkdir()
    events = {"spark.eventLog.enabled": "true", "spark.eventLog.compress": "false", "spark.eventLog.dir": log.as_uri()}
    settings = tmp_path / "conf.yaml"
    settings.write_text("run: {batch_notes: 5}\n")
    process = started(archive, "--settings", str(settings), master="local-cluster[2,1,1024]", conf=CLUSTER | events)
    killed = []
    assert process.stderr is not None
    for line in process.stderr:
        # A stage has started. Its tasks take seconds, since Python workers start first.
        if '"message": "reading notes"' in line or '"message": "running the engine"' in line:
            killed += _kill_an_executor(process.pid)
    assert process.wait(WAIT_S) == 65
    assert len(killed) >= 2
    assert archive.rows() == first_run.rows()
    assert _lost_executors(log) >= 2


def _kill_an_executor(driver: int) -> list[int]:
    """Kill the oldest executor once there are two."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        executors = [p for p in psutil.Process(driver).children(recursive=True) if _is_executor(p)]
        if len(executors) >= 2:
            oldest = min(executors, key=lambda p: p.create_time())
            os.kill(oldest.pid, signal.SIGKILL)
            return [oldest.pid]
        time.sleep(0.05)
    return []


def _is_executor(process: psutil.Process) -> bool:
    try:
        return any("CoarseGrainedExecutorBackend" in part for part in process.cmdline())
    except psutil.Error:
        return False


def _lost_executors(log: Path) -> int:
    lines = [line for path in log.rglob("*") if path.is_file() for line in path.read_text().splitlines()]
    events = [json.loads(line).get("Event") for line in lines if line.startswith("{")]
    return events.count("SparkListenerExecutorRemoved")
