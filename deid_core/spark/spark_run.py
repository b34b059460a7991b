"""A run with a Spark session, which starts when a stage first needs it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from deid_core.lake.run_context import Run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SparkRun(Run):
    """A run whose stages may use Spark: only reading files and running the engine do."""

    @cached_property
    def spark(self) -> SparkSession:
        """The session, started on first access."""
        from deid_core.spark.session import check_same_storage, start_session

        session = start_session(interactive=self.log.interactive, lock=self.lock)
        check_same_storage(self.staging)
        return session

    @property
    def started_spark(self) -> bool:
        """Whether there is a session to stop."""
        return "spark" in self.__dict__

    def describe(self, stage: str, message: str, **counts: int) -> None:
        """Log what the run does next, and show it in Spark's list of jobs."""
        super().describe(stage, message, **counts)
        if self.started_spark:
            shown = "".join(f", {name} {value:,}" for name, value in counts.items())
            self.spark.sparkContext.setJobDescription(f"{stage}: {message}{shown}")
