"""The log says that a run is at work, also while the JVM starts."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from deid_core.pipeline.settings_file import RunSettings, Settings
from deid_core.spark.spark_run import SparkRun


def test_at_work_is_told_while_the_jvm_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session here does not come before the log has said so."""
    told = threading.Event()
    monkeypatch.setattr(SparkRun, "spark", property(lambda _: told.wait(10)))
    monkeypatch.setattr(SparkRun, "is_alone", lambda *_: False)
    run = SparkRun.__new__(SparkRun)
    run.inputs = SimpleNamespace(settings=Settings(run=RunSettings(progress_s=0.01)))  # type: ignore[assignment]
    run.log = SimpleNamespace(interval_s=lambda s: s, progress=lambda *_: told.set())  # type: ignore[assignment]
    with run.progress("convert", 10, before=0, total=10):
        assert told.is_set()
