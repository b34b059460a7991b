"""The ledger as Python objects: its rows, their transitions, and the fingerprint of reading.

inputs/plan.py decides what is read, pending.py what the engine gets. tables/lake_table.py writes the rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache

import pyarrow.compute as pc

from deid_core.core.code_fingerprint import code_fingerprint
from deid_core.core.errors import Reason
from deid_core.lake.layout import Lake
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader
from deid_core.pipeline.settings_file import Settings

RUN_TIME = "%Y%m%dT%H%M%S"
"""Format of the start time, UTC, at the beginning of a run id."""
_TRANSIENT = frozenset({Reason.TIMEOUT, Reason.CONVERTER_FAILED, Reason.ENGINE_TIMEOUT, Reason.KILLED})
"""Reasons that a busy machine, too little memory or a full /tmp can cause."""
_RETRY_FOR = timedelta(days=3)
"""A note that always times out costs its time limit on a few nights only."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A row of restricted/ledger. tables/columns.py describes the columns (LEDGER)."""

    note_id: str
    path: str
    size_bytes: int
    mtime_ns: int
    sha256: str
    state: str
    reader: str
    run_id: str
    reason: str | None = None
    detail: str | None = None
    batch: str | None = None
    year: int | None = None
    year_source: str | None = None
    pipeline: str | None = None

    def retries_itself(self, now: datetime) -> bool:
        """Return whether to retry a quarantined note automatically: transient failures are retried for three days.

        now: UTC. The run id holds the time of the failure: the same failure does not write a new row.
        """
        if self.reason not in _TRANSIENT:
            return False
        try:
            since = datetime.strptime(self.run_id.partition("-")[0], RUN_TIME).replace(tzinfo=UTC)
        except ValueError:
            return False
        return now - since < _RETRY_FOR

    def quarantined(self, reason: str, detail: str, *, run_id: str, pipeline: str) -> LedgerRow:
        """Return the row after the engine failed on the note. Its raw text stays: another pipeline may succeed."""
        return replace(self, state=State.QUARANTINED, reason=reason, detail=detail, run_id=run_id, pipeline=pipeline)

    def recovered(self, *, run_id: str) -> LedgerRow:
        """Return the row after an engine succeeded on a note on which another had failed."""
        return replace(self, state=State.CONVERTED, reason=None, detail=None, run_id=run_id, pipeline=None)

    def deleted(self, *, run_id: str) -> LedgerRow:
        """Return the row after the file was deleted or moved at the source."""
        return LedgerRow(
            self.note_id, self.path, self.size_bytes, self.mtime_ns, self.sha256, State.DELETED, self.reader, run_id
        )

    def withdrawn(self, file_key: str, *, run_id: str) -> LedgerRow:
        """Return the row after its patient was withdrawn: it tells nothing of the file but a keyed hash of its bytes.

        file_key: NoteIds.file_key of the bytes, by which a copy under another path is recognised.
        """
        return LedgerRow(self.note_id, "", 0, 0, file_key, State.WITHDRAWN, self.reader, run_id)


@dataclass(frozen=True, slots=True)
class ReaderFingerprint:
    """Fingerprints of reading, for notes and for refused files.

    A note is read again when the reading code, the choice of reader or the rule for its year changes; a refused file
    also when a limit changes.
    (Of the letterhead's code only the search for the salutation counts, since it decides the kinds of blocks. The rest,
    which may give the year, is left out: it changes often, and seldom changes a year.)
    """

    notes: str
    refused: str

    @staticmethod
    def from_settings(settings: Settings) -> ReaderFingerprint:
        """Return the fingerprints of these settings and this code, 16 hexadecimal digits each."""
        readers = f"{settings.reading.doc_reader}\0{settings.reading.docx_reader}"
        notes = f"{_reading_code()}\0{readers}\0{settings.year.model_dump_json()}"
        refused = f"{notes}\0{settings.reading.model_dump_json()}"
        return ReaderFingerprint(_digits(notes), _digits(refused))


def read_ledger(lake: Lake) -> dict[str, LedgerRow]:
    """Return the ledger by note_id; {} for a new lake."""
    rows = delta_reader.rows(lake.ledger, list(LedgerRow.__dataclass_fields__))
    return {row[0]: LedgerRow(*row) for row in rows}


def paths(lake: Lake) -> dict[str, str]:
    """Return the paths of the notes by note_id, without those that were deleted or withdrawn."""
    present = ~pc.field("state").isin([State.DELETED, State.WITHDRAWN])
    return dict(delta_reader.rows(lake.ledger, ["note_id", "path"], where=present))


def without_lost_texts(known: Mapping[str, LedgerRow], lake: Lake) -> dict[str, LedgerRow]:
    """Return the ledger without the raw texts whose folders are missing, so that their files are read again."""
    on_disk = {(folder.parent.name, folder.name) for folder in lake.note_folders()}
    named = {(row.year, row.batch) for row in known.values() if row.batch is not None}
    lost = {(year, batch) for year, batch in named if (f"year={year}", f"batch={batch}") not in on_disk}
    if not lost:
        return dict(known)
    return {
        note_id: row
        if (row.year, row.batch) not in lost
        else replace(row, state=State.QUARANTINED, reason=Reason.VANISHED, detail="no raw text", batch=None)
        for note_id, row in known.items()
    }


def superseded(rows: Iterable[LedgerRow], known: Mapping[str, LedgerRow]) -> list[LedgerRow]:
    """Return the old rows whose text in restricted/notes the new rows no longer name."""
    old = ((known.get(row.note_id), row) for row in rows)
    return [before for before, row in old if before is not None and before.batch and before.batch != row.batch]


@cache
def _reading_code() -> str:
    """Return a fingerprint of the code that makes raw notes."""
    return code_fingerprint("deid_core.readers.note_reader", "deid_core.lake.notes.year")


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
