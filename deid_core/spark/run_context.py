"""What the stages of a run share: lake, settings, log, counts, and a Spark session once it is needed."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from deid_core.core.logs import RunLog
from deid_core.lake.identity import NoteIds
from deid_core.lake.layout import Lake
from deid_core.lake.ledger import RUN_TIME, LedgerRow, ReaderFingerprint
from deid_core.lake.lock import Lock
from deid_core.pipeline.engine import EngineSpec
from deid_core.pipeline.settings import Settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from deid_core.lake.tables import Tables


def new_run_id() -> str:
    """The time of the start in UTC and a random end, so that names of batches sort by age and never repeat."""
    return f"{datetime.now(UTC):{RUN_TIME}}-{secrets.token_hex(4)}"


@dataclass
class Run:
    """One run over a lake."""

    lake: Lake
    settings: Settings
    spec: EngineSpec
    ids: NoteIds
    staging: Path
    lock: Lock
    run_id: str
    log: RunLog
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    """Quarantined notes by reason."""
    seconds: dict[str, float] = field(default_factory=dict)
    did_something: bool = False
    """Whether a stage had work: nothing is written otherwise."""

    @cached_property
    def reader_print(self) -> ReaderFingerprint:
        """Fingerprints of reading with these settings."""
        return ReaderFingerprint.of(self.settings)

    @cached_property
    def fingerprint(self) -> str:
        """The pipeline's fingerprint."""
        return self.spec.fingerprint

    @cached_property
    def spark(self) -> SparkSession:
        """The session, started when first asked for: only files to read and notes to de-identify need one."""
        from deid_core.spark.session import check_same_storage, start_session

        session = start_session(interactive=self.log.interactive, lock=self.lock)
        check_same_storage(self.staging)
        return session

    @cached_property
    def tables(self) -> Tables:
        """The lake's Delta tables, which exist once they were asked for."""
        from deid_core.lake.tables import Tables

        tables = Tables.of(self.lake)
        tables.create()
        return tables

    @property
    def started_spark(self) -> bool:
        """Whether there is a session to end."""
        return "spark" in self.__dict__

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Adds the wall time of the block to the stage's seconds."""
        begin = time.monotonic()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.monotonic() - begin

    def describe(self, stage: str, message: str, **counts: float) -> None:
        """Says in the log and in Spark's list of jobs what is done next."""
        self.did_something = True
        if self.started_spark:
            told = "".join(f", {name} {value:,}" for name, value in counts.items())
            self.spark.sparkContext.setJobDescription(f"{stage}: {message}{told}")
        self.log.event(stage, message, **counts)

    def frame(self, table: pa.Table) -> DataFrame:
        """A Spark frame of an Arrow table of this process."""
        return self.spark.createDataFrame(table)

    def write_ledger(self, rows: Iterable[LedgerRow]) -> None:
        """Puts rows into the ledger in one commit, which is what makes a batch exist."""
        names = self.tables.ledger.columns.names
        if data := [{name: getattr(row, name) for name in names} for row in rows]:
            self.tables.ledger.upsert(data)
