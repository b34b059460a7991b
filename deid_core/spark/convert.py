"""First stage: turn new and changed files of the input folder into raw notes, and withdraw notes whose files are gone.

A batch of notes is written beside the lake's notes and moved in by renaming folders. It exists once the ledger names
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from deid_core.core.errors import DeidError, Reason
from deid_core.lake import ledger, schemas, withdraw
from deid_core.lake.input_folder import InputFolder
from deid_core.lake.ledger import LedgerRow
from deid_core.lake.plan import Plan, ToRead, check_deletions, list_sources, make_plan
from deid_core.lake.schemas import ReadOutcome, State
from deid_core.spark import tasks
from deid_core.spark.spark_run import SparkRun

_FILES_PER_TASK = 1_000
"""At most; fewer if cores would be idle."""


def convert(run: SparkRun, folder: Path, *, retry: bool = False, allow_deletions: bool = False) -> None:
    """Bring raw notes and ledger up to the input folder.

    Raises ConfigurationError if more files disappeared than the settings allow, unless allow_deletions.
    """
    known = ledger.read_ledger(run.lake)
    left = withdraw.remove_unnamed_batches(run.lake)
    if left:
        run.log.event("convert", "removed what an interrupted run had left", batch_folders=left)
    known = ledger.without_lost_texts(known, run.lake)
    listed = list_sources(folder, run.ids)
    source = InputFolder(folder, [stat.path for stat in listed.notes])
    plan = make_plan(listed.notes, known, run.reader_fingerprint, retry=retry, now=run.started)
    if not allow_deletions:
        check_deletions(plan, run.settings.run.allowed_deleted_share)
    found = plan.counts | listed.not_read
    run.counts.update(found)
    run.log.event("convert", "compared the input with the ledger", **found)
    if plan.gone or plan.to_read:
        run.check_engine()
    if plan.gone:
        _withdraw_gone(run, plan.gone)
    batch_notes = run.settings.run.batch_notes
    for number, start in enumerate(range(0, len(plan.to_read), batch_notes)):
        files = plan.to_read[start : start + batch_notes]
        progress = run.progress("convert", len(files), before=start, total=len(plan.to_read))
        _convert_batch(run, plan, source, f"{run.run_id}-{number:04d}", files, progress)
    if plan.gone or plan.to_read:
        withdraw.remove_unnamed_batches(run.lake)


def _withdraw_gone(run: SparkRun, gone: Sequence[LedgerRow]) -> None:
    """Remove notes whose files were deleted or moved: from the tables, then the raw notes, then update the ledger."""
    withdraw.withdraw(run, [row.note_id for row in gone])
    withdraw.erase_raw(run, gone)
    run.write_ledger(row.deleted(run_id=run.run_id) for row in gone)


def _convert_batch(
    run: SparkRun,
    plan: Plan,
    source: InputFolder,
    batch: str,
    files: Sequence[ToRead],
    progress: AbstractContextManager[None],
) -> None:
    staged = run.staging / batch
    run.describe("convert", "reading files", files=len(files))
    with progress:
        _read_files(run, files, staged)
    outcomes = _outcomes(staged)
    unread = {note_id for note_id, found in outcomes.items() if found["reason"] == Reason.VANISHED}
    paths = [file.stat.path for file in files if file.stat.note_id in unread]
    source.check_available(paths, run.settings.run.allowed_deleted_share)
    rows = _without_withdrawn(run, plan, staged, _ledger_rows(run, plan, batch, files, outcomes))
    changed = [row for row in rows if not _is_same(row, plan.known.get(row.note_id))]
    # A note that was readable before and no longer is must not keep its old text.
    refused = [row.note_id for row in changed if row.state != State.CONVERTED]
    withdraw.withdraw(run, [note_id for note_id in refused if note_id in plan.known])
    withdraw.erase_raw(run, ledger.superseded(changed, plan.known))
    _move_in(run, staged, batch)
    run.describe("convert", "naming the batch in the ledger", rows=len(changed))
    run.write_ledger(changed)
    _count(run, rows, batch)


def _read_files(run: SparkRun, files: Sequence[ToRead], staged: Path) -> None:
    """Let executors read the files and write their rows to `staged`, outcome=/year=."""
    from pyspark.sql.pandas.types import from_arrow_schema

    listing = pa.Table.from_pylist(
        [
            {
                "note_id": file.stat.note_id,
                "path": file.stat.path,
                "source": file.stat.source,
                "mtime_ns": file.stat.mtime_ns,
                "known_sha256": file.known_sha256,
            }
            for file in files
        ],
        schema=schemas.LISTING,
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, listing.schema) as writer:
        writer.write_table(listing)
    broadcast = run.spark.sparkContext.broadcast(sink.getvalue().to_pybytes())
    chunks = -(-len(files) // tasks.FILES_PER_CHUNK)
    cores = run.spark.sparkContext.defaultParallelism
    partitions = min(chunks, max(2 * cores, -(-len(files) // _FILES_PER_TASK)))
    task = tasks.ReadNotes(
        broadcast, run.settings.model_dump_json(), run.reader_fingerprint.notes, str(run.staging / "attempts")
    )
    read = run.spark.range(0, chunks, 1, partitions).mapInArrow(task, from_arrow_schema(schemas.READ))
    read.write.partitionBy("outcome", "year").parquet(str(staged))
    broadcast.destroy()


def _outcomes(staged: Path) -> dict[str, dict[str, Any]]:
    """Return what was found for each file, by note_id; no text."""
    folders = pa.schema([("outcome", pa.string()), ("year", pa.int32())])
    dataset = ds.dataset(staged, format="parquet", partitioning=ds.partitioning(folders, flavor="hive"))
    columns = ["note_id", "outcome", "year", "sha256", "year_source", "reason", "detail"]
    return {row["note_id"]: row for row in dataset.to_table(columns=columns).to_pylist()}


def _ledger_rows(
    run: SparkRun, plan: Plan, batch: str, files: Sequence[ToRead], outcomes: dict[str, dict[str, Any]]
) -> list[LedgerRow]:
    """Return a new ledger row for each file of the batch.

    Raises DeidError if executors returned no row for a file: nothing is committed then.
    """
    if len(outcomes) != len(files):
        raise DeidError(f"convert: {len(files)} files were to be read, there are rows for {len(outcomes)}")
    rows = []
    for file in files:
        stat, found = file.stat, outcomes[file.stat.note_id]
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
        withdraw.remove_notes(file, file_keys)
    run.counts["withdrawn"] += len(file_keys)
    return [
        row.withdrawn(file_keys[row.note_id], run_id=run.run_id) if row.note_id in file_keys else row for row in rows
    ]


def _is_same(row: LedgerRow, before: LedgerRow | None) -> bool:
    """Return whether a retry only found what the ledger already says."""
    return before is not None and replace(row, run_id=before.run_id) == before


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
