"""SIGKILL of the driver before, during and after each step that changes the lake; the next run makes it good."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

import pytest
from killed import PLACES
from lakes import LETTER, Archive, write
from processes import ended, ended_alone

from jobs import reader

pytestmark = [pytest.mark.fault, pytest.mark.spark]

KILLED = Path(__file__).with_name("killed.py")


def change(archive: Archive) -> None:
    """A note changes, one goes, one comes, one can no longer be read."""
    write(archive.input / "2010/Müller, Anna 0.txt", LETTER.format(name="Altmann", number=5), seconds=1_600_000_000)
    (archive.input / "2011/Schmidt, Anna 1.txt").unlink()
    write(archive.input / "2012/Neu.txt", LETTER.format(name="Neumann", number=6))
    write(archive.input / "2010/Weber, Anna 2.txt", "", seconds=1_600_000_000)


def assert_nothing_is_half_visible(archive: Archive) -> None:
    """Each text stands once, with the account of all that was removed from it; each raw text that is named is there."""
    texts = reader.read(archive.lake.deidentified, ["note_id", "text"]).to_pylist()
    audit = Counter(reader.read(archive.lake.phi_audit, ["note_id"])["note_id"].to_pylist())
    assert len({row["note_id"] for row in texts}) == len(texts)
    assert {row["note_id"]: row["text"].count("<") for row in texts} == {
        row["note_id"]: audit[row["note_id"]] for row in texts
    }
    folders = {folder.name for folder in archive.lake.note_folders()}
    named = {f"batch={row['batch']}" for row in archive.ledger().values() if row["batch"]}
    assert named <= folders


def test_killed_at_every_place(first_run: Archive, tmp_path: Path) -> None:
    """Each run is killed one step later than the one before; the last is left alone."""
    undisturbed = first_run.copy(tmp_path / "undisturbed")
    archive = first_run.copy(tmp_path / "killed")
    change(undisturbed)
    change(archive)
    assert ended(undisturbed).returncode == 65
    reached = []
    for place in PLACES:
        done = ended_alone(archive, script=(str(KILLED), place))
        if done.returncode == -signal.SIGKILL:
            reached.append(place)
        else:
            # What one killed run has done the next need not do: the step may be over, and then all of it.
            assert done.returncode == 65, done.stderr[-2000:]
        assert_nothing_is_half_visible(archive)
    assert ended_alone(archive).returncode == 65
    assert archive.rows() == undisturbed.rows()
    assert len(reached) >= 12, reached
    versions = archive.versions()
    assert ended(archive).returncode == 65
    assert archive.versions() == versions
    assert not any(reader.dead_files(table) for table in (archive.lake.ledger, archive.lake.deidentified))
