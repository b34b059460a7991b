"""Keeps the files of restricted/notes few: a year's small ones are put together in a new batch.

In the manner of the first stage: the batch is written beside the notes, moved in by renaming folders, and exists once
the ledger names it, in one commit, in place of those that it was made from. A redacted text says from which batch it
was made, so it is told too; where a run breaks off before that, the next one only redacts these notes again.

Comes before the second stage: nights add to the year that runs, where the texts of the newest notes are yet to be made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deid_core.lake import delta_reader, ledger
from deid_core.lake import schemas as rows
from deid_core.spark import withdraw as erase
from deid_core.spark.run_context import Run

_BETWEEN = " "
"""In neither a note's id nor a batch's name."""


def compact(run: Run) -> None:
    """Puts the small files of those years together that have more of them than the settings allow."""
    folders = _crowded(run)
    if not folders:
        return
    batch = f"{run.run_id}-merged"
    run.describe("upkeep", "putting small files of raw notes together", batch_folders=len(folders))
    there = {(folder.parent.name, folder.name) for folder in folders}
    old = [row for row in ledger.read_ledger(run.lake).values() if (f"year={row.year}", f"batch={row.batch}") in there]
    named = {(row.note_id, str(row.batch)) for row in old}
    for year, parts in groupby(folders, key=lambda folder: folder.parent.name):
        staged = run.staging / batch / year
        staged.mkdir(parents=True)
        _write(staged, _named_notes(parts, named), run.settings.run.small_file_bytes)
        staged.rename(run.lake.notes / year / f"batch={batch}")
    run.write_ledger(replace(row, batch=batch, run_id=run.run_id) for row in old)
    _tell_texts(run, {year for row in old if (year := row.year) is not None}, named, batch)
    erase.remove_unnamed_batches(run.lake)


def _crowded(run: Run) -> list[Path]:
    """Folders of small files, by year and batch, of years that have more of these than the settings allow."""
    limits = run.settings.run
    found: list[Path] = []
    for _, folders in groupby(run.lake.note_folders(), key=lambda folder: folder.parent):
        sizes = {folder: [file.stat().st_size for file in folder.glob("*.parquet")] for folder in folders}
        small = [folder for folder in sizes if max(sizes[folder], default=0) < limits.small_file_bytes]
        if sum(len(sizes[folder]) for folder in small) > limits.compact_above_files:
            found += small
    return found


def _named_notes(folders: Iterable[Path], named: set[tuple[str, str]]) -> Iterator[pa.Table]:
    """The notes of each file of these folders that the ledger names there."""
    for folder in folders:
        batch = folder.name.removeprefix("batch=")
        for file in sorted(folder.glob("*.parquet")):
            notes = pq.read_table(file, partitioning=None)
            kept = [(note_id, batch) in named for note_id in notes["note_id"].to_pylist()]
            yield notes.select(rows.STORED.names).cast(rows.STORED).filter(pa.array(kept, pa.bool_()))


def _write(folder: Path, notes: Iterable[pa.Table], file_bytes: int) -> None:
    """Writes files that are no longer small, and a last one."""
    parts = iter(notes)
    for number, first in enumerate(parts):
        with (folder / f"part-{number:05d}.parquet").open("wb") as file, pq.ParquetWriter(file, rows.STORED) as writer:
            writer.write_table(first)
            while file.tell() < file_bytes and (part := next(parts, None)) is not None:
                writer.write_table(part)


def _tell_texts(run: Run, years: Iterable[int], named: set[tuple[str, str]], batch: str) -> None:
    """Names the new batch in the redacted texts that were made from the old ones."""
    texts = run.tables.deidentified
    old = pa.array(sorted(_BETWEEN.join(pair) for pair in named), pa.string())

    def made(data: Mapping[str, pa.Array] | pa.Table) -> pa.Array:
        return pc.is_in(pc.binary_join_element_wise(data["note_id"], data["batch"], _BETWEEN), value_set=old)

    def told(data: pa.RecordBatch) -> pa.Array:
        return pc.if_else(made(data), batch, data["batch"])

    for year in sorted(years):
        if pc.any(made(delta_reader.read(texts.path, ["note_id", "batch"], where=pc.field("year") == year))).as_py():
            texts.change(year, "batch", told)
