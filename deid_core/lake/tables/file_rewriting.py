"""Rewrite the data files of a Delta table that hold certain notes, and no others, in one commit.

delta-rs replaces whole partitions: for 180 changed notes, spread over an archive, it would decode and encode all rows
of the lake. Here a text column stays the numbers into its dictionary that Parquet stores, and several files are
rewritten at once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import CommitProperties, DeltaTable
from deltalake.transaction import AddAction, RemoveAction

_THREADS = 2
"""Files that are rewritten at once. A row group of each is in memory."""
_LONG_TEXTS = frozenset(("text",))
"""Columns whose values hardly repeat."""


def files_with(files: Iterable[Path], note_ids: pa.Array) -> list[Path]:
    """Return the files that have rows of these notes."""

    def has_some(file: Path) -> bool:
        present = pq.read_table(file, columns=["note_id"], read_dictionary=["note_id"], partitioning=None)["note_id"]
        return any(pc.any(pc.is_in(chunk.dictionary, value_set=note_ids)).as_py() for chunk in present.chunks)

    listed = list(files)
    with ThreadPoolExecutor(_THREADS) as pool:
        return [file for file, found in zip(listed, pool.map(has_some, listed), strict=True) if found]


def remove_rows(table: Path, files: Sequence[Path], note_ids: pa.Array) -> None:
    """Remove the rows of these notes from these files of a table. Nothing is committed if a file cannot be written.

    Raises deltalake's CommitFailedError if another program wrote to the table meanwhile.
    """
    log = DeltaTable(str(table))
    new = _all_or_none(files, note_ids)
    names = [[file.relative_to(table).as_posix() for file in some] for some in (new, files)]
    commit(
        log,
        [added(name, file) for name, file in zip(names[0], new, strict=True)],
        [removed(name, file.stat().st_size) for name, file in zip(names[1], files, strict=True)],
        # A commit follows the version that was looked at, or fails.
        CommitProperties(max_commit_retries=0),
    )


def commit(
    log: DeltaTable, new: Sequence[AddAction], old: Sequence[RemoveAction], properties: CommitProperties
) -> None:
    """Name new data files in a table's log, and no longer name old ones, in one commit."""
    columns = log.metadata().partition_columns
    log.create_write_transaction([*new, *old], "append", log.schema(), columns, commit_properties=properties)


def added(name: str, file: Path) -> AddAction:
    """Return the action for a data file. Its statistics have the number of rows, and no value of a row.

    name: its path below the table.
    """
    stats = json.dumps({"numRecords": pq.read_metadata(file).num_rows})
    return AddAction(name, file.stat().st_size, _partition(name), _now_ms(), True, stats)


def removed(name: str, size: int) -> RemoveAction:
    """Return the action for a data file that the table no longer names. name, size: of `added`."""
    return RemoveAction(name, True, _now_ms(), size, _partition(name))


def _all_or_none(files: Sequence[Path], note_ids: pa.Array) -> list[Path]:
    """Write what `_without` writes of each file. If one fails, remove the others and raise its error."""
    with ThreadPoolExecutor(_THREADS) as pool:
        results = [pool.submit(_without, note_ids, file) for file in files]
    try:
        return [new for result in results if (new := result.result()) is not None]
    except BaseException:
        for result in results:
            if result.exception() is None and (new := result.result()) is not None:
                new.unlink()
        raise


def _without(note_ids: pa.Array, file: Path) -> Path | None:
    """Write a new file with the rows of others than these notes. Return it; None if there are none."""
    texts = [
        column.name
        for column in pq.read_schema(file)
        if column.name not in _LONG_TEXTS and pa.types.is_string(column.type)
    ]
    new = file.with_name(f"part-{uuid4()}.snappy.parquet")
    rows = 0
    try:
        # The schema of Arrow is left out: it would say that readers should keep the dictionaries.
        with (
            pq.ParquetFile(file, read_dictionary=texts) as old,
            pq.ParquetWriter(new, old.schema_arrow, compression="snappy", store_schema=False) as writer,
        ):
            for number in range(old.num_row_groups):
                group = old.read_row_group(number)
                kept = group.filter(pc.invert(pc.is_in(group["note_id"], value_set=note_ids)))
                rows += len(kept)
                if len(kept):
                    writer.write_table(_with_used_values(kept, texts), row_group_size=len(kept))
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    if rows:
        return new
    new.unlink()
    return None


def _with_used_values(rows: pa.Table, names: Collection[str]) -> pa.Table:
    """Return the rows with dictionaries that hold no value of a row that was removed."""
    for name in names:
        chunks = [_with_used(chunk) for chunk in rows[name].chunks]
        at = rows.schema.get_field_index(name)
        rows = rows.set_column(at, rows.schema.field(at), pa.chunked_array(chunks, rows.schema.field(at).type))
    return rows


def _with_used(values: pa.DictionaryArray) -> pa.DictionaryArray:
    places = values.indices.fill_null(0).to_numpy(zero_copy_only=False)
    used = np.bincount(places[values.is_valid().to_numpy(zero_copy_only=False)], minlength=len(values.dictionary)) > 0
    # One more, for a column that has no value at all.
    new = np.append(np.cumsum(used) - 1, 0).astype(np.int32)
    indices = pa.array(new[places], mask=values.is_null().to_numpy(zero_copy_only=False))
    return pa.DictionaryArray.from_arrays(indices, values.dictionary.filter(pa.array(used)))


def _partition(name: str) -> dict[str, str | None]:
    parts = (folder.partition("=") for folder in name.split("/")[:-1])
    return {column: value for column, _, value in parts}


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
