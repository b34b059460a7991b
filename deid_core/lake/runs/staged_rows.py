"""Rows of the tables from what executors staged: one stream of record batches for each table, in bounded memory.

Executors leave the results of a batch of notes as Parquet files in a folder of the staging. This process turns them
into rows and appends them with delta-rs (tables/lake_table.py). Spark's own writer shuffles the rows of a batch for
each table and starts several jobs for it: docs/evaluation/log/speed.md compares the two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from deid_core.lake.runs.note_removal import remove_notes

_BATCH_NOTES = 1_024
_READ_AHEAD = 2


def note_rows(folder: Path, schema: pa.Schema, columns: Sequence[str], of_notes: pa.Table) -> Iterator[pa.RecordBatch]:
    """Yield a row for each staged note that succeeded and is in `of_notes`: these columns, and those of its row there.

    schema: of the staged files; it has the columns note_id and reason. of_notes: a row for each note_id.
    """
    others = {name: of_notes[name].combine_chunks() for name in of_notes.column_names}
    for batch in staged_notes(folder, schema, columns):
        places = pc.index_in(batch["note_id"], value_set=others["note_id"])
        batch, places = batch.filter(places.is_valid()), places.drop_null()
        for name, values in others.items():
            if name not in columns:
                batch = batch.append_column(name, values.take(places))
        yield batch


def item_rows(folder: Path, schema: pa.Schema, column: str) -> Iterator[pa.RecordBatch]:
    """Yield a row for each item of a list column of the staged notes that succeeded: note_id, year, the item's fields.

    schema: of the staged files; it has the columns note_id, year and reason.
    """
    for batch in staged_notes(folder, schema, ["note_id", "year", column]):
        notes = pc.list_parent_indices(batch[column])
        items = pc.list_flatten(batch[column])
        fields = [field.name for field in items.type]
        arrays = [batch["note_id"].take(notes), batch["year"].take(notes), *items.flatten()]
        yield pa.RecordBatch.from_arrays(arrays, names=["note_id", "year", *fields])


def replace_staged(folder: Path, other: Path, note_ids: Collection[str]) -> None:
    """Move the staged files of another folder into this one, in place of its rows of these notes."""
    for file in sorted(folder.glob("*.parquet")):
        remove_notes(file, note_ids)
    for file in sorted(other.glob("*.parquet")):
        file.rename(folder / f"again-{file.name}")


def staged_notes(folder: Path, schema: pa.Schema, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield these columns of the staged notes that succeeded. schema: of the staged files, with the column reason."""
    staged = ds.dataset(folder, format="parquet", schema=schema)
    yield from staged.to_batches(
        columns=list(columns),
        filter=pc.field("reason").is_null(),
        batch_size=_BATCH_NOTES,
        batch_readahead=_READ_AHEAD,
        fragment_readahead=1,
    )
