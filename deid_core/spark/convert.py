"""First stage: the files of the input folder that are new or changed become raw notes; what went away is taken out.

A batch of notes is written beside the lake's notes, moved in by renaming folders, and exists once the ledger names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from deid_core.core.errors import DeidError, Reason
from deid_core.lake import ledger
from deid_core.lake import schemas as rows
from deid_core.lake.input_folder import InputFolder
from deid_core.lake.ledger import LedgerRow
from deid_core.lake.plan import Plan, ToRead, check_deletions, list_sources, make_plan
from deid_core.lake.schemas import Outcome, State
from deid_core.lake.slices import slices
from deid_core.spark import tasks as worker
from deid_core.spark import withdraw as erase
from deid_core.spark.run_context import Run

_FILES_A_TASK = 1_000
"""At most; fewer where there are cores to feed."""


def convert(run: Run, folder: Path, *, retry: bool = False, allow_deletions: bool = False) -> None:
    """Brings raw notes and ledger up to what the input folder holds.

    Raises ConfigurationError if more files are gone than the settings allow, unless allow_deletions.
    """
    known = ledger.read_ledger(run.lake)
    left = erase.remove_unnamed_batches(run.lake)
    if left:
        run.log.event("convert", "removed what a run that broke off had left", batch_folders=left)
    known = ledger.without_lost_texts(known, run.lake)
    listed = list_sources(folder, run.ids)
    source = InputFolder(folder, [stat.path for stat in listed])
    plan = make_plan(listed, known, run.reader_print, retry=retry, now=run.started)
    if not allow_deletions:
        check_deletions(plan, run.settings.run.allowed_deleted_share)
    run.counts.update(plan.counts)
    run.log.event("convert", "compared the input with the ledger", **plan.counts)
    if plan.gone:
        _take_out(run, plan.gone)
    for number, files in enumerate(slices(plan.to_read, run.settings.run.batch_notes)):
        _convert_batch(run, plan, source, f"{run.run_id}-{number:04d}", files)
    if plan.gone or plan.to_read:
        erase.remove_unnamed_batches(run.lake)


def _take_out(run: Run, gone: Sequence[LedgerRow]) -> None:
    """What was deleted or moved at the source leaves the clean tables, then the raw notes; then the ledger says so."""
    erase.withdraw(run, [row.note_id for row in gone])
    erase.erase_raw(run, gone)
    run.write_ledger(row.deleted(run_id=run.run_id) for row in gone)


def _convert_batch(run: Run, plan: Plan, source: InputFolder, batch: str, files: Sequence[ToRead]) -> None:
    staged = run.staging / batch
    run.describe("convert", "reading files", files=len(files))
    _read_files(run, files, staged)
    outcomes = _outcomes(staged)
    unread = {note_id for note_id, found in outcomes.items() if found["reason"] == Reason.VANISHED}
    paths = [file.stat.path for file in files if file.stat.note_id in unread]
    source.check_still_there(paths, run.settings.run.allowed_deleted_share)
    new_rows = _ledger_rows(run, plan, batch, files, outcomes)
    changed = [row for row in new_rows if not _same(row, plan.known.get(row.note_id))]
    # A note that could be read before and cannot now must not stay behind in its old form.
    refused = [row.note_id for row in changed if row.state == State.QUARANTINED]
    erase.withdraw(run, [note_id for note_id in refused if note_id in plan.known])
    erase.erase_raw(run, ledger.superseded(changed, plan.known))
    _move_in(run, staged, batch)
    run.describe("convert", "naming the batch in the ledger", rows=len(changed))
    run.write_ledger(changed)
    _count(run, new_rows, batch)


def _read_files(run: Run, files: Sequence[ToRead], staged: Path) -> None:
    """Executors read the files; their rows go to `staged`, outcome=/year=."""
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
        schema=rows.LISTING,
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, listing.schema) as writer:
        writer.write_table(listing)
    broadcast = run.spark.sparkContext.broadcast(sink.getvalue().to_pybytes())
    chunks = -(-len(files) // worker.FILES_A_CHUNK)
    cores = run.spark.sparkContext.defaultParallelism
    tasks = min(chunks, max(2 * cores, -(-len(files) // _FILES_A_TASK)))
    task = worker.ReadNotes(broadcast, run.settings.model_dump_json(), run.reader_print.notes)
    read = run.spark.range(0, chunks, 1, tasks).mapInArrow(task, from_arrow_schema(rows.READ))
    read.write.partitionBy("outcome", "year").parquet(str(staged))
    broadcast.destroy()


def _outcomes(staged: Path) -> dict[str, dict[str, Any]]:
    """What was found for each file, by note_id; no text."""
    folders = pa.schema([("outcome", pa.string()), ("year", pa.int32())])
    dataset = ds.dataset(staged, format="parquet", partitioning=ds.partitioning(folders, flavor="hive"))
    columns = ["note_id", "outcome", "year", "sha256", "year_source", "reason", "detail"]
    return {row["note_id"]: row for row in dataset.to_table(columns=columns).to_pylist()}


def _ledger_rows(
    run: Run, plan: Plan, batch: str, files: Sequence[ToRead], outcomes: dict[str, dict[str, Any]]
) -> list[LedgerRow]:
    """A new ledger row for each file of the batch.

    Raises DeidError if executors gave no row for a file: nothing is committed then.
    """
    if len(outcomes) != len(files):
        raise DeidError(f"convert: {len(files)} files were to be read, there are rows for {len(outcomes)}")
    new_rows = []
    for file in files:
        stat, found = file.stat, outcomes[file.stat.note_id]
        if found["outcome"] == Outcome.SAME:
            old = plan.known[stat.note_id]
            row = replace(old, size_bytes=stat.size_bytes, mtime_ns=stat.mtime_ns, run_id=run.run_id)
        else:
            converted = found["outcome"] == Outcome.CONVERTED
            row = LedgerRow(
                note_id=stat.note_id,
                path=stat.source,
                size_bytes=stat.size_bytes,
                mtime_ns=stat.mtime_ns,
                sha256=found["sha256"],
                state=State.CONVERTED if converted else State.QUARANTINED,
                reader=run.reader_print.notes if converted else run.reader_print.refused,
                run_id=run.run_id,
                reason=found["reason"],
                detail=found["detail"],
                batch=batch if converted else None,
                year=found["year"],
                year_source=found["year_source"],
            )
        new_rows.append(row)
    return new_rows


def _same(row: LedgerRow, before: LedgerRow | None) -> bool:
    """Whether a second try only found what the ledger says already."""
    return before is not None and replace(row, run_id=before.run_id) == before


def _move_in(run: Run, staged: Path, batch: str) -> None:
    """Renames the staged folders of notes to restricted/notes/year=/batch=."""
    for folder in sorted(staged.glob(f"outcome={Outcome.CONVERTED}/year=*")):
        target = run.lake.notes / folder.name / f"batch={batch}"
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(target)


def _count(run: Run, new_rows: Iterable[LedgerRow], batch: str) -> None:
    for row in new_rows:
        if row.batch == batch:
            run.counts["converted"] += 1
        elif row.state == State.QUARANTINED:
            run.counts["quarantined"] += 1
            run.reasons[row.reason or ""] += 1
