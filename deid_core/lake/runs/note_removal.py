"""Remove notes from the lake: rows of the tables, raw texts, and batches that no ledger row names.

Every function may be repeated. The caller updates the ledger afterwards, so after a crash the next run finds the old
ledger and starts over.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deid_core.lake.checks import checksums, integrity
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ledger import LedgerRow
from deid_core.lake.runs.context import Run
from deid_core.lake.tables import delta_reader

_THREADS = 4
"""Files of raw notes that are rewritten at once. Each is in memory as a whole: 1,000 notes, some 10 MB."""


def remove_from_tables(run: Run, stage: str, note_ids: Iterable[str]) -> None:
    """Remove what the engine made of these notes from all tables. Commits nothing where there is nothing.

    stage: which stage removes them, for the log.
    """
    wanted = frozenset(note_ids)
    if not wanted:
        return
    run.describe(stage, "removing notes from the tables", notes=len(wanted))
    for table in run.tables.of_notes():
        files = table.files_of(wanted)
        integrity.check_files(run.lake, table, files)
        table.delete_notes(wanted, files)


def erase_raw(run: Run, stage: str, old: Iterable[LedgerRow]) -> None:
    """Remove the raw texts that these ledger rows name from restricted/notes. stage: as of `remove_from_tables`."""
    rows = [row for row in old if row.batch]
    files = sorted(
        file
        for batch in {row.batch for row in rows}
        for folder in run.lake.note_folders(batch)
        for file in folder.glob("*.parquet")
    )
    if not files:
        return
    run.describe(stage, "removing raw texts", notes=len(rows), files=len(files))
    integrity.check_raw_notes(run.lake, {file.parent for file in files})
    note_ids = frozenset(row.note_id for row in rows)
    checksums.forget(run.lake, files)
    with ThreadPoolExecutor(_THREADS) as pool:
        for _ in pool.map(lambda file: remove_notes(file, note_ids), files):
            continue


def remove_notes(file: Path, note_ids: Collection[str]) -> int:
    """Remove notes from a Parquet file of raw notes. Return how many it had.

    The file is replaced in one step, or removed if it has no other notes.
    """
    # A run that was killed may have left it, with raw text.
    new = file.with_name(f".{file.name}.new")
    new.unlink(missing_ok=True)
    wanted = pa.array(sorted(note_ids), pa.string())
    present = pq.read_table(file, columns=["note_id"], partitioning=None)["note_id"]
    is_wanted = pc.is_in(present, value_set=wanted)
    if not (removed := pc.sum(is_wanted).as_py() or 0):
        return 0
    # Hadoop's checksum of the old file would make the new one look damaged.
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    if removed < len(present):
        kept = pq.read_table(file, partitioning=None).filter(pc.invert(is_wanted))
        pq.write_table(kept, new)
        new.replace(file)
    else:
        file.unlink()
    return int(removed)


def remove_unnamed_batches(lake: Lake) -> int:
    """Remove the folders of batches that no ledger row names, as crashes leave them. Return how many there were.

    A batch may be named for one year and no longer for another, whose notes were merged into another batch.
    """
    rows = delta_reader.read(lake.ledger, ["year", "batch"]).group_by(["year", "batch"]).aggregate([]).to_pylist()
    named = {(f"year={row['year']}", f"batch={row['batch']}") for row in rows}
    folders = [folder for folder in lake.note_folders() if (folder.parent.name, folder.name) not in named]
    for folder in folders:
        shutil.rmtree(folder)
    return len(folders)
