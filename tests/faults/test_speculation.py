"""Speculation: Spark gives slow tasks a second attempt. Both end, and no note is doubled."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyspark
import pytest
from clusters import cluster
from lakes import Archive
from processes import REPOSITORY, ended

from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables

pytestmark = [pytest.mark.fault, pytest.mark.spark]

DOUBLED = str(Path(__file__).with_name("doubled.py"))
SPECULATION = {
    "spark.executorEnv.PYTHONPATH": str(REPOSITORY),
    "spark.executor.memory": "600m",
    "spark.executor.cores": "1",
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.minTaskRuntime": "10ms",
    "spark.speculation.quantile": "0.1",
    "spark.speculation.multiplier": "1.01",
    # A stage of one task has no other one to compare it with.
    "spark.speculation.task.duration.threshold": "200ms",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
}


def test_two_attempts_of_a_task_double_no_note(first_run: Archive, tmp_path: Path) -> None:
    """Spark starts no second attempt on the machine of the first: the workers have addresses of their own."""
    archive = Archive(first_run.input, tmp_path / "lake")
    archive.lake.prepare()
    archive.lake.key.write_text(first_run.lake.key.read_text())
    for folder in ("cluster", "marks", "events"):
        (tmp_path / folder).mkdir()
    conf = SPECULATION | {"spark.eventLog.dir": (tmp_path / "events").as_uri()}
    with cluster(["127.0.0.1", "127.0.0.2"], Path(pyspark.__file__).parent, tmp_path / "cluster") as master:
        how = {"master": master, "conf": conf, "environment": {"PYSPARK_PYTHON": sys.executable}}
        done = ended(archive, script=(DOUBLED, str(tmp_path / "marks")), **how)
        assert done.returncode == 65, done.stderr[-3000:]
    assert archive.rows() == first_run.rows()
    doubled = stages_with_speculation(tmp_path / "events")
    # Reading and engine: the driver writes the tables.
    assert len(doubled & {mark.name.partition("-")[0] for mark in (tmp_path / "marks").iterdir()}) >= 2
    assert "Nothing to do" in ended(archive).stdout, "the next run removes what a late attempt may have left"
    assert not any(delta_reader.dead_files(table.path) for table in Tables(archive.lake).all())
    assert not archive.lake.staging.exists()


def stages_with_speculation(folder: Path) -> set[str]:
    """Return the stages in which a second attempt of a task started."""
    lines = [line for path in folder.rglob("*") if path.is_file() for line in path.read_text().splitlines()]
    events = [json.loads(line) for line in lines if line.startswith("{")]
    return {
        str(event["Stage ID"])
        for event in events
        if event["Event"] == "SparkListenerTaskStart" and event["Task Info"]["Speculative"]
    }
