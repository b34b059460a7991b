"""Folders of temporary files: those of processes that are gone are removed, those in use stay."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from deid_core.spark.temporary_folder import TemporaryFolder

HELD = "import sys, time; sys.stdin.read()"


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_a_folder_whose_process_is_gone_is_removed_by_the_next() -> None:
    left = TemporaryFolder.new()
    (left.path / "blockmgr-1").mkdir()
    (left.path / "blockmgr-1" / "block").write_text("encrypted")
    os.close(left.descriptor)
    used = TemporaryFolder.new()
    assert not left.path.exists()
    assert used.path.exists()
    used.remove()
    assert not used.path.exists()


def test_a_folder_that_a_child_still_uses_stays() -> None:
    left = TemporaryFolder.new()
    with subprocess.Popen([sys.executable, "-c", HELD], stdin=subprocess.PIPE, pass_fds=[left.descriptor]) as child:
        os.close(left.descriptor)
        TemporaryFolder.new().remove()
        assert left.path.exists()
        child.communicate()
    TemporaryFolder.new().remove()
    assert not left.path.exists()


def test_folders_of_others_stay(tmp_path: Path) -> None:
    other = tmp_path / f"deid-spark-{os.getuid() + 1}-abc"
    other.mkdir()
    (other / "lock").touch()
    (tmp_path / "spark-123").mkdir()
    TemporaryFolder.new().remove()
    assert other.exists()
    assert (tmp_path / "spark-123").exists()
