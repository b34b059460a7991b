"""First stage: turn new and changed notes of the source into raw notes, and remove those that are gone there.

A batch of notes is written beside the lake's notes and moved in by renaming folders. It exists once the ledger names
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from deid_core.core.errors import DeidError, Reason
from deid_core.lake.inputs.plan import Plan, ToRead, check_deletions, make_plan, missing_notes
from deid_core.lake.inputs.source import Chunk, NoteSource
from deid_core.lake.notes import ledger
from deid_core.lake.notes.ledger import LedgerRow
from deid_core.lake.runs import note_removal
from deid_core.lake.states import ReadOutcome, State
from deid_core.lake.tables import task_schemas
from deid_core.spark import reading_task
from deid_core.spark.crash_isolation import run_alone
from deid_core.spark.spark_run import SparkRun

_NOTES_PER_CHUNK = 50
"""Notes that an executor reads together: LibreOffice converts the files of a chunk at once."""
_NOTES_PER_TASK = 1_000
"""At most; fewer if cores would be idle."""
_FOLDERS = ds.partitioning(pa.schema([("outcome", pa.string()), ("year", pa.int32())]), flavor="hive")
"""Of what was read: outcome=/year=."""


def convert_notes(run: SparkRun, source: NoteSource, *, retry: bool = False, allow_deletions: bool = False) -> None:
    """Bring raw notes and ledger up to the source.

    Raises ConfigurationError if more notes disappeared than the settings allow, unless allow_deletions.
    """
    known = run.known_notes()
    left = note_removal.remove_unnamed_batches(run.lake)
    if left:
        run.log.event("convert", "removed what an interrupted run had left", batch_folders=left)
    known = ledger.without_lost_texts(known, run.lake)
    listed = source.list_notes(run.ids)
    plan = make_plan(
        listed.notes, known, run.reader_fingerprint, retry=retry, now=run.started, contents=source.contents
    )
    if not allow_deletions:
        check_deletions(plan, run.settings.run.allowed_deleted_share)
    if missing := missing_notes(plan):
        run.log.warn(
            "convert",
            "many known notes are missing from the input and leave the lake; is all of it mounted? "
            "(run.allowed_deleted_share stops a run)",
            **missing,
        )
    found = plan.counts | listed.not_read
    run.counts.update(found)
    run.log.event("convert", "compared the input with the ledger", **found)
    if links := listed.linked_folders:
        what = "1 folder is a link that leads" if links == 1 else "folders are links that lead"
        run.log.warn("convert", f"{what} out of the input and {'is' if links == 1 else 'are'} not read", folders=links)
    if plan.gone or plan.to_read:
        run.check_engine()
    if plan.gone:
        _remove_gone(run, plan.gone)
    chunks = source.chunks(plan.to_read, min(_NOTES_PER_CHUNK, run.settings.run.batch_notes))
    done = number = 0
    while notes := _stage(run, chunks, listing := run.staging / f"listing-{number:04d}.parquet"):
        progress = run.progress("convert", len(notes), before=done, total=len(plan.to_read))
        _convert_batch(run, plan, source, f"{run.run_id}-{number:04d}", notes, listing, progress)
        number, done = number + 1, done + len(notes)
    if left_meanwhile := len(plan.to_read) - done:
        run.log.warn("convert", "left the source after it was listed; the next run looks again", notes=left_meanwhile)
    if plan.gone or plan.to_read:
        note_removal.remove_unnamed_batches(run.lake)


def _remove_gone(run: SparkRun, gone: Sequence[LedgerRow]) -> None:
    """Remove notes whose files were deleted or moved: from the tables, then the raw notes, then update the ledger."""
    note_removal.remove_from_tables(run, "convert", [row.note_id for row in gone])
    note_removal.erase_raw(run, "convert", gone)
    run.write_ledger(row.deleted(run_id=run.run_id) for row in gone)


def _stage(run: SparkRun, chunks: Iterator[Chunk], listing: Path) -> list[ToRead]:
    """Write the listing of the next batch for executors, a row group for each chunk. Return its notes; [] at the end.

    A listing holds the names of files, or rows of a table with their texts.
    """
    notes: list[ToRead] = []
    with pq.ParquetWriter(listing, task_schemas.LISTING) as writer:
        while len(notes) < run.settings.run.batch_notes and (chunk := next(chunks, None)):
            writer.write_table(chunk.listing)
            notes += chunk.notes
    return notes


def _convert_batch(
    run: SparkRun,
    plan: Plan,
    source: NoteSource,
    batch: str,
    notes: Sequence[ToRead],
    listing: Path,
    progress: AbstractContextManager[None],
) -> None:
    staged = run.staging / batch
    run.describe("convert", "reading notes", notes=len(notes))
    with progress:
        _read_notes(run, source, listing, staged)
    listing.unlink()
    outcomes = _outcomes(staged)
    unread = {note_id for note_id, found in outcomes.items() if found["reason"] == Reason.VANISHED}
    paths = [note.stat.path for note in notes if note.stat.note_id in unread]
    source.check_available(paths, run.settings.run.allowed_deleted_share)
    rows = _without_withdrawn(run, plan, staged, _ledger_rows(run, plan, batch, notes, outcomes))
    changed = [row for row in rows if not _is_same(row, plan.known.get(row.note_id))]
    # A note that was readable before and no longer is must not keep its old text.
    refused = [row.note_id for row in changed if row.state != State.CONVERTED]
    note_removal.remove_from_tables(run, "convert", [note_id for note_id in refused if note_id in plan.known])
    note_removal.erase_raw(run, "convert", ledger.superseded(changed, plan.known))
    _move_in(run, staged, batch)
    run.describe("convert", "naming the batch in the ledger", rows=len(changed))
    run.write_ledger(changed)
    run.night.refused.update(row.reason or "" for row in changed if _newly_refused(row, plan.known.get(row.note_id)))
    _count(run, rows, batch)


def _read_notes(run: SparkRun, source: NoteSource, listing: Path, staged: Path) -> None:
    """Let executors read the listed notes and write their rows to `staged`, outcome=/year=."""
    about = pq.read_metadata(listing)
    fingerprint = run.reader_fingerprint.notes
    task = reading_task.ReadNotes(str(listing), source.contents, run.settings.model_dump_json(), fingerprint)
    if run.is_alone(about.num_rows):
        read = pa.Table.from_batches(run_alone(task, about.num_row_groups, task_schemas.READ), task_schemas.READ)
        ds.write_dataset(read.combine_chunks(), staged, format="parquet", partitioning=_FOLDERS)
        return
    from pyspark.sql.pandas.types import from_arrow_schema

    cores = run.spark.sparkContext.defaultParallelism
    partitions = min(about.num_row_groups, max(2 * cores, -(-about.num_rows // _NOTES_PER_TASK)))
    chunks = run.spark.range(0, about.num_row_groups, 1, partitions)
    rows = chunks.mapInArrow(task, from_arrow_schema(task_schemas.READ))
    rows.write.partitionBy("outcome", "year").parquet(str(staged))


def _outcomes(staged: Path) -> dict[str, dict[str, Any]]:
    """Return what was found for each note, by note_id; no text."""
    dataset = ds.dataset(staged, format="parquet", partitioning=_FOLDERS)
    columns = ["note_id", "outcome", "year", "sha256", "year_source", "reason", "detail"]
    return {row["note_id"]: row for row in dataset.to_table(columns=columns).to_pylist()}


def _ledger_rows(
    run: SparkRun, plan: Plan, batch: str, notes: Sequence[ToRead], outcomes: dict[str, dict[str, Any]]
) -> list[LedgerRow]:
    """Return a new ledger row for each note of the batch.

    Raises DeidError if executors returned no row for a note: nothing is committed then.
    """
    if len(outcomes) != len(notes):
        raise DeidError(f"convert: {len(notes)} notes were to be read, there are rows for {len(outcomes)}")
    rows = []
    for note in notes:
        stat, found = note.stat, outcomes[note.stat.note_id]
        if found["outcome"] == ReadOutcome.SAME:
            old = plan.known[stat.note_id]
            row = replace(old, size_bytes=stat.size_bytes, mtime_ns=stat.mtime_ns, run_id=run.run_id)
        else:
            converted = found["outcome"] == ReadOutcome.CONVERTED
            row = LedgerRow(
                note_id=stat.note_id,
                path=stat.source,
                size_bytes=stat.size_bytes,
                mtime_ns=stat.mtime_ns,
                sha256=found["sha256"],
                state=State.CONVERTED if converted else State.QUARANTINED,
                reader=run.reader_fingerprint.notes if converted else run.reader_fingerprint.refused,
                run_id=run.run_id,
                reason=found["reason"],
                detail=found["detail"],
                batch=batch if converted else None,
                year=found["year"],
                year_source=found["year_source"],
            )
        rows.append(row)
    return rows


def _without_withdrawn(run: SparkRun, plan: Plan, staged: Path, rows: Sequence[LedgerRow]) -> list[LedgerRow]:
    """Return the rows, those of withdrawn files under another path as withdrawn. Remove these from the staged notes."""
    keys = {row.sha256 for row in plan.known.values() if row.state == State.WITHDRAWN} - {""}
    if not keys:
        return list(rows)
    file_keys = {row.note_id: key for row in rows if (key := run.ids.file_key(row.sha256)) in keys}
    for file in staged.glob("outcome=*/year=*/*.parquet") if file_keys else ():
        note_removal.remove_notes(file, file_keys)
    run.counts["withdrawn"] += len(file_keys)
    return [
        row.withdrawn(file_keys[row.note_id], run_id=run.run_id) if row.note_id in file_keys else row for row in rows
    ]


def _is_same(row: LedgerRow, before: LedgerRow | None) -> bool:
    """Return whether a retry only found what the ledger already says."""
    return before is not None and replace(row, run_id=before.run_id) == before


def _newly_refused(row: LedgerRow, before: LedgerRow | None) -> bool:
    return row.state == State.QUARANTINED and (before is None or before.state != State.QUARANTINED)


def _move_in(run: SparkRun, staged: Path, batch: str) -> None:
    """Rename the staged folders of notes to restricted/notes/year=/batch=."""
    for folder in sorted(staged.glob(f"outcome={ReadOutcome.CONVERTED}/year=*")):
        target = run.lake.notes / folder.name / f"batch={batch}"
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(target)


def _count(run: SparkRun, rows: Iterable[LedgerRow], batch: str) -> None:
    for row in rows:
        if row.batch == batch:
            run.counts["converted"] += 1
        elif row.state == State.QUARANTINED:
            run.counts["quarantined"] += 1
            run.reasons[row.reason or ""] += 1
