"""A disk that is full from a step on, for each step that writes: commits stay, and the next run does the rest."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from lakes import Archive, write_notes
from nights import assert_nothing_is_half_visible, change, write_notes_of_nights

from deid_core.core.errors import TryAgainError
from deid_core.lake.checks import audit_counts, checksums, integrity
from deid_core.lake.patients import matching
from deid_core.lake.runs import maintenance, note_removal
from deid_core.lake.tables import delta_reader, lake_table
from deid_core.spark import convert_notes, deidentify_notes, run_lake

pytestmark = [pytest.mark.fault, pytest.mark.spark]

POLICY = "research-gdpr"
SIZE_KB = 60_000
STEPS: list[tuple[Any, str, int]] = [
    (run_lake, "new_run_id", 1),
    (note_removal, "remove_from_tables", 1),
    (lake_table.LakeTable, "delete_notes", 1),
    (note_removal, "erase_raw", 1),
    (lake_table.LakeTable, "upsert", 1),
    (convert_notes, "_read_notes", 1),
    (convert_notes, "_move_in", 1),
    (lake_table.LakeTable, "upsert", 2),
    (maintenance, "compact_raw_notes", 1),
    (lake_table.LakeTable, "upsert", 3),
    (lake_table.LakeTable, "map_columns", 1),
    (deidentify_notes, "list_raw_notes", 1),
    (deidentify_notes, "write_audit", 1),
    (deidentify_notes, "write_detections", 1),
    (deidentify_notes, "write_texts", 1),
    (matching, "update", 1),
    (run_lake, "make_outputs", 1),
    (lake_table.LakeTable, "append", 6),
    (lake_table.LakeTable, "compact", 1),
    (audit_counts, "update", 1),
    (run_lake, "_write_run", 1),
    (checksums, "record", 1),
]
"""In the order of a run: where the function is, its name, and which of its calls. The sixth append is of an output."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Return a file system in memory; needs root."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_KB}k", "tmpfs", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def full_from(step: tuple[Any, str, int], disk: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fill the disk when the step begins. Make room at the end; fails if the step was not reached."""
    owner, name, call = step
    real: Callable[..., Any] = getattr(owner, name)
    ballast, calls = disk / "ballast", 0

    def begins(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            fill(ballast)
        return real(*args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, begins)
        yield
    assert calls >= call, f"{name}: not reached"
    ballast.unlink()


def fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError as error:
            assert error.errno == errno.ENOSPC


@pytest.mark.usefixtures("spark")
def test_full_from_each_step_on(tmp_path: Path, disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each night has its own changes, and fails at another step. The notes of a night are not touched again."""
    settings = tmp_path / "conf.yaml"
    settings.write_text("run: {compact_above_files: 2}\nquarantine: {allowed_share: 1.0}\n")
    key = tmp_path / "key"
    key.write_text("0123456789abcdef" * 2)
    key.chmod(0o400)
    how = {"settings": settings, "outputs": (POLICY,), "key": key}
    archive = Archive(write_notes(tmp_path / "input"), disk / "lake")
    write_notes_of_nights(archive, range(len(STEPS)))
    archive.run(**how)
    undisturbed = archive.copy(tmp_path / "undisturbed")
    for night, step in enumerate(STEPS):
        for changed in (archive, undisturbed):
            change(changed, night)
        with full_from(step, disk, monkeypatch), pytest.raises(TryAgainError, match="the disk is full") as caught:
            archive.run(**how)
        assert "Neumann" not in str(caught.value)
        assert_nothing_is_half_visible(archive)
    archive.run(**how)
    undisturbed.run(**how)
    assert archive.rows() == undisturbed.rows()
    assert texts(archive) == texts(undisturbed)
    assert not archive.run(**how).did_something
    assert not integrity.damages(archive.lake)
    assert not any(delta_reader.dead_files(table.path) for table in lake_table.Tables(archive.lake).all())


def texts(archive: Archive) -> set[tuple[str, str]]:
    """Return note and text of the policy's output."""
    rows = delta_reader.read(archive.lake.output(POLICY), ["note_id", "text"]).to_pylist()
    return {(row["note_id"], row["text"]) for row in rows}
