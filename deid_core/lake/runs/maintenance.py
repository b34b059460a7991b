"""Keep data files few, and remove from the disk what the tables no longer name.

All functions look at the files on disk, not at what this run did, so they also clean up after a crash. This is safe
because the run holds the lake's lock.

`compact_raw_notes` works in the manner of the first stage. It writes a batch beside the notes and moves it in by
renaming folders. The batch exists once one commit of the ledger names it in place of the batches it was made from. A
redacted text names its batch too, so it is updated next. If a run crashes before that, the next one redacts these notes
again. Raw notes are merged before the second stage: nights add to the current year, where the newest notes have no text
yet.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deid_core.lake.checks import integrity
from deid_core.lake.notes import ledger
from deid_core.lake.runs.context import Run
from deid_core.lake.runs.note_removal import remove_unnamed_batches
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables
from deid_core.lake.tables.task_schemas import STORED

_SEPARATOR = " "
"""Occurs neither in a note id nor in the name of a batch."""


def compact_tables(run: Run) -> None:
    """Merge small files of the tables: each night adds one or two a year.

    The counts are made afterwards, since they carry the tables' versions.
    """
    limits = run.settings.run
    tables = Tables(run.lake)
    for table in (*tables.of_notes(), tables.runs, tables.run_profiles):
        small = {"above_files": limits.compact_above_files, "small_file_bytes": limits.small_file_bytes}
        integrity.check_years(run.lake, table, table.crowded(**small))
        if merged := table.compact(**small):
            run.describe("maintenance", f"merged small files of {table.path.name}", files=merged)


def remove_dead_files(run: Run) -> None:
    """Remove the files of the tables' older versions, so that replaced and deleted rows leave the disk.

    Delta's own VACUUM is no replacement. delta-rs 1.6 commits two versions for each call and lists files again that it
    has removed before, so a night without changes would not leave the lake as it was. Spark's needs a session.
    """
    dead = {table.path.name: delta_reader.dead_files(table.path) for table in Tables(run.lake).all()}
    if not any(dead.values()):
        return
    # A power cut may cost the newest versions: until they are on the disk, the older ones are needed.
    os.sync()
    for name, files in dead.items():
        if files:
            run.log.step("maintenance", f"removing files of older versions of {name}", files=len(files))
        for file in files:
            file.unlink(missing_ok=True)
            file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    # What was erased stays erased.
    os.sync()


def compact_raw_notes(run: Run) -> None:
    """Merge the small files of raw notes of each year that has more of them than the settings allow."""
    folders = _crowded(run)
    if not folders:
        return
    integrity.check_raw_notes(run.lake, folders)
    batch = f"{run.run_id}-merged"
    run.describe("maintenance", "merging small files of raw notes", batch_folders=len(folders))
    merged = {(folder.parent.name, folder.name) for folder in folders}
    old = [row for row in ledger.read_ledger(run.lake).values() if (f"year={row.year}", f"batch={row.batch}") in merged]
    named = {(row.note_id, str(row.batch)) for row in old}
    for year, parts in groupby(folders, key=lambda folder: folder.parent.name):
        staged = run.staging / batch / year
        staged.mkdir(parents=True)
        _write(staged, _named_notes(parts, named), run.settings.run.small_file_bytes)
        staged.rename(run.lake.notes / year / f"batch={batch}")
    run.write_ledger(replace(row, batch=batch, run_id=run.run_id) for row in old)
    _rename_batch_of_texts(run, {year for row in old if (year := row.year) is not None}, named, batch)
    remove_unnamed_batches(run.lake)


def _crowded(run: Run) -> list[Path]:
    """Return the folders of small files, by year and batch, of years that have more of them than allowed."""
    limits = run.settings.run
    found: list[Path] = []
    for _, folders in groupby(run.lake.note_folders(), key=lambda folder: folder.parent):
        sizes = {folder: [file.stat().st_size for file in folder.glob("*.parquet")] for folder in folders}
        small = [folder for folder in sizes if max(sizes[folder], default=0) < limits.small_file_bytes]
        if sum(len(sizes[folder]) for folder in small) > limits.compact_above_files:
            found += small
    return found


def _named_notes(folders: Iterable[Path], named: set[tuple[str, str]]) -> Iterator[pa.Table]:
    """Yield the notes of each file of these folders that the ledger names there."""
    for folder in folders:
        batch = folder.name.removeprefix("batch=")
        for file in sorted(folder.glob("*.parquet")):
            # A column that an older version did not write is null.
            notes = pq.read_table(file, schema=STORED, partitioning=None)
            kept = [(note_id, batch) in named for note_id in notes["note_id"].to_pylist()]
            yield notes.filter(pa.array(kept, pa.bool_()))


def _write(folder: Path, notes: Iterable[pa.Table], file_bytes: int) -> None:
    """Write files that are no longer small, and a last one of any size."""
    parts = iter(notes)
    for number, first in enumerate(parts):
        with (folder / f"part-{number:05d}.parquet").open("wb") as file, pq.ParquetWriter(file, STORED) as writer:
            writer.write_table(first)
            while file.tell() < file_bytes and (part := next(parts, None)) is not None:
                writer.write_table(part)


def _rename_batch_of_texts(run: Run, years: Iterable[int], named: set[tuple[str, str]], batch: str) -> None:
    """Name the new batch in the redacted texts that were made from the old ones."""
    texts = run.tables.deidentified
    old = pa.array(sorted(_SEPARATOR.join(pair) for pair in named), pa.string())

    def is_old(rows: Mapping[str, pa.Array] | pa.Table) -> pa.Array:
        return pc.is_in(pc.binary_join_element_wise(rows["note_id"], rows["batch"], _SEPARATOR), value_set=old)

    def batches(rows: pa.RecordBatch) -> Mapping[str, pa.Array]:
        return {"batch": pc.if_else(is_old(rows), batch, rows["batch"])}

    for year in sorted(years):
        if pc.any(is_old(delta_reader.read(texts.path, ["note_id", "batch"], where=pc.field("year") == year))).as_py():
            integrity.check_years(run.lake, texts, [year])
            texts.map_columns(year, batches)
