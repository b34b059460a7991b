"""A full disk, a read-only lake, an input that disappears: plain words, an exit code, an unchanged lake."""

from __future__ import annotations

import json
import random
import shutil
import string
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lakes import LETTER, Archive, write
from processes import ended, ended_alone

from deid_core.cli import main

pytestmark = [pytest.mark.fault, pytest.mark.spark]

BROKEN = str(Path(__file__).with_name("broken.py"))
Mount = Callable[..., Path]


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mount]:
    """Mount a file system in memory of so many kilobytes; needs root."""
    mounted: list[Path] = []

    def tmpfs(name: str, size_kb: int) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size_kb}k", "tmpfs", str(folder)]
        if subprocess.run(command, check=False, capture_output=True).returncode:
            pytest.skip("needs the right to mount a tmpfs")
        mounted.append(folder)
        return folder

    yield tmpfs
    for folder in mounted:
        while not subprocess.run(["umount", "--lazy", str(folder)], check=False, capture_output=True).returncode:
            continue


def changed(first_run: Archive, tmp_path: Path, root: Path) -> Archive:
    """Return the first run's archive with its lake at `root` and 60 new notes."""
    archive = Archive(tmp_path / "input", root)
    shutil.copytree(first_run.input, archive.input)
    shutil.copytree(first_run.root, root)
    noise = random.Random(5)
    for number in range(60):
        letter = LETTER.format(name="Neumann", number=number)
        # Incompressible text, so that each step needs space.
        write(archive.input / "2013" / f"{number}.txt", letter + "".join(noise.choices(string.ascii_letters, k=20_000)))
    return archive


@pytest.fixture(scope="module")
def undisturbed(first_run: Archive, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Return the changed archive after a run that nothing disturbed. Read only."""
    folder = tmp_path_factory.mktemp("undisturbed")
    archive = changed(first_run, folder, folder / "lake")
    assert ended(archive).returncode == 0
    return archive


def last_step(done: subprocess.CompletedProcess[str]) -> str:
    """Return stage and message of the last step that a run logged. Spark's own lines have the stage `spark`."""
    events = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    steps = [f"{event['stage']}: {event['message']}" for event in events if event["stage"] != "spark"]
    return steps[-1]


@pytest.mark.parametrize("free_kb", [8, 200, 1200, 2200, 3000])
def test_full_lake(
    first_run: Archive,
    undisturbed: Archive,
    tmp_path: Path,
    mount: Mount,
    record_property: Callable[[str, object], None],
    free_kb: int,
) -> None:
    """Wherever the disk fills, committed data stays readable, and the next run makes the undisturbed run's tables."""
    folder = mount("disk", 30_000)
    archive = changed(first_run, tmp_path, folder / "lake")
    ballast = folder / "ballast"
    ballast.write_bytes(bytes(max(0, shutil.disk_usage(folder).free - free_kb * 1024)))
    texts = archive.rows()["deidentified"]
    done = ended(archive)
    assert done.returncode == 75, (done.returncode, done.stderr[-1500:])
    assert "the disk is full" in done.stderr
    assert "Neumann" not in done.stderr + done.stdout
    record_property("step", last_step(done))
    assert [row for row in archive.rows()["deidentified"] if row in texts] == texts
    ballast.unlink()
    assert ended_alone(archive).returncode == 0
    assert archive.rows() == undisturbed.rows()


def test_full_disk_of_spilled_rows(first_run: Archive, tmp_path: Path, mount: Mount) -> None:
    scratch = mount("scratch", 16)
    archive = changed(first_run, tmp_path, tmp_path / "lake")
    before = archive.rows()
    done = ended(archive, conf={"spark.local.dir": str(scratch)})
    assert done.returncode == 75, (done.returncode, done.stderr[-1500:])
    assert "the disk is full" in done.stderr
    assert archive.rows()["deidentified"] == before["deidentified"]


def test_lake_that_is_read_only(first_run: Archive, tmp_path: Path, mount: Mount) -> None:
    folder = mount("disk", 30_000)
    archive = changed(first_run, tmp_path, folder / "lake")
    before = archive.rows()
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    done = ended(archive)
    assert done.returncode == 64
    assert "cannot be written: Read-only file system" in done.stderr
    assert archive.rows() == before


def test_full_disk_of_an_export_or_release(
    first_run: Archive, tmp_path: Path, mount: Mount, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, disk = first_run.copy(tmp_path / "copy"), mount("disk", 4)
    release = ["release", "--name", "1", "--without-dossier", "--output", str(disk)]
    exports = [["export", "--format", form, "--output", str(disk / form)] for form in ("jsonl", "parquet", "omop")]
    for command in (release, *exports):
        assert main([*command, "--lake", str(archive.root)]) == 75
        assert "No space left on device" in capsys.readouterr().err
        assert list(disk.iterdir()) == []
    assert not archive.lake.releases.exists()


def test_lake_that_becomes_read_only(first_run: Archive, tmp_path: Path, mount: Mount) -> None:
    folder = mount("disk", 30_000)
    archive = changed(first_run, tmp_path, folder / "lake")
    before = archive.rows()
    done = ended(archive, script=(BROKEN, "make read only", str(folder)))
    assert done.returncode == 75, (done.returncode, done.stderr[-1500:])
    assert "the storage is read only" in done.stderr
    assert archive.rows() == before


def test_input_that_disappears(first_run: Archive, tmp_path: Path) -> None:
    """Files disappear after they were listed: no note loses its text."""
    archive = changed(first_run, tmp_path, tmp_path / "lake")
    before = archive.rows()
    for path in archive.input.rglob("*Anna*.txt"):
        write(path, LETTER.format(name="Altmann", number=9), seconds=1_600_000_000)
    done = ended(archive, script=(BROKEN, "take input away", str(archive.input)))
    assert done.returncode == 75, (done.returncode, done.stderr[-1500:])
    assert "is it mounted" in done.stderr
    assert archive.rows() == before
    done = ended(archive)
    assert (done.returncode, "no such folder" in done.stderr) == (64, True)
    assert archive.rows() == before
