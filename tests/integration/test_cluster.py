"""A real cluster on loopback: one master, two workers, executors with a bare Python and the packaged environment."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tarfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from lakes import JAVA, PIPELINE, Archive

pytestmark = pytest.mark.spark

REPOSITORY = Path(__file__).resolve().parents[2]
WORKERS = 2
WAIT_S = 60


@pytest.fixture(scope="module")
def spark_home() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """Return the environment of all processes of the cluster, without this process's Python."""
    kept = {name: os.environ[name] for name in ("PATH", "JAVA_HOME", "LANG", "TMPDIR") if name in os.environ}
    return kept | JAVA | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}


@pytest.fixture(scope="module")
def master(spark_home: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a master that two workers have joined. All three end with the module."""
    folder = tmp_path_factory.mktemp("cluster")
    port, web_port = _free_port(), _free_port()
    url = f"spark://127.0.0.1:{port}"
    deploy, local = "org.apache.spark.deploy", ["--host", "127.0.0.1"]
    commands = [[f"{deploy}.master.Master", *local, "--port", str(port), "--webui-port", str(web_port)]]
    for number in range(WORKERS):
        limits = ["--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(folder / str(number))]
        commands.append([f"{deploy}.worker.Worker", *local, *limits, url])
    with ExitStack() as stack, open(folder / "log", "wb") as log:
        for command in commands:
            process = subprocess.Popen(
                [spark_home / "bin" / "spark-class", *command], env=environment, cwd=folder, stdout=log, stderr=log
            )
            stack.callback(process.wait, 30)
            stack.callback(process.terminate)
        _wait_for_workers(web_port)
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
    subprocess.run([sys.executable, "-m", "deid_core.spark.package", "--output", archive], cwd=REPOSITORY, check=True)
    return archive


def test_package_has_native_wheels_and_the_project(packed: Path) -> None:
    with tarfile.open(packed) as archive:
        names = set(archive.getnames())
    assert {
        "deid_core/pipeline/engine.py",
        "deid_core/spark/tasks.py",
        "pyarrow/__init__.py",
        "numpy/__init__.py",
    } <= names
    assert any(name.startswith("lxml/") and name.endswith(".so") for name in names)
    assert not any(name.startswith("pyspark/") for name in names)


def test_bare_python_has_no_packages(bare_python: Path, environment: dict[str, str]) -> None:
    done = subprocess.run([bare_python, "-c", "import pyarrow"], env=environment, capture_output=True, check=False)
    assert b"ModuleNotFoundError" in done.stderr


def test_cluster_makes_the_tables_of_local_mode(
    first_run: Archive,
    master: str,
    packed: Path,
    bare_python: Path,
    spark_home: Path,
    environment: dict[str, str],
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
        env=environment | {"PYTHONPATH": str(REPOSITORY)},
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


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for_workers(web_port: int) -> None:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{web_port}/json/", timeout=5) as answer:
                if json.load(answer)["aliveworkers"] == WORKERS:
                    return
        except OSError:
            pass
        time.sleep(0.3)
    raise AssertionError(f"no {WORKERS} workers within {WAIT_S} s")
