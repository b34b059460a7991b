"""Reads the lake's tables in this process, without Spark: what a plan, a report and a look at one note need.

tables.py writes them. `deltalake` reads a table's log and says which files it is made of, pyarrow reads these. (A
dataset of `deltalake` reads through a file system written in Python, and its threads may outlive the interpreter and
abort it.)
"""

from __future__ import annotations

import json
import os
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from deid_core.core.errors import ConfigurationError, DeidError

if TYPE_CHECKING:
    from deltalake import Schema

_READ_AHEAD = 4
"""Batches of a stream that wait at most."""


def exists(table: Path) -> bool:
    """Whether there is a Delta table at this path.

    Raises ConfigurationError if this account may not look, or a file is where a folder should be.
    """
    try:
        return any(name.endswith(".json") for name in os.listdir(table / "_delta_log"))
    except FileNotFoundError:
        return False
    except PermissionError:
        raise ConfigurationError(f"{table}: this account may not read it") from None
    except NotADirectoryError:
        raise ConfigurationError(f"{table}: cannot be there, a part of its path is a file") from None


def read(table: Path, columns: Sequence[str], *, where: pc.Expression | None = None) -> pa.Table:
    """These columns of a Delta table, of the rows that `where` keeps; no rows if there is no table.

    Raises ConfigurationError if `deltalake` is not installed or the table may not be read.
    """
    if not exists(table):
        return pa.table({name: pa.nulls(0) for name in columns})
    return _dataset(table).to_table(columns=list(columns), filter=where)


def first(table: Path, columns: Sequence[str], *, where: pc.Expression) -> dict[str, Any] | None:
    """These columns of one row that `where` keeps; None if there is none, or no table."""
    if not exists(table):
        return None
    scanner = _dataset(table).scanner(columns=list(columns), filter=where, batch_readahead=1, fragment_readahead=1)
    return next(iter(scanner.head(1).to_pylist()), None)


def stream(table: Path, columns: Sequence[str], *, where: pc.Expression | None = None) -> pa.RecordBatchReader:
    """The same for a table that exists, a few batches at a time."""
    scanner = _dataset(table).scanner(
        columns=list(columns), filter=where, batch_readahead=_READ_AHEAD, fragment_readahead=1
    )
    return scanner.to_reader()


def _dataset(table: Path) -> ds.Dataset:
    log = _open(table)
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
    """The different values of a column of text; a table has up to millions of rows and a fraction of that in values."""
    return set(pc.unique(read(table, [column])[column]).to_pylist())


def data_files(table: Path) -> list[Path]:
    """The data files of a Delta table's last version, sorted; [] if there is no table."""
    return [Path(name) for name in sorted(_files(_open(table)))] if exists(table) else []


def dead_files(table: Path) -> list[Path]:
    """Data files below the table's folder that its last version does not name: older versions, and what crashes left.

    They hold rows that were replaced or taken out. [] if there is no table. Raises DeidError if the last version names
    a file that is not there: then nothing may be taken for dead.
    """
    if not exists(table):
        return []
    named = _files(_open(table))
    there = sorted(table.glob("**/[!._]*.parquet"))
    if missing := len(set(named) - set(map(str, there))):
        raise DeidError(f"{table.name}: {missing} data files of the last version are not on the disk; restore them")
    return [path for path in there if "_delta_log" not in path.relative_to(table).parts and str(path) not in named]


def columns(table: Path) -> list[str]:
    """The names of a Delta table's columns."""
    return list(column_types(table))


def column_types(table: Path) -> dict[str, str]:
    """The type of each of a Delta table's columns, in Delta's words."""
    return types_of(_open(table).schema())


def types_of(schema: Schema) -> dict[str, str]:
    """The type of each column of a schema, in Delta's words; JSON for one that has parts."""
    return {field.name: str(json.loads(field.type.to_json())) for field in schema.fields}


def version(table: Path) -> int:
    """The number of the table's last commit, -1 if there is none."""
    return int(_open(table).version()) if exists(table) else -1


def commit_note(table: Path) -> dict[str, Any]:
    """What the last commit says of itself (Delta's `userMetadata`, JSON); {} if there is none."""
    if not exists(table):
        return {}
    [last] = _open(table).history(1)
    return dict(json.loads(last.get("userMetadata") or "{}"))


def _files(log: Any) -> set[str]:
    return {urllib.parse.unquote(urllib.parse.urlsplit(uri).path) for uri in log.file_uris()}


def _open(table: Path) -> Any:
    try:
        from deltalake import DeltaTable
    except ImportError:
        raise ConfigurationError("reading a lake needs the package `deltalake`: pip install 'deid[spark]'") from None
    return DeltaTable(str(table))
