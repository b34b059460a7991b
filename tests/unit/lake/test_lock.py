"""The lock of a lake: one run at a time, and its owner."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from deid_core.core import files
from deid_core.core.errors import TryAgainError
from deid_core.lake import lock as lock_module
from deid_core.lake.layout import Lake
from deid_core.lake.lock import Owner, locked

HOLD = """
import sys, time
from pathlib import Path
from deid_core.lake.layout import Lake
from deid_core.lake.lock import locked
with locked(Lake.at(Path(sys.argv[1]))):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    made = Lake.at(tmp_path / "lake")
    made.prepare()
    return made


def test_the_second_run_reads_who_holds_the_lock_and_since_when(lake: Lake) -> None:
    with locked(lake) as lock:
        assert lock.died is None
        with (
            pytest.raises(TryAgainError, match=rf"process {os.getpid()} on \S+, since 20\S+ \(0 minutes\)"),
            locked(lake),
        ):
            pass
    assert sorted(path.name for path in lake.restricted.iterdir()) == ["lock"]
    with locked(lake) as lock:
        assert lock.died is None


def test_lock_of_a_killed_process_is_taken_over(lake: Lake) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(lake.root)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(TryAgainError, match=f"process {process.pid}"), locked(lake):
            pass
        process.send_signal(signal.SIGKILL)
    with locked(lake) as lock:
        assert lock.died is not None
        assert lock.died.pid == process.pid


def test_lock_of_another_host_is_left_alone(lake: Lake) -> None:
    """Its kernel lock may be invisible here. Only a person can know that its process is dead."""
    named = lake.restricted / "lock.json"
    named.write_text(json.dumps({"host": "elsewhere", "pid": 7, "started": "2020-01-01T00:00:00+00:00"}))
    with (
        pytest.raises(TryAgainError, match=r"process 7 on elsewhere, since 2020-01-01.*remove .*lock\.json"),
        locked(lake),
    ):
        pass
    assert named.exists()
    named.unlink()
    with locked(lake) as lock:
        assert lock.died is None


ELSEWHERE = json.dumps({"host": "elsewhere", "pid": 7, "started": "2020-01-01T00:00:00+00:00"})


def test_one_of_two_hosts_that_find_no_owner_is_refused(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kernel's lock holds on one host only, the other may write its name between our check and our write."""
    named = lake.restricted / "lock.json"

    def named_by_the_other(descriptor: int) -> None:
        named.write_text(ELSEWHERE)

    monkeypatch.setattr(lock_module.os, "fsync", named_by_the_other)
    with pytest.raises(TryAgainError, match="process 7 on elsewhere"), locked(lake):
        pass
    assert named.read_text() == ELSEWHERE
    assert sorted(path.name for path in lake.restricted.iterdir()) == ["lock", "lock.json"]


def test_only_the_own_owner_file_is_removed(lake: Lake) -> None:
    named = lake.restricted / "lock.json"
    with locked(lake):
        named.write_text(ELSEWHERE)
    assert named.read_text() == ELSEWHERE


def test_a_link_that_was_made_and_then_denied_is_accepted(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """NFS may answer this way after sending a request twice."""
    link = os.link

    def twice(source: Path, target: Path) -> None:
        link(source, target)
        link(source, target)

    monkeypatch.setattr(files.os, "link", twice)
    with locked(lake) as lock:
        assert lock.died is None
        assert Owner(**json.loads((lake.restricted / "lock.json").read_text())).pid == os.getpid()
    assert sorted(path.name for path in lake.restricted.iterdir()) == ["lock"]


@pytest.mark.parametrize("half", ["", '{"host": "els', "[]", '{"host": "a"}'])
def test_an_incomplete_owner_file_is_ignored(lake: Lake, half: str) -> None:
    (lake.restricted / "lock.json").write_text(half)
    with locked(lake) as lock:
        assert lock.died is None


def test_owner_is_written_before_the_work_begins(lake: Lake) -> None:
    with locked(lake):
        written = json.loads((lake.restricted / "lock.json").read_text())
        assert Owner(**written).pid == os.getpid()


def test_a_process_that_inherits_the_lock_holds_it(lake: Lake) -> None:
    """A JVM whose Python was killed may finish a commit. Until it ends no other run may start."""
    with locked(lake) as lock:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], pass_fds=(lock.descriptor,))
    try:
        with pytest.raises(TryAgainError, match="just ended"), locked(lake):
            pass
    finally:
        child.kill()
        child.wait()
    with locked(lake) as lock:
        assert lock.died is None


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP])
def test_without_hard_links_the_kernels_lock_is_enough(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refused(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files.os, "link", refused)
    named = lake.restricted / "lock.json"
    named.write_text(ELSEWHERE)
    with pytest.raises(TryAgainError, match="process 7 on elsewhere"), locked(lake):
        pass
    assert named.read_text() == ELSEWHERE
    named.write_text(ELSEWHERE.replace("elsewhere", socket.gethostname()))
    with locked(lake) as lock:
        assert lock.died is not None
        assert lock.died.pid == 7
    with locked(lake):
        assert Owner(**json.loads((lake.restricted / "lock.json").read_text())).pid == os.getpid()
        with pytest.raises(TryAgainError), locked(lake):
            pass
    assert sorted(path.name for path in lake.restricted.iterdir()) == ["lock"]
