"""A run with a Spark session, which starts when a stage first needs it: not for a few notes."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from deid_core.lake.runs.context import Run
from deid_core.spark.worker_engine import EngineFile, keep_engine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FEW_NOTES = 300
"""One process reads and de-identifies them in about the time in which a JVM and its workers start."""
_GIVEN = ("PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR")
"""If one of these is set, the caller has chosen how Spark runs, and where."""


class SparkRun(Run):
    """A run whose stages may use Spark: only reading files and running the engine do."""

    @cached_property
    def spark(self) -> SparkSession:
        """The session, started on first access if none is running."""
        from pyspark.sql import SparkSession

        from deid_core.spark.session import check_same_storage, start_session
        from deid_core.spark.worker_daemon import VARIABLE

        self.checked_engine = None
        self._is_own_session = SparkSession.getActiveSession() is None
        self.log.step("spark", "starting the JVM")
        engine = {f"spark.executorEnv.{VARIABLE}": self.engine_file.to_json()}
        session = start_session(settings=engine, lock=self.lock)
        check_same_storage(self.staging)
        return session

    def is_alone(self, notes: int) -> bool:
        """Return whether this process does so few notes itself: they take less time than a JVM takes to start.

        Not where a session runs already, or the caller says how Spark is to be started.
        """
        return notes <= _FEW_NOTES and not self.uses_spark and not _spark_is_given()

    def hold_engine(self) -> EngineFile:
        """Make the engine that of this process, so that its children have it, and return its file."""
        if self.checked_engine is not None:
            keep_engine(self.checked_engine, self.engine_file.digest)
            self.checked_engine = None
        return self.engine_file

    @cached_property
    def engine_file(self) -> EngineFile:
        """From what executors make the engine; in the staging, which they see."""
        spec, path = self.spec.to_bytes(), self.staging / "engine"
        path.write_bytes(spec)
        return EngineFile(str(path), hashlib.sha256(spec).hexdigest(), self.fingerprint)

    @property
    def uses_spark(self) -> bool:
        """Whether a stage needed the session."""
        return "spark" in self.__dict__

    def stop_spark(self) -> None:
        """Stop the session if this run started it: a notebook's session is left to the notebook."""
        if self.uses_spark and self._is_own_session:
            self.spark.stop()

    @contextmanager
    def progress(self, stage: str, notes: int, before: int, total: int) -> Iterator[None]:
        """Log every few seconds how far the stage is while Spark works on a batch: notes done, rate, time left.

        notes: of the batch; before: done in earlier batches; total: of all batches. Spark counts tasks, so the numbers
        are estimates.
        """
        if self.is_alone(notes):
            yield
            return
        stop, started = threading.Event(), time.monotonic()
        interval_s = self.log.interval_s(self.settings.run.progress_s)

        def report() -> None:
            nonlocal started
            done = 0.0
            while not stop.wait(interval_s):
                if not self.uses_spark:
                    # The JVM starts, and no note is done.
                    self.log.progress(stage, before, total, 0, None)
                    started = time.monotonic()
                    continue
                try:
                    share = self._share_of_tasks()
                except Exception:
                    # The JVM is gone; the stage fails with the same error.
                    return
                # No stage runs when the last one has ended.
                done = max(done, notes * share)
                rate = done / (time.monotonic() - started)
                left = int((total - before - done) / rate) if rate else None
                self.log.progress(stage, before + int(done), total, int(60 * rate), left)

        reporter = threading.Thread(target=report, name="progress", daemon=True)
        reporter.start()
        try:
            _ = self.spark
            yield
        finally:
            stop.set()
            reporter.join()

    def _share_of_tasks(self) -> float:
        """Return which share of the tasks of Spark's running stages is done; 0 if none runs."""
        tracker = self.spark.sparkContext.statusTracker()
        stages = [stage for number in tracker.getActiveStageIds() if (stage := tracker.getStageInfo(number))]
        tasks = sum(stage.numTasks for stage in stages)
        return sum(stage.numCompletedTasks for stage in stages) / tasks if tasks else 0.0

    def describe(self, stage: str, message: str, **counts: int) -> None:
        """Log what the run does next, and show it in Spark's list of jobs."""
        super().describe(stage, message, **counts)
        if self.uses_spark:
            shown = "".join(f", {name} {value:,}" for name, value in counts.items())
            self.spark.sparkContext.setJobDescription(f"{stage}: {message}{shown}")


def _spark_is_given() -> bool:
    spark = sys.modules.get("pyspark.sql")
    active = spark.SparkSession.getActiveSession() if spark else None
    return active is not None or any(name in os.environ for name in _GIVEN)
