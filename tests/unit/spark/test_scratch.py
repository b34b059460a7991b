"""Folders of temporary files: those of processes that are gone are removed, those in use stay."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from deid_core.spark.scratch import Scratch

HELD = "import sys, time; sys.stdin.read()"


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_a_folder_whose_process_is_gone_is_removed_by_the_next() -> None:
    left = Scratch.new()
    (left.folder / "blockmgr-1").mkdir()
    (left.folder / "blockmgr-1" / "block").write_text("encrypted")
    os.close(left.descriptor)
    used = Scratch.new()
    assert not left.folder.exists()
    assert used.folder.exists()
    used.remove()
    assert not used.folder.exists()


def test_a_folder_that_a_child_still_uses_stays() -> None:
    left = Scratch.new()
    with subprocess.Popen([sys.executable, "-c", HELD], stdin=subprocess.PIPE, pass_fds=[left.descriptor]) as child:
        os.close(left.descriptor)
        Scratch.new().remove()
        assert left.folder.exists()
        child.communicate()
    Scratch.new().remove()
    assert not left.folder.exists()


def test_folders_of_others_stay(tmp_path: Path) -> None:
    other = tmp_path / f"deid-spark-{os.getuid() + 1}-abc"
    other.mkdir()
    (other / "lock").touch()
    (tmp_path / "spark-123").mkdir()
    Scratch.new().remove()
    assert other.exists()
    assert (tmp_path / "spark-123").exists()
