"""A real cluster on loopback: one master, two workers, executors with a bare Python and the packaged environment."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from clusters import cluster, environment
from lakes import PIPELINE, Archive

pytestmark = pytest.mark.spark

REPOSITORY = Path(__file__).resolve().parents[2]
WORKERS = 2


@pytest.fixture(scope="module")
def spark_home() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent


@pytest.fixture(scope="module")
def master(spark_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a master that two workers have joined. All three end with the module."""
    with cluster(["127.0.0.1"] * WORKERS, spark_home, tmp_path_factory.mktemp("cluster")) as url:
        yield url


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the base Python of the virtual environment, without any installed package."""
    path = tmp_path_factory.mktemp("python") / "python3"
    base = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    path.write_text(f'#!/bin/sh\nexec "{base}" -S "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the packaged environment."""
    archive = tmp_path_factory.mktemp("dist") / "deid-env.tar.gz"
    command = [sys.executable, "-m", "deid_core.spark.pack_environment", "--output", archive]
    subprocess.run(command, cwd=REPOSITORY, check=True)
    return archive


def test_package_has_native_wheels_and_the_project(packed: Path) -> None:
    with tarfile.open(packed) as archive:
        names = set(archive.getnames())
    assert {
        "deid_core/pipeline/engine.py",
        "deid_core/spark/engine_task.py",
        "pyarrow/__init__.py",
        "numpy/__init__.py",
    } <= names
    assert any(name.startswith("lxml/") and name.endswith(".so") for name in names)
    assert not any(name.startswith("pyspark/") for name in names)


def test_bare_python_has_no_packages(bare_python: Path) -> None:
    done = subprocess.run([bare_python, "-c", "import pyarrow"], env=environment(), capture_output=True, check=False)
    assert b"ModuleNotFoundError" in done.stderr


def test_cluster_makes_the_tables_of_local_mode(
    first_run: Archive,
    master: str,
    packed: Path,
    bare_python: Path,
    spark_home: Path,
    tmp_path: Path,
) -> None:
    archive = Archive(first_run.input, tmp_path / "lake")
    archive.lake.prepare()
    # With another key the ids would differ.
    archive.lake.key.write_text(first_run.lake.key.read_text())
    settings = {
        "spark.executor.memory": "600m",
        "spark.driver.memory": "1g",
        "spark.cores.max": str(WORKERS),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.pyspark.driver.python": sys.executable,
        "spark.pyspark.python": str(bare_python),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": tmp_path.as_uri(),
    }
    command = [spark_home / "bin" / "spark-submit", "--master", master]
    command += ["--properties-file", REPOSITORY / "conf" / "spark" / "cluster.conf", "--archives", f"{packed}#deid_env"]
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    command += [REPOSITORY / "jobs" / "run.py", "--input", archive.input, "--lake", archive.root]
    done = subprocess.run(
        [*command, "--pipeline", PIPELINE],
        env=environment() | {"PYTHONPATH": str(REPOSITORY)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 65, done.stderr[-4000:]
    assert archive.rows() == first_run.rows()
    assert _executors(tmp_path) >= {"0", "1"}


def _executors(folder: Path) -> set[str]:
    """Return the executors on which tasks ended, according to the event log; "driver" is none of them."""
    [log] = [path for path in folder.rglob("*") if path.is_file() and path.name.startswith(("events_", "app-"))]
    events = (json.loads(line) for line in log.read_text(encoding="utf-8").splitlines())
    return {event["Task Info"]["Executor ID"] for event in events if event["Event"] == "SparkListenerTaskEnd"}
