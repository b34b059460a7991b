"""A run that breaks off anywhere: the next one makes the same tables as a run that was left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from lakes import LETTER, Archive, Crash, write

from jobs import audit, convert, deidentify, erase
from jobs import run as run_module

pytestmark = pytest.mark.spark

PLACES = [
    pytest.param(erase, "erase_raw", id="withdrawn, raw text still there"),
    pytest.param(convert, "_move_in", id="files read, nothing moved in"),
    pytest.param(convert, "_count", id="ledger written, nothing de-identified"),
    pytest.param(deidentify, "write_audit", id="engine done, nothing written"),
    pytest.param(deidentify, "write_texts", id="audit written, texts not"),
    pytest.param(deidentify, "write_failures", id="texts written, failures not"),
    pytest.param(run_module, "audit", id="counts not made"),
]


def change(archive: Archive) -> None:
    """A note changes, one goes, one comes, one can no longer be read."""
    write(archive.input / "2010/Müller, Anna 0.txt", LETTER.format(name="Altmann", number=5), seconds=1_600_000_000)
    (archive.input / "2011/Schmidt, Anna 1.txt").unlink()
    write(archive.input / "2012/Neu.txt", LETTER.format(name="Neumann", number=6))
    write(archive.input / "2010/Weber, Anna 2.txt", "", seconds=1_600_000_000)


@pytest.fixture(scope="module")
def undisturbed(first_run: Archive, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """The lake of a second run that nothing disturbed."""
    archive = first_run.copy(tmp_path_factory.mktemp("undisturbed"))
    change(archive)
    archive.run()
    return archive


@pytest.mark.parametrize(("module", "name"), PLACES)
def test_next_run_makes_it_good(
    archive: Archive, undisturbed: Archive, monkeypatch: pytest.MonkeyPatch, module: object, name: str
) -> None:
    change(archive)
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(module, name, _crash)
        archive.run()
    archive.run()
    assert archive.rows() == undisturbed.rows()
    assert not archive.run().did_something


def test_what_a_killed_run_left_is_removed(archive: Archive) -> None:
    staged = archive.lake.staging / "20200101T000000-00000000" / "redacted-0000"
    unnamed = archive.lake.notes / "year=2010" / "batch=20200101T000000-00000000-0000"
    for folder in (staged, unnamed):
        folder.mkdir(parents=True)
        (folder / "part-00000.parquet").write_bytes(b"left")
    archive.run()
    assert not archive.lake.staging.exists()
    assert not unnamed.exists()


def test_first_run_that_breaks_off(first_run: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = Archive(first_run.input, tmp_path / "lake")
    fresh.lake.prepare()
    fresh.lake.key.write_text(first_run.lake.key.read_text())
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(deidentify, "write_texts", _crash)
        fresh.run()
    fresh.run()
    assert fresh.rows() == first_run.rows()


def _crash(*args: object, **kwargs: object) -> None:
    raise Crash
