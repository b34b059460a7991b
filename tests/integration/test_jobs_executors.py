"""Errors and missing parts of executors reach the driver with their meaning, and without their message."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from lakes import Archive, write
from pyspark.sql import SparkSession

from deid_core.core.errors import ConfigurationError, TryAgainError
from deid_core.spark import reading_task
from deid_core.spark.task_base import without_message

pytestmark = pytest.mark.spark


def test_a_full_disk(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    number = errno.ENOSPC

    class FullDisk:
        """Replaces the task that reads files. Executors get it by value."""

        def __init__(self, *args: object) -> None:
            """Take the arguments of that task."""

        @without_message
        def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            raise OSError(number, "Müller", "Müller.parquet")
            yield from batches

    monkeypatch.setattr(reading_task, "ReadNotes", FullDisk)
    write(archive.input / "neu.txt", "Herr Müller kam.\n")
    before = archive.versions()
    with pytest.raises(TryAgainError, match="the disk is full") as caught:
        archive.run()
    assert "Müller" not in str(caught.value)
    assert archive.versions() == before


def test_no_libreoffice(archive: Archive, tmp_path: Path) -> None:
    """A file whose name does not show it needs LibreOffice: a fault of the machine, reported with what to do."""
    settings = tmp_path / "conf.yaml"
    settings.write_text("reading: {libreoffice: no-such-office}\n")
    write(archive.input / "brief.txt", r"{\rtf1 Herr Müller kam.}")
    before = archive.versions()
    with pytest.raises(ConfigurationError) as caught:
        archive.run(settings=settings)
    assert caught.value.problems == ["reading.libreoffice: no-such-office: there is no such program"]
    assert archive.versions() == before


def test_a_batch_of_large_notes_fits_into_memory(spark: SparkSession) -> None:
    """256 notes of the largest size would not."""

    def sizes(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_pydict({"bytes": [batch.nbytes]})

    texts = spark.range(0, 30, 1, 1).selectExpr("repeat('x', 5000000) as text")
    found = [row["bytes"] for row in texts.mapInArrow(sizes, "bytes long").collect()]
    assert sum(found) > 30 * 5_000_000
    assert max(found) < 80_000_000


def test_code_that_differs_from_the_drivers(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    read = reading_task.ReadNotes
    monkeypatch.setattr(reading_task, "ReadNotes", lambda *given: read(*given[:3], "another", *given[4:]))
    write(archive.input / "neu.txt", "Herr Müller kam.\n")
    with pytest.raises(ConfigurationError, match=r"run `python -m deid_core\.spark\.pack_environment` again"):
        archive.run()
