"""Start runs as processes of their own, so that tests can kill them and inspect their output."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from lakes import JAVA, PIPELINE, Archive

REPOSITORY = Path(__file__).resolve().parents[2]
WAIT_S = 300
QUICK = {
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.driver.memory": "1g",
}


def started(
    archive: Archive,
    *more: str,
    script: Sequence[str] = ("-m", "deid_core.cli"),
    master: str = "local[2]",
    conf: dict[str, str] | None = None,
    environment: dict[str, str] | None = None,
    alone: bool = False,
) -> subprocess.Popen[str]:
    """Start a run. script: what Python starts. more: options of `deid run`. alone: without Spark, if there is little to
    do.
    """
    settings = [f"--conf {name}={value}" for name, value in (QUICK | (conf or {})).items()]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "SPARK"))}
    kept |= JAVA | {"PYTHONPATH": str(REPOSITORY)} | (environment or {})
    if not alone:
        kept["PYSPARK_SUBMIT_ARGS"] = " ".join([f"--master {master}", *settings, "pyspark-shell"])
    options = ["--input", str(archive.input), "--lake", str(archive.root)]
    if "--pipeline" not in more:
        options += ["--pipeline", PIPELINE]
    command = [sys.executable, *script, "run", *options, *more]
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=kept
    )


def ended(archive: Archive, *more: str, **how: object) -> subprocess.CompletedProcess[str]:
    """Run to the end."""
    process = started(archive, *more, **how)  # type: ignore[arg-type]
    try:
        out, err = process.communicate(timeout=WAIT_S)
    except BaseException:
        process.kill()
        process.communicate()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def ended_alone(archive: Archive, *more: str, **how: object) -> subprocess.CompletedProcess[str]:
    """Run to the end; retry as long as the remains of a killed run hold the lake."""
    deadline = time.monotonic() + WAIT_S
    while (done := ended(archive, *more, **how)).returncode == 75 and time.monotonic() < deadline:
        time.sleep(0.5)
    return done
