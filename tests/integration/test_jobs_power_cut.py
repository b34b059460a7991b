"""A power cut: of what was written since the last sync, files are empty or missing. Nothing is lost or doubled.

Simulated: the run ends with an exception at one of the steps, then files that are younger than its last `os.sync` are
emptied or removed. A real power cut may also bring removed files back; those are dead files to the next run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from lakes import Archive, Crash
from test_jobs_crash import STEPS, change

from deid_core.lake.checks import checksums, integrity
from deid_core.lake.tables.lake_table import Tables

pytestmark = [pytest.mark.fault, pytest.mark.spark]

Loss = Callable[[list[Path]], None]


def emptied(files: list[Path]) -> None:
    for file in files:
        file.write_bytes(b"")


def removed(files: list[Path]) -> None:
    for file in files:
        file.unlink()


def every_other_emptied(files: list[Path]) -> None:
    emptied(files[::2])


def the_others_emptied(files: list[Path]) -> None:
    emptied(files[1::2])


@pytest.mark.parametrize("loss", [emptied, removed, every_other_emptied, the_others_emptied])
def test_the_next_run_makes_the_tables_of_an_undisturbed_one(
    first_run: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loss: Loss
) -> None:
    undisturbed = first_run.copy(tmp_path / "undisturbed")
    change(undisturbed)
    undisturbed.run()
    lost = 0
    for module, name in [*STEPS, (checksums, "record")]:
        archive = first_run.copy(tmp_path / name)
        change(archive)
        lost += cut(archive, monkeypatch, module, name, loss)
        assert_repaired(archive, undisturbed, name)
    assert lost > 20


@pytest.mark.parametrize("loss", [emptied, every_other_emptied])
def test_a_first_run_that_is_cut_off(
    first_run: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loss: Loss
) -> None:
    """No run has ended that would have recorded what is whole: all that is damaged is taken back."""
    lost = 0
    for module, name in [*STEPS, (checksums, "record")]:
        archive = Archive(first_run.input, tmp_path / name)
        archive.lake.prepare()
        archive.lake.key.write_text(first_run.lake.key.read_text())
        lost += cut(archive, monkeypatch, module, name, loss)
        assert_repaired(archive, first_run, name)
    assert lost > 20


def cut(archive: Archive, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, loss: Loss) -> int:
    """Cut a run off at a step. Return how many files lost what was written."""
    synced = [time.time_ns()]
    with monkeypatch.context() as patched:
        patched.setattr(os, "sync", lambda: synced.append(time.time_ns()))
        patched.setattr(module, name, crash)
        with pytest.raises(Crash):
            archive.run()
    files = unsynced(archive, synced[-1])
    loss(files)
    return len(files)


def assert_repaired(archive: Archive, undisturbed: Archive, name: str) -> None:
    archive.run()
    assert archive.rows() == undisturbed.rows(), name
    assert not archive.run().did_something, name
    assert not integrity.damages(archive.lake), name


def unsynced(archive: Archive, since: int) -> list[Path]:
    """Return the files of tables and raw notes that are younger than the last sync, nanoseconds since 1970."""
    folders = [archive.lake.notes, *(table.path for table in Tables(archive.lake).all())]
    files = (file for folder in folders for file in folder.rglob("*") if file.is_file())
    return sorted(file for file in files if file.stat().st_mtime_ns > since)


def crash(*args: object, **kwargs: object) -> None:
    raise Crash
