"""Takes notes out of the lake: rows of the clean tables, raw text, batches that no ledger row names.

Every function may be repeated. The caller commits to the ledger afterwards, so that a crash on the way is made good by
the next run, which finds the ledger unchanged and starts over.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable

from deid_core.lake import delta_reader
from deid_core.lake.layout import Lake
from deid_core.lake.ledger import LedgerRow
from deid_core.spark.run_context import Run
from deid_core.spark.tasks import TakeOut


def withdraw(run: Run, note_ids: Iterable[str]) -> None:
    """Removes all rows of these notes from the clean tables; commits nothing where there are none."""
    wanted = frozenset(note_ids)
    if not wanted:
        return
    run.describe("withdraw", "removing notes from the clean tables", notes=len(wanted))
    # The texts first: no text ever stands there without the account of what was removed from it.
    run.tables.deidentified.take_out(wanted)
    run.tables.phi_audit.take_out(wanted)


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


def remove_unnamed_batches(lake: Lake) -> int:
    """Removes the folders of batches that no ledger row names, which crashes leave; how many there were.

    A batch may be named for one year and no longer for another, whose notes were put together in another batch.
    """
    rows = delta_reader.read(lake.ledger, ["year", "batch"]).group_by(["year", "batch"]).aggregate([]).to_pylist()
    named = {(f"year={row['year']}", f"batch={row['batch']}") for row in rows}
    folders = [folder for folder in lake.note_folders() if (folder.parent.name, folder.name) not in named]
    for folder in folders:
        shutil.rmtree(folder)
    return len(folders)
