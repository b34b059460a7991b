"""Read a table that a hospital gives: CSV with commas or semicolons, or Parquet. All values are text.

Its values may be names, so problems tell the line alone.
"""

from __future__ import annotations

import csv
import fnmatch
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.core.errors import ConfigurationError

_WILDCARD = re.compile(r"[*?\[]")
_SHOWN = 20
"""Problems of a table that are listed, at most."""
_Value = TypeVar("_Value")


class TableFile(NamedTuple):
    """The rows of a file, each with its line, by column; columns that the file lacks are "". others: not read."""

    rows: list[tuple[int, dict[str, str]]]
    columns: tuple[str, ...]
    others: tuple[str, ...]


def read_table(file: str, setting: str, needed: Sequence[str], optional: Sequence[str] = ()) -> TableFile:
    """Return the rows of a table. setting: what errors call it. Parquet rows are numbered from 1.

    Raises ConfigurationError if it cannot be read or lacks a needed column.
    """
    path = Path(file)
    try:
        if path.suffix == ".parquet":
            return _parquet(path, setting, needed, optional)
        return _csv(path, setting, needed, optional)
    except (OSError, UnicodeDecodeError, csv.Error, pa.ArrowException) as error:
        why = (
            error.strerror if isinstance(error, OSError) and error.strerror else f"is no table ({type(error).__name__})"
        )
        raise ConfigurationError(f"{path}: {setting} cannot be read: {why}") from None


def check_lines(file: str, problems: Sequence[str]) -> None:
    """Raise ConfigurationError with the first problems, each of which begins with its line."""
    if problems:
        more = [f"{file}: {len(problems) - _SHOWN} more lines are wrong"] if len(problems) > _SHOWN else []
        raise ConfigurationError([f"{file}:{problem}" for problem in problems[:_SHOWN]] + more)


class ByPath(Generic[_Value]):
    """Values by path, or by a pattern with `*`, `?` or `[`, in which `*` stands for "/" as well."""

    def __init__(self, rows: Iterable[tuple[str, _Value]]) -> None:
        """rows: path or pattern, and a value."""
        self._paths: dict[str, set[_Value]] = {}
        self._patterns: dict[str, list[tuple[re.Pattern[str], _Value]]] = {}
        for path, value in rows:
            path = _normal(path)
            if wildcard := _WILDCARD.search(path):
                # By what is before the wildcard: few of many patterns are tried on a path.
                pattern = re.compile(fnmatch.translate(path))
                self._patterns.setdefault(path[: wildcard.start()], []).append((pattern, value))
            else:
                self._paths.setdefault(path, set()).add(value)
        self._lengths = sorted({len(prefix) for prefix in self._patterns})

    def of_path(self, path: str) -> frozenset[_Value]:
        """Return the values of a whole path."""
        return frozenset(self._paths.get(_normal(path), ()))

    def of_patterns(self, path: str) -> frozenset[_Value]:
        """Return the values of all patterns that a path fits."""
        path = _normal(path)
        prefixes = (path[:length] for length in self._lengths if length <= len(path))
        tried = (entry for prefix in prefixes for entry in self._patterns.get(prefix, ()))
        return frozenset(value for pattern, value in tried if pattern.match(path))


def _csv(path: Path, setting: str, needed: Sequence[str], optional: Sequence[str]) -> TableFile:
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        reader = csv.DictReader(file, delimiter=";" if ";" in first else ",", restval="")
        names = tuple(reader.fieldnames or ())
        read = _columns(path, setting, names, needed, optional)
        rows = [(reader.line_num, {name: row[name].strip() for name in read}) for row in reader]
    return TableFile(rows, read, _others(names, read))


def _parquet(path: Path, setting: str, needed: Sequence[str], optional: Sequence[str]) -> TableFile:
    with pq.ParquetFile(path) as parquet:
        names = parquet.schema_arrow.names
        read = _columns(path, setting, names, needed, optional)
        columns = parquet.read(list(read)).select(list(read)).cast(pa.schema([(name, pa.string()) for name in read]))
    found = ({name: (value or "").strip() for name, value in row.items()} for row in columns.to_pylist())
    return TableFile(list(enumerate(found, 1)), read, _others(names, read))


def _columns(
    path: Path, setting: str, names: Collection[str], needed: Sequence[str], optional: Sequence[str]
) -> tuple[str, ...]:
    if missing := [name for name in needed if name not in names]:
        raise ConfigurationError([f"{path}:1: {setting} lacks the column {name}" for name in missing])
    return (*needed, *(name for name in optional if name in names))


def _others(names: Iterable[str], read: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name and name not in read)


def _normal(path: str) -> str:
    """Return the path with composed letters: file systems of Apple store "ü" as two characters."""
    return unicodedata.normalize("NFC", path)
