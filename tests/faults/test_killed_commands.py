"""SIGKILL of `deid withdraw`, `export`, `publish`, `release` at each of their steps: the same command completes it."""

from __future__ import annotations

import io
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from killed import OF_COMMANDS
from lakes import Archive

from deid_core.cli import main
from deid_core.core.errors import ExitCode
from deid_core.lake.tables import delta_reader

pytestmark = [pytest.mark.fault, pytest.mark.spark]

KILLED = Path(__file__).with_name("killed.py")
PATH, NAME = "2010/Müller, Anna 0.txt", "müller"
NOTES = 13


def killed(place: str, arguments: list[str]) -> None:
    """Run a command until it kills itself at the place."""
    done = subprocess.run([sys.executable, KILLED, place, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, f"{place}: not reached\n{done.stderr[-2000:]}"


def names(archive: Archive) -> set[str]:
    """Return the folders of the lake with a file that shows the name, in its bytes or in the values of its rows."""
    found = set()
    for file in archive.root.rglob("*"):
        content = file.read_bytes() if file.is_file() else b""
        if content[:4] == b"PAR1":
            content += repr(pq.read_table(io.BytesIO(content)).to_pylist()).encode()
        if NAME in f"{file.name}\0{content.decode('utf-8', 'replace')}".lower():
            found.add("/".join(file.relative_to(archive.root).parts[:2]))
    return found


def notes_of(archive: Archive) -> set[str]:
    """Return the paths of the notes that have a text."""
    paths = {row["note_id"]: path for path, row in archive.ledger().items()}
    return {str(paths[note_id]) for note_id in delta_reader.distinct(archive.lake.deidentified, "note_id")}


@pytest.mark.parametrize("place", OF_COMMANDS["withdraw"])
def test_a_withdrawal_that_is_killed_is_completed_by_the_next(first_run: Archive, tmp_path: Path, place: str) -> None:
    note_id = first_run.ledger()[PATH]["note_id"]
    rows = delta_reader.read(first_run.lake.deidentified, ["note_id", "patient_key"]).to_pylist()
    [key] = [row["patient_key"] for row in rows if row["note_id"] == note_id]
    others = notes_of(first_run) - {PATH}
    assert {"restricted/notes", "restricted/ledger"} <= names(first_run)
    archive = first_run.copy(tmp_path)
    command = ["withdraw", "--lake", str(archive.root), "--patient-key", key]
    killed(place, command)
    assert main(command) == 0
    assert names(archive) == set()
    assert notes_of(archive) == others
    assert main(["check", "--lake", str(archive.root)]) == 0


def test_an_export_that_is_killed_leaves_nothing_in_the_way(first_run: Archive, tmp_path: Path) -> None:
    output = tmp_path / "out"
    command = ["export", "--lake", str(first_run.root), "--output", str(output)]
    for place in OF_COMMANDS["export"]:
        killed(place, command)
        assert not output.exists(), place
    assert main(command) == 0
    assert len((output / "notes.jsonl").read_text(encoding="utf-8").split("\n")) == NOTES + 1
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_publication_that_is_killed_is_completed_by_the_next(first_run: Archive, tmp_path: Path) -> None:
    archive, output = first_run.copy(tmp_path / "lake"), tmp_path / "out"
    command = ["publish", "--lake", str(archive.root), "--output", str(output)]
    tables = ("deidentified", "phi_audit", "phi_counts", "runs")
    assert main(command) == 0
    (archive.input / PATH).unlink()
    archive.run()
    for number, place in enumerate(OF_COMMANDS["publish"]):
        copy = shutil.copytree(output, tmp_path / str(number))
        killed(place, [*command[:-1], str(copy)])
        found = {name: delta_reader.distinct(copy / name, "run_id") for name in ("deidentified", "runs")}
        assert all(found.values()), place
        assert main([*command[:-1], str(copy)]) == 0
        for name in tables:
            assert delta_reader.data_files(copy / name)
            names = {file.name for file in delta_reader.data_files(archive.lake.clean / name)}
            assert {file.name for file in (copy / name).rglob("*.p*") if "_delta_log" not in file.parts} == names, place
    killed("while a file is written", [*command[:-1], str(tmp_path / "new")])
    assert main([*command[:-1], str(tmp_path / "new")]) == 0
    assert not list((tmp_path / "new").rglob("*.part"))


def test_a_release_that_is_killed_is_made_again_under_its_name(first_run: Archive, tmp_path: Path) -> None:
    archive, output = first_run.copy(tmp_path / "lake"), tmp_path / "out"
    output.mkdir()
    command = ["release", "--lake", str(archive.root), "--output", str(output), "--without-dossier"]
    for place in OF_COMMANDS["release"]:
        killed(place, [*command, "--name", "1"])
        assert not (output / "1").exists(), place
    assert main([*command, "--name", "1"]) == 0
    assert [path.name for path in output.iterdir()] == ["1"]
    assert pq.read_metadata(output / "1" / "data" / "notes.parquet").num_rows == NOTES
    assert main(["certify", "verify", str(output / "1")]) == 0
    assert main([*command, "--name", "1"]) == ExitCode.USAGE
