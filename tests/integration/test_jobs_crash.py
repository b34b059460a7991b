"""A run that crashes anywhere: the next one makes the same tables as an undisturbed run."""

from __future__ import annotations

from pathlib import Path

import pytest
from delta.tables import DeltaTable
from lakes import LETTER, Archive, Crash, write
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from deid_core.lake.notes.ledger import ReaderFingerprint
from deid_core.lake.runs import maintenance, note_removal
from deid_core.lake.tables import delta_reader
from deid_core.pipeline.settings_file import load_settings
from deid_core.spark import convert_notes, deidentify_notes

pytestmark = pytest.mark.spark

STEPS = [
    (note_removal, "erase_raw"),  # withdrawn from the clean tables, raw text still there
    (convert_notes, "_move_in"),  # files read
    (convert_notes, "_count"),  # ledger written
    (deidentify_notes, "write_audit"),  # engine done
    (deidentify_notes, "write_texts"),  # audit written
    (deidentify_notes, "write_failures"),  # texts written
]


def change(archive: Archive) -> None:
    """Change a note, delete one, add one, make one unreadable."""
    write(archive.input / "2010/Müller, Anna 0.txt", LETTER.format(name="Altmann", number=5), seconds=1_600_000_000)
    (archive.input / "2011/Schmidt, Anna 1.txt").unlink()
    write(archive.input / "2012/Neu.txt", LETTER.format(name="Neumann", number=6))
    write(archive.input / "2010/Weber, Anna 2.txt", "", seconds=1_600_000_000)


def test_the_next_run_repairs_the_lake(first_run: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run crashes one step later than the one before; the last is undisturbed."""
    undisturbed = first_run.copy(tmp_path / "undisturbed")
    archive = first_run.copy(tmp_path / "crashes")
    change(undisturbed)
    change(archive)
    undisturbed.run()
    for module, name in STEPS:
        with monkeypatch.context() as patched, pytest.raises(Crash):
            patched.setattr(module, name, _crash)
            archive.run()
        assert archive.rows() != undisturbed.rows(), name
    archive.run()
    assert archive.rows() == undisturbed.rows()
    assert not archive.run().did_something


def test_another_pipeline_that_crashes(archive: Archive, first_run: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves its audit without its texts. The previous pipeline restores its own audit."""
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(deidentify_notes, "write_texts", _crash)
        archive.run(pipeline="variants")
    assert not delta_reader.read(archive.lake.deidentified, ["note_id"]).num_rows
    archive.run()
    assert archive.rows() == first_run.rows()
    assert not archive.run().did_something


def test_a_ledger_that_was_not_updated(archive: Archive, spark: SparkSession) -> None:
    """A note with a text leaves quarantine. The text of a note that the ledger calls unreadable is removed."""
    managed, refused = "2010/Müller, Anna 0.txt", "2011/Schmidt, Anna 1.txt"
    state = {"state": F.lit("quarantined"), "reason": F.lit("engine_timeout"), "detail": F.lit("")}
    ledger = DeltaTable.forPath(spark, str(archive.lake.ledger))
    ledger.update(F.col("path") == managed, state | {"pipeline": F.lit("another")})
    refused_by = F.lit(ReaderFingerprint.from_settings(load_settings()).refused)
    unread = state | {"reason": F.lit("corrupt"), "batch": F.lit(None), "reader": refused_by}
    ledger.update(F.col("path") == refused, unread)
    archive.run()
    row = archive.ledger()[managed]
    assert (row["state"], row["reason"]) == ("converted", None)
    gone = archive.ledger()[refused]["note_id"]
    for table in (archive.lake.deidentified, archive.lake.phi_audit):
        left = delta_reader.distinct(table, "note_id")
        assert row["note_id"] in left
        assert gone not in left
    assert not archive.run().did_something


def test_dead_files_of_a_crashed_run(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    change(archive)
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(maintenance, "remove_dead_files", _crash)
        archive.run()
    assert delta_reader.dead_files(archive.lake.deidentified)
    archive.run()
    assert not delta_reader.dead_files(archive.lake.deidentified)
    assert not archive.run().did_something


def test_remains_of_a_killed_run_are_removed(archive: Archive) -> None:
    staged = archive.lake.staging / "20200101T000000-00000000" / "redacted-0000"
    unnamed = archive.lake.notes / "year=2010" / "batch=20200101T000000-00000000-0000"
    for folder in (staged, unnamed):
        folder.mkdir(parents=True)
        (folder / "part-00000.parquet").write_bytes(b"left")
    archive.run()
    assert not archive.lake.staging.exists()
    assert not unnamed.exists()


def test_a_first_run_that_crashes(first_run: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = Archive(first_run.input, tmp_path / "lake")
    fresh.lake.prepare()
    fresh.lake.key.write_text(first_run.lake.key.read_text())
    with monkeypatch.context() as patched, pytest.raises(Crash):
        patched.setattr(deidentify_notes, "write_texts", _crash)
        fresh.run()
    fresh.run()
    assert fresh.rows() == first_run.rows()


def _crash(*args: object, **kwargs: object) -> None:
    raise Crash
