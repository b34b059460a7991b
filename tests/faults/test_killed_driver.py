"""SIGKILL of the driver before, during and after each step that changes the lake. The next run repairs it."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from killed import PLACES
from lakes import Archive, write_notes
from nights import assert_nothing_is_half_visible, change, write_notes_of_nights
from processes import ended, ended_alone

from deid_core.lake.tables import delta_reader

pytestmark = [pytest.mark.fault, pytest.mark.spark]

KILLED = Path(__file__).with_name("killed.py")


def options(folder: Path, *, merging: bool) -> tuple[str, str]:
    """Return options of a run that allows any number of unreadable notes, and merges small files or not."""
    path = folder / f"merging-{merging}.yaml"
    path.write_text(f"run: {{compact_above_files: {2 if merging else 100}}}\nquarantine: {{allowed_share: 1.0}}\n")
    return "--settings", str(path)


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "spark"])
def test_killed_at_every_place(tmp_path: Path, alone: bool) -> None:
    """For each place a night with its own changes is killed there, and the next night repairs it.

    The notes of a night are not touched again, so the last tables show for each night whether that worked. alone: few
    notes, which the driver does itself; the undisturbed nights have Spark.
    """
    plain, merging = options(tmp_path, merging=False), options(tmp_path, merging=True)
    archive = Archive(write_notes(tmp_path / "killed" / "input"), tmp_path / "killed" / "lake")
    write_notes_of_nights(archive, range(len(PLACES)))
    assert ended(archive, *plain).returncode == 0
    undisturbed = archive.copy(tmp_path / "undisturbed")
    for night, (name, place) in enumerate(PLACES.items()):
        change(archive, night)
        change(undisturbed, night)
        done = ended_alone(archive, *(merging if place.merging else plain), script=(str(KILLED), name), alone=alone)
        assert done.returncode == -signal.SIGKILL, f"{name}: not reached\n{done.stderr[-2000:]}"
        assert ("starting the JVM" in done.stderr) <= (not alone)
        assert_nothing_is_half_visible(archive)
    assert ended_alone(archive, *plain, alone=alone).returncode == 0
    assert ended(undisturbed, *plain).returncode == 0
    assert archive.rows() == undisturbed.rows()
    versions = archive.versions()
    assert ended(archive, *plain).returncode == 0
    assert archive.versions() == versions
    assert not any(delta_reader.dead_files(table) for table in (archive.lake.ledger, archive.lake.deidentified))
