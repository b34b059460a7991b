"""SIGKILL of the driver before, during and after each step that changes the lake. The next run repairs it."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

import pytest
from killed import PLACES
from lakes import LETTER, Archive, write, write_notes
from processes import ended, ended_alone

from deid_core.lake import delta_reader

pytestmark = [pytest.mark.fault, pytest.mark.spark]

KILLED = Path(__file__).with_name("killed.py")
NIGHTS = range(len(PLACES))


def letter(archive: Archive, year: int, what: str, night: int, text: str, *, seconds: int = 1_600_000_000) -> None:
    write(archive.input / str(year) / f"{what} {night}.txt", text, seconds=seconds)


def write_notes_of_nights(archive: Archive) -> None:
    """Write three letters for each night, which it will change."""
    for night in NIGHTS:
        for number, what in enumerate(("ändert sich", "geht", "wird unlesbar")):
            text = LETTER.format(name="Lehmann", number=100 * number + night)
            letter(archive, 2010 + (night + number) % 2, what, night, text, seconds=1_500_000_000)


def change(archive: Archive, night: int) -> None:
    """Change a note, delete one, add one in a year of its own, make one unreadable; none of another night."""
    letter(archive, 2010 + night % 2, "ändert sich", night, LETTER.format(name="Altmann", number=500 + night))
    (archive.input / str(2010 + (night + 1) % 2) / f"geht {night}.txt").unlink()
    letter(archive, 2010 + night % 2, "wird unlesbar", night, "")
    letter(archive, 2012, "kommt", night, LETTER.format(name="Neumann", number=600 + night))


def assert_nothing_is_half_visible(archive: Archive) -> None:
    """Each text exists once, with the audit of everything that was removed from it. Each named raw text exists."""
    texts = delta_reader.read(archive.lake.deidentified, ["note_id", "text"]).to_pylist()
    audit = Counter(delta_reader.read(archive.lake.phi_audit, ["note_id"])["note_id"].to_pylist())
    assert len({row["note_id"] for row in texts}) == len(texts)
    assert {row["note_id"]: row["text"].count("<") for row in texts} == {
        row["note_id"]: audit[row["note_id"]] for row in texts
    }
    folders = {(folder.parent.name, folder.name) for folder in archive.lake.note_folders()}
    named = {(f"year={row['year']}", f"batch={row['batch']}") for row in archive.ledger().values() if row["batch"]}
    assert named <= folders


def options(folder: Path, *, merging: bool) -> tuple[str, str]:
    """Return options of a run that allows any number of unreadable notes, and merges small files or not."""
    path = folder / f"merging-{merging}.yaml"
    path.write_text(f"run: {{compact_above_files: {2 if merging else 100}}}\nquarantine: {{allowed_share: 1.0}}\n")
    return "--settings", str(path)


def test_killed_at_every_place(tmp_path: Path) -> None:
    """For each place a night with its own changes is killed there, and the next night repairs it.

    The notes of a night are not touched again, so the last tables show for each night whether that worked.
    """
    plain, merging = options(tmp_path, merging=False), options(tmp_path, merging=True)
    archive = Archive(write_notes(tmp_path / "killed" / "input"), tmp_path / "killed" / "lake")
    write_notes_of_nights(archive)
    assert ended(archive, *plain).returncode == 0
    undisturbed = archive.copy(tmp_path / "undisturbed")
    for night, (name, place) in enumerate(PLACES.items()):
        change(archive, night)
        change(undisturbed, night)
        done = ended_alone(archive, *(merging if place.merging else plain), script=(str(KILLED), name))
        assert done.returncode == -signal.SIGKILL, f"{name}: not reached\n{done.stderr[-2000:]}"
        assert_nothing_is_half_visible(archive)
    assert ended_alone(archive, *plain).returncode == 0
    assert ended(undisturbed, *plain).returncode == 0
    assert archive.rows() == undisturbed.rows()
    versions = archive.versions()
    assert ended(archive, *plain).returncode == 0
    assert archive.versions() == versions
    assert not any(delta_reader.dead_files(table) for table in (archive.lake.ledger, archive.lake.deidentified))
