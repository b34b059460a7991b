"""Which notes wait for the engine: the ledger compared with what a pipeline has made."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import pyarrow.compute as pc

from deid_core.lake import delta_reader
from deid_core.lake.layout import Lake
from deid_core.lake.ledger import LedgerRow
from deid_core.lake.schemas import State


def done(lake: Lake, fingerprint: str) -> set[tuple[str, str]]:
    """(note_id, batch) of what the pipeline of this fingerprint has made."""
    made = delta_reader.read(lake.deidentified, ["note_id", "batch"], where=pc.field("fingerprint") == fingerprint)
    return set(zip(made["note_id"].to_pylist(), made["batch"].to_pylist(), strict=True))


def pending(
    known: Iterable[LedgerRow], made: set[tuple[str, str]], fingerprint: str, *, retry: bool, now: datetime
) -> list[LedgerRow]:
    """Ledger rows of notes to de-identify, by batch, year and note_id: a slice of them needs few folders.

    made: (note_id, batch) of what this pipeline has made already. A note on which the engine failed waits for another
    pipeline, or for retry; if it only ran out of time, it is tried again for some days from its failure to now (UTC).
    """
    waiting = [
        row
        for row in known
        if row.batch is not None
        and (row.note_id, row.batch) not in made
        and (row.state == State.CONVERTED or retry or row.pipeline != fingerprint or row.may_succeed(now))
    ]
    return sorted(waiting, key=lambda row: (row.batch, row.year or 0, row.note_id))


def managed(known: Iterable[LedgerRow], made: set[tuple[str, str]]) -> list[LedgerRow]:
    """Quarantined ledger rows of notes that have their text: a run broke off before it could tell the ledger."""
    return [row for row in known if row.state == State.QUARANTINED and row.batch and (row.note_id, row.batch) in made]
