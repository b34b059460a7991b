"""What the stages of a run share: lake, settings, log, counts. spark/spark_run.py adds the Spark session."""

from __future__ import annotations

import os
import secrets
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deid_core.core.logs import RunLog
from deid_core.lake.checks.drift import ShareShift
from deid_core.lake.checks.night_profile import NightProfile
from deid_core.lake.inputs.identities import Identities
from deid_core.lake.inputs.patient_table import PatientTable
from deid_core.lake.layout import Lake
from deid_core.lake.lock import Lock
from deid_core.lake.notes.ids import NoteIds
from deid_core.lake.notes.ledger import RUN_TIME, LedgerRow, ReaderFingerprint, read_ledger
from deid_core.lake.tables import delta_reader
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.loading import check_spec
from deid_core.pipeline.settings_file import Settings
from deid_core.policies.redaction import Redactor

if TYPE_CHECKING:
    from deid_core.lake.tables.lake_table import Tables
    from deid_core.pipeline.engine import Engine


def new_run_id() -> str:
    """Return the start time in UTC and random digits, so that names of batches sort by age and never repeat."""
    return f"{datetime.now(UTC):{RUN_TIME}}-{secrets.token_hex(4)}"


@dataclass(frozen=True)
class RunInputs:
    """What a run is made from: the lake, the settings, and what these name, read and checked.

    patient_table, identities: the hospital's tables, None if none is named. outputs: the policies of the outputs, with
    their key.
    """

    lake: Lake
    settings: Settings
    spec: EngineSpec
    patient_table: PatientTable | None = None
    identities: Identities | None = None
    outputs: tuple[Redactor, ...] = ()


@dataclass
class Run:
    """One run over a lake."""

    inputs: RunInputs
    ids: NoteIds
    staging: Path
    lock: Lock
    run_id: str
    log: RunLog
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    """Quarantined notes by reason."""
    night: NightProfile = field(default_factory=NightProfile)
    """The notes that got a text."""
    drift: list[ShareShift] = field(default_factory=list)
    """How they differ from those of earlier runs."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time by stage."""
    did_something: bool = False
    """Whether a stage had work. If none had, the run writes nothing."""
    patient_keys: tuple[object, Any] | None = None
    """What the last `matching.PatientKeys` of this run were made from, and these; they take seconds to make."""
    checked_engine: Engine | None = None
    """What `check_engine` made, until it is known that this process does not use it."""
    _engine_checked: bool = False
    _known: tuple[int, dict[str, LedgerRow]] | None = None

    @property
    def lake(self) -> Lake:
        """The lake."""
        return self.inputs.lake

    @property
    def settings(self) -> Settings:
        """The run's settings."""
        return self.inputs.settings

    @property
    def spec(self) -> EngineSpec:
        """All that the engine is made from."""
        return self.inputs.spec

    @cached_property
    def reader_fingerprint(self) -> ReaderFingerprint:
        """Fingerprints of reading with these settings."""
        return ReaderFingerprint.from_settings(self.settings)

    @cached_property
    def fingerprint(self) -> str:
        """The pipeline's fingerprint."""
        return self.spec.fingerprint

    def known_notes(self) -> dict[str, LedgerRow]:
        """Return the ledger by note_id, which the caller does not change. It is read when it has changed."""
        version = delta_reader.version(self.lake.ledger)
        if self._known is None or self._known[0] != version:
            self._known = version, read_ledger(self.lake)
        return self._known[1]

    def check_engine(self) -> None:
        """Check once that an engine can be made, before the first change. A run without work loads none.

        Raises ConfigurationError if not.
        """
        if not self._engine_checked:
            self.checked_engine = check_spec(self.spec)
            self._engine_checked = True

    @cached_property
    def tables(self) -> Tables:
        """The lake's Delta tables. The first access creates the missing ones."""
        from deid_core.lake.tables.lake_table import Tables

        tables = Tables(self.lake)
        tables.create()
        return tables

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the wall time of the block to the stage's seconds."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.monotonic() - start

    def describe(self, stage: str, message: str, **counts: int) -> None:
        """Log what the run does next, and note that it does something."""
        self.did_something = True
        self.log.step(stage, message, **counts)

    def write_ledger(self, rows: Iterable[LedgerRow]) -> None:
        """Upsert ledger rows in one commit. A batch exists once the ledger names it."""
        names = self.tables.ledger.columns.names
        if data := [{name: getattr(row, name) for name in names} for row in rows]:
            # After a power cut, the ledger must not name what did not reach the disk.
            os.sync()
            self.tables.ledger.upsert(data)
