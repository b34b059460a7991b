"""Files of another account: of the input they cost themselves alone; of the lake they stop a run before it begins."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from lakes import LETTER, Archive, write
from processes import REPOSITORY, ended

from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader

pytestmark = [
    pytest.mark.fault,
    pytest.mark.spark,
    pytest.mark.skipif(os.getuid() != 0, reason="needs root, to give files to another account"),
]

WITHOUT_RIGHTS = str(Path(__file__).with_name("without_rights.py"))
OTHER = 65534
PLACES: dict[str, Callable[[Lake], Path]] = {
    "the key": lambda lake: lake.key,
    "the checksums": lambda lake: lake.checksums,
    "a commit of the ledger": lambda lake: max((lake.ledger / "_delta_log").glob("*.json")),
    "a file of texts": lambda lake: delta_reader.data_files(lake.deidentified)[0],
    "a file of raw notes": lambda lake: next(lake.note_folders()[0].glob("*.parquet")),
    "a batch of raw notes": lambda lake: lake.note_folders()[0],
}


@contextmanager
def of_another_account(*paths: Path) -> Iterator[None]:
    """Give files and folders to an account that closes them to all others."""
    modes = [path.stat().st_mode & 0o777 for path in paths]
    for path in paths:
        os.chown(path, OTHER, OTHER)
        path.chmod(0o700 if path.is_dir() else 0o600)
    yield
    for path, mode in zip(paths, modes, strict=True):
        os.chown(path, 0, 0)
        path.chmod(mode)


def command(*arguments: str) -> tuple[int, str]:
    """Return exit code and output of a command that needs no Spark."""
    done = subprocess.run(
        [sys.executable, WITHOUT_RIGHTS, *arguments],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_lake_in_which_another_account_wrote(archive: Archive, first_run: Archive) -> None:
    """What is closed is not taken for damaged: nothing is removed, and nothing made again."""
    lake = ["--lake", str(archive.root)]
    for what, place in PLACES.items():
        path = place(archive.lake)
        closed = f"1 of its files and folders, the first is {path.relative_to(archive.root)}"
        with of_another_account(path):
            before = archive.files()
            done = ended(archive, script=(WITHOUT_RIGHTS,))
            assert (done.returncode, closed in done.stderr) == (64, True), (what, done.stderr[-1500:])
            assert archive.files() == before, what
    with of_another_account(archive.lake.note_folders()[0]):
        before = archive.files()
        for more in ([], ["--mend"]):
            code, text = command("check", *lake, *more)
            assert (code, "this account may not" in text, "damaged" in text) == (64, True, False)
        assert archive.files() == before
    with of_another_account(delta_reader.data_files(archive.lake.phi_counts)[0]):
        code, text = command("report", *lake)
        assert (code, "clean/phi_counts/part-" in text, "damaged" in text) == (64, True, False)
    done = ended(archive, script=(WITHOUT_RIGHTS,))
    assert (done.returncode, "Nothing to do" in done.stdout) == (65, True), "two of the notes are unreadable"
    assert archive.rows() == first_run.rows()


def test_input_files_of_another_account(archive: Archive, tmp_path: Path) -> None:
    """The others are done. The next run reads them if they were made readable."""
    undisturbed = archive.copy(tmp_path / "undisturbed")
    changed, added, other = ("2010/Müller, Anna 0.txt", "2012/Neumann, Anna.txt", "2012/Altmann, Anna.txt")
    for of in (archive, undisturbed):
        for number, path in enumerate((changed, added, other)):
            write(of.input / path, LETTER.format(name="Neumann", number=number), seconds=1_600_000_000)
    with of_another_account(archive.input / changed, archive.input / added):
        done = ended(archive, script=(WITHOUT_RIGHTS,))
        assert done.returncode == 65, done.stderr[-1500:]
        reasons = {path: row["reason"] for path, row in archive.ledger().items()}
        assert [reasons[path] for path in (changed, added, other)] == ["vanished", "vanished", None]
        assert "Neumann" not in done.stderr + done.stdout
    assert ended(archive, script=(WITHOUT_RIGHTS,)).returncode == 65
    assert ended(undisturbed).returncode == 65
    assert archive.rows() == undisturbed.rows()


def test_an_input_folder_of_another_account(archive: Archive) -> None:
    """Its files must not look deleted."""
    before = archive.files()
    with of_another_account(archive.input / "2011"):
        done = ended(archive, script=(WITHOUT_RIGHTS,))
    assert done.returncode == 64
    assert "this account needs the right to read (r) and to enter (x) every folder below it" in done.stderr
    assert archive.files() == before
