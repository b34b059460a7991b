"""Read the lake's tables in this process, without Spark, for plans, reports, single notes. lake_table.py writes them.

`deltalake` reads a table's log and names its data files, and pyarrow reads these. (A dataset of `deltalake` itself
reads through a file system written in Python, whose threads may outlive the interpreter and abort it.)
"""

from __future__ import annotations

import errno
import json
import urllib.parse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from deid_core.core.errors import ConfigurationError, DamageFoundError, DeidError
from deid_core.core.extras import how_to_install
from deid_core.lake.access import check_access
from deid_core.lake.layout import exists as exists

if TYPE_CHECKING:
    from deltalake import Schema

_READ_AHEAD = 4
"""Batches of a stream that are read in advance, at most."""


def read(table: Path, columns: Sequence[str], *, where: pc.Expression | None = None) -> pa.Table:
    """Return these columns of the rows that match `where`; no rows if there is no table.

    Raises ConfigurationError if `deltalake` is not installed or this account may not read the table, DamageFoundError
    if a file of the table is damaged.
    """
    if not exists(table):
        return pa.table({name: pa.nulls(0) for name in columns})
    with damage_named(table):
        return _dataset(table).to_table(columns=list(columns), filter=where)


def rows(table: Path, columns: Sequence[str], *, where: pc.Expression | None = None) -> Iterator[tuple[Any, ...]]:
    """Return the same as `read`, row by row as Python's values."""
    return zip(*(column.to_pylist() for column in read(table, columns, where=where).columns), strict=True)


def first(table: Path, columns: Sequence[str], *, where: pc.Expression) -> dict[str, Any] | None:
    """Return these columns of one row that matches `where`; None if there is none, or no table."""
    if not exists(table):
        return None
    with damage_named(table):
        scanner = _dataset(table).scanner(columns=list(columns), filter=where, batch_readahead=1, fragment_readahead=1)
        return next(iter(scanner.head(1).to_pylist()), None)


def stream(table: Path, columns: Sequence[str], *, where: pc.Expression | None = None) -> pa.RecordBatchReader:
    """Return the same as `read`, for a table that exists, as a stream that holds a few batches at a time."""
    scanner = _dataset(table).scanner(
        columns=list(columns), filter=where, batch_readahead=_READ_AHEAD, fragment_readahead=1
    )
    return scanner.to_reader()


def _dataset(table: Path) -> ds.Dataset:
    log = open_log(table)
    schema = pa.schema(log.schema().to_arrow())
    folders = pa.schema([schema.field(name) for name in log.metadata().partition_columns])
    return ds.dataset(
        sorted(_files(log)),
        schema=schema,
        format="parquet",
        partitioning=ds.partitioning(folders, flavor="hive"),
        partition_base_dir=str(table),
    )


def distinct(table: Path, column: str) -> set[str]:
    """Return the distinct values of a text column."""
    return set(distinct_array([table], column).to_pylist())


def distinct_array(tables: Iterable[Path], column: str) -> pa.StringArray:
    """Return the distinct values of a text column of these tables.

    Parquet stores numbers into a dictionary of them, so this reads no value twice in a row group.
    """
    found = [pa.array([], pa.string())]
    for table in tables:
        for file in data_files(table):
            with damage_named(table), pq.ParquetFile(file, read_dictionary=[column]) as parquet:
                chunks = parquet.read([column])[column].chunks
            found += [chunk.unique().dictionary_decode() for chunk in chunks]
    return pc.unique(pa.concat_arrays(found))


def encoded(files: Iterable[Path], columns: Sequence[str]) -> list[tuple[npt.NDArray[np.int32], list[str]]]:
    """Return for each of these text columns, which lack no value, a number for each row, and the words of the numbers.

    files: data files of a table. Rows are in the files' order.
    """
    read = []
    for file in files:
        with pq.ParquetFile(file, read_dictionary=list(columns)) as parquet:
            read.append(parquet.read(list(columns)).select(list(columns)))
    kinds = pa.schema([(name, pa.dictionary(pa.int32(), pa.string())) for name in columns])
    rows = pa.concat_tables([kinds.empty_table(), *read], promote_options="permissive").unify_dictionaries()
    found = []
    for column in rows.columns:
        numbers = [np.asarray(chunk.indices) for chunk in column.chunks]
        words = column.chunk(0).dictionary.to_pylist() if column.num_chunks else []
        found.append((np.concatenate([np.zeros(0, np.int32), *numbers]), words))
    return found


def data_files(table: Path) -> list[Path]:
    """Return the data files of a Delta table's latest version, sorted; [] if there is no table."""
    return [Path(name) for name in sorted(_files(open_log(table)))] if exists(table) else []


def dead_files(table: Path) -> list[Path]:
    """Return the data files on disk that the table's latest version does not name; [] if there is no table.

    They belong to older versions or were left by a crash, and hold rows that were replaced or removed.
    Raises DeidError if the latest version names a file that is missing: then no file may be considered dead.
    """
    if not exists(table):
        return []
    live = _files(open_log(table))
    on_disk = sorted(table.glob("**/[!._]*.parquet"))
    if missing := len(set(live) - set(map(str, on_disk))):
        raise DeidError(f"{table.name}: {missing} data files of the latest version are not on the disk; restore them")
    return [path for path in on_disk if "_delta_log" not in path.relative_to(table).parts and str(path) not in live]


def columns(table: Path) -> list[str]:
    """Return the names of a Delta table's columns."""
    return list(column_types(table))


def column_types(table: Path) -> dict[str, str]:
    """Return the type of each column of a Delta table, as Delta names it."""
    return types_of(open_log(table).schema())


def types_of(schema: Schema) -> dict[str, str]:
    """Return the type of each column of a schema, as Delta names it; JSON for a nested type."""
    return {field.name: str(json.loads(field.type.to_json())) for field in schema.fields}


def lacking(table: Path, names: Iterable[str]) -> list[str]:
    """Return a message for each of these columns that a table lacks, since an older version of this program made it."""
    there = columns(table)
    return [
        f"{table}: lacks the column {name}: the lake is of an older version of this program, `deid run` upgrades it"
        for name in names
        if name not in there
    ]


def version(table: Path) -> int:
    """Return the number of the table's latest commit; -1 if there is no table."""
    return int(open_log(table).version()) if exists(table) else -1


def state(table: Path) -> str | None:
    """Return what tells this state of a table from every other one; None if there is no table.

    A version does not: a table that is made again, as after damage, may have as many commits as the former one.
    """
    if not exists(table):
        return None
    log = open_log(table)
    return f"{log.metadata().id} {log.version()}"


def commit_metadata(table: Path) -> dict[str, Any]:
    """Return the latest commit's own metadata (Delta's `userMetadata`, JSON); {} if there is none."""
    if not exists(table):
        return {}
    [latest] = open_log(table).history(1)
    return dict(json.loads(latest.get("userMetadata") or "{}"))


def _files(log: Any) -> set[str]:
    return {urllib.parse.unquote(urllib.parse.urlsplit(uri).path) for uri in log.file_uris()}


def open_log(table: Path) -> Any:
    """Return the latest version of a table, a `deltalake.DeltaTable`. Raises as `read` does."""
    try:
        from deltalake import DeltaTable
    except ImportError:
        raise ConfigurationError(f"reading a lake needs the package `deltalake`: {how_to_install('spark')}") from None
    with damage_named(table):
        return DeltaTable(str(table))


@contextmanager
def damage_named(table: Path) -> Iterator[None]:
    """Raise DamageFoundError, with the table's name, if its log or a data file cannot be read.

    Raises ConfigurationError if it cannot be read since files are closed to this account.
    """
    from deltalake.exceptions import DeltaError

    try:
        yield
    except (DeltaError, pa.ArrowInvalid, OSError) as error:
        check_access(table.parent.parent, [table])
        # Arrow's own errors have no number.
        if isinstance(error, OSError) and error.errno not in (None, errno.ENOENT):
            raise
        raise DamageFoundError(table) from None
