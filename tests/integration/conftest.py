"""One Spark session for all integration tests, a dozen notes, and the lake of a first run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from lakes import JAVA, Archive, write_notes


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """Return the session of the test run, with an event log and without network ports."""
    from deid_core.spark.session import start_session

    os.environ |= JAVA
    folder = tmp_path_factory.mktemp("spark")
    (folder / "events").mkdir()
    (folder / "scratch").mkdir()
    session = start_session(
        settings={
            "spark.master": "local[2]",
            "spark.sql.shuffle.partitions": "1",
            "spark.databricks.delta.snapshotPartitions": "1",
            "spark.databricks.delta.merge.repartitionBeforeWrite.enabled": "false",
            "spark.sql.adaptive.enabled": "false",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": (folder / "events").as_uri(),
            "spark.local.dir": str(folder / "scratch"),
        }
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def event_log(spark: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the session's event log."""
    return Path(spark.conf.get("spark.eventLog.dir").removeprefix("file:"))  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def first_run(spark: object, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Return the notes and their lake after one run. Read only."""
    folder = tmp_path_factory.mktemp("first")
    archive = Archive(write_notes(folder / "input"), folder / "lake")
    archive.run()
    return archive


@pytest.fixture
def archive(first_run: Archive, tmp_path: Path) -> Archive:
    """Return a copy of the first run's notes and lake."""
    return first_run.copy(tmp_path)
