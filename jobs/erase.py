"""Takes notes out of the lake: rows of the clean tables, raw text, batches that no ledger row names, and dead files.

Every function may be repeated. The caller commits to the ledger afterwards, so that a crash on the way is made good by
the next run, which finds the ledger unchanged and starts over.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable

from jobs import reader
from jobs.context import Run
from jobs.lake import Lake
from jobs.ledger import LedgerRow
from jobs.worker import TakeOut


def withdraw(run: Run, note_ids: Iterable[str]) -> None:
    """Removes all rows of these notes from the clean tables; commits nothing where there are none."""
    wanted = sorted(note_ids)
    if not wanted:
        return
    run.describe("withdraw", "removing notes from the clean tables", notes=len(wanted))
    keys = run.keys(wanted)
    run.tables.deidentified.take_out(keys, wanted)
    run.tables.phi_audit.take_out(keys, wanted)


def erase_raw(run: Run, old: Iterable[LedgerRow]) -> None:
    """Removes the raw texts that these ledger rows name from restricted/notes."""
    rows = [row for row in old if row.batch]
    files = sorted(
        str(file)
        for batch in {row.batch for row in rows}
        for folder in run.lake.note_folders(batch)
        for file in folder.glob("*.parquet")
    )
    if not files:
        return
    run.describe("erase", "removing raw texts of changed or deleted notes", notes=len(rows), files=len(files))
    task = TakeOut(tuple(files), frozenset(row.note_id for row in rows))
    partitions = min(len(files), 4 * run.spark.sparkContext.defaultParallelism)
    run.spark.range(0, len(files), 1, partitions).mapInArrow(task, "removed long").collect()


def remove_dead_files(run: Run) -> None:
    """What was replaced or taken out leaves the disk too: removes the files of the tables' older versions.

    Looks at the folders, not at what this run did, so that a crash before it is made good. What Delta's VACUUM would
    do with zero retention, without its thousands of listing tasks; safe since the lake is locked and ours.
    """
    names = ("deidentified", "phi_audit", "phi_counts", "ledger")
    for name in names:
        if dead := reader.dead_files(getattr(run.lake, name)):
            run.log.event("erase", f"removing files of older versions of {name}", files=len(dead))
            for file in dead:
                file.unlink(missing_ok=True)
                file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def remove_unnamed_batches(lake: Lake, ledger: Iterable[LedgerRow]) -> int:
    """Removes the folders of batches that no ledger row names, which crashes leave; how many there were."""
    named = {row.batch for row in ledger}
    folders = [folder for folder in lake.note_folders() if folder.name.removeprefix("batch=") not in named]
    for folder in folders:
        shutil.rmtree(folder)
    return len(folders)
