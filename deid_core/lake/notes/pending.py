"""Which notes wait for the engine: the ledger compared with the texts of clean/deidentified."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from deid_core.lake.layout import Lake
from deid_core.lake.notes.ledger import LedgerRow
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader


def made_by(lake: Lake, made_with: Callable[[str], str]) -> set[tuple[str, str]]:
    """Return (note_id, batch) of each text that is up to date. made_with: the fingerprint that a note's text needs."""
    rows = delta_reader.rows(lake.deidentified, ["note_id", "batch", "fingerprint"])
    return {(note_id, batch) for note_id, batch, fingerprint in rows if fingerprint == made_with(note_id)}


def pending(
    known: Iterable[LedgerRow],
    made: set[tuple[str, str]],
    made_with: Callable[[str], str],
    *,
    retry: bool,
    now: datetime,
) -> list[LedgerRow]:
    """Return the ledger rows of notes to de-identify, by batch, year and note_id, so that a slice needs few folders.

    made, made_with: as of `made_by`. A note on which the engine failed waits for another pipeline, for something else
    that is known of it, or for `retry`. Transient failures are retried automatically for some days. now: UTC.
    """
    waiting = [
        row
        for row in known
        if row.batch is not None
        and (row.note_id, row.batch) not in made
        and (row.state == State.CONVERTED or retry or row.pipeline != made_with(row.note_id) or row.retries_itself(now))
    ]
    return sorted(waiting, key=lambda row: (row.batch, row.year or 0, row.note_id))


def wrongly_quarantined(known: Iterable[LedgerRow], made: set[tuple[str, str]]) -> list[LedgerRow]:
    """Return the quarantined rows of notes that have a text: a run crashed before it could update the ledger."""
    return [row for row in known if row.state == State.QUARANTINED and row.batch and (row.note_id, row.batch) in made]
