"""A LibreOffice that hangs, stops or crashes: killed with its group, each file tried once more alone, nothing left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from lakes import Archive, write
from libreoffice_stand_in import StandIn
from processes import WAIT_S, ended, started

from deid_core.lake.tables import delta_reader

pytestmark = [pytest.mark.fault, pytest.mark.spark]

TEXTS = {"a": "Befund", "b": "HANG", "c": "CRASH ALWAYS", "d": "CRASH IN BATCH", "e": "STOP", "f": "Befund"}
"""By name of the file: what the stand-in does with it."""


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Files that only LibreOffice reads."""
    archive = Archive(tmp_path / "input", tmp_path / "lake")
    for name, text in TEXTS.items():
        write(archive.input / "2010" / f"{name}.rtf", rf"{{\rtf1 {text}}}")
    return archive


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    (tmp_path / "program").mkdir()
    return StandIn(tmp_path / "program")


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """The run's folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def options(tmp_path: Path) -> tuple[str, str]:
    path = tmp_path / "conf.yaml"
    path.write_text("reading: {libreoffice_start_s: 3.0, libreoffice_file_s: 1.0}\n")
    return "--settings", str(path)


def environment(stand_in: StandIn, temporary: Path) -> dict[str, str]:
    """A run finds the stand-in on PATH."""
    return {"PATH": f"{stand_in.path.parent}{os.pathsep}{os.environ['PATH']}", "TMPDIR": str(temporary)}


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE]


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for other processes; fail after WAIT_S seconds."""
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, "did not happen"
        time.sleep(0.05)


def test_the_run_continues(archive: Archive, stand_in: StandIn, temporary: Path, options: tuple[str, str]) -> None:
    done = ended(archive, *options, environment=environment(stand_in, temporary))
    assert done.returncode == 65, done.stderr[-2000:]
    assert {path: row["reason"] for path, row in archive.ledger().items()} == {
        "2010/a.rtf": None,
        "2010/b.rtf": "timeout",
        "2010/c.rtf": "converter_failed",
        "2010/d.rtf": None,
        "2010/e.rtf": "timeout",
        "2010/f.rtf": None,
    }
    assert delta_reader.read(archive.lake.deidentified, ["text"])["text"].to_pylist() == ["converted"] * 3
    batch, *alone = stand_in.calls()
    assert len(batch) == len(TEXTS)
    assert alone == [[name] for name in batch[1:]], "each that gave nothing once more, alone"
    assert len(stand_in.children()) == 4, "two tries, each with a child of its own"
    assert alive(stand_in.children()) == []
    assert list(temporary.iterdir()) == []


def test_a_killed_run_leaves_no_process_and_no_profile(
    archive: Archive, stand_in: StandIn, temporary: Path, options: tuple[str, str]
) -> None:
    process = started(archive, *options, environment=environment(stand_in, temporary))
    wait_until(lambda: len(stand_in.children()) == 2)
    assert list(temporary.glob("deid-*/profile*"))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_until(lambda: not alive(stand_in.children()))
    # The guard of the reader does that. Spark's folder is removed by the next run (test_leftovers.py).
    wait_until(lambda: all(path.name.startswith("deid-spark-") for path in temporary.iterdir()))
