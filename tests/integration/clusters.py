"""Starts a cluster of Spark on loopback: a master and workers, each a process of its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lakes import JAVA

WAIT_S = 60


def environment() -> dict[str, str]:
    """Return the environment of all processes of a cluster, without this process's Python."""
    kept = {name: os.environ[name] for name in ("PATH", "JAVA_HOME", "LANG", "TMPDIR") if name in os.environ}
    return kept | JAVA | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}


@contextmanager
def cluster(hosts: Sequence[str], spark_home: Path, folder: Path) -> Iterator[str]:
    """Yield the URL of a master that a worker on each host, of one core, has joined. folder: of logs and their work.

    hosts: addresses of this machine; Spark takes each for a machine of its own. All processes end with the block.
    """
    port, web_port = _free_port(), _free_port()
    url = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    commands = [[f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(web_port)]]
    for number, host in enumerate(hosts):
        limits = ["--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(folder / str(number))]
        commands.append([f"{deploy}.worker.Worker", "--host", host, *limits, url])
    with ExitStack() as stack, open(folder / "log", "wb") as log:
        for command in commands:
            process = subprocess.Popen(
                [spark_home / "bin" / "spark-class", *command], env=environment(), cwd=folder, stdout=log, stderr=log
            )
            stack.callback(process.wait, 30)
            stack.callback(process.terminate)
        _wait_for_workers(web_port, len(hosts))
        yield url


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for_workers(web_port: int, workers: int) -> None:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{web_port}/json/", timeout=5) as answer:
                if json.load(answer)["aliveworkers"] == workers:
                    return
        except (OSError, ValueError):
            pass  # The page at /json answers later than its port, and until then with HTML.
        time.sleep(0.3)
    raise AssertionError(f"no {workers} workers within {WAIT_S} s")
