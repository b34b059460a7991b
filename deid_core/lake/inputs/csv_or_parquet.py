"""Read a table that a hospital gives, of identities or of patients: CSV with commas or semicolons, or Parquet.

All values become text. They may be names, so problems tell the line alone.
"""

from __future__ import annotations

import csv
import fnmatch
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as pt

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

    Raises ConfigurationError if it cannot be read, lacks a needed column, has one twice, or would lose a value.
    """
    path = Path(file)
    try:
        if path.suffix == ".parquet":
            return _parquet(path, setting, needed, optional)
        return _csv(path, setting, needed, optional)
    except (OSError, UnicodeDecodeError, csv.Error, pa.ArrowException) as error:
        raise ConfigurationError(f"{path}: {setting} cannot be read: {_why(error)}") from None


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
            # Also a pattern: a file may be called "Brief [2].doc".
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


def _why(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "is not in UTF-8; save it as `CSV UTF-8`"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, csv.Error):
        # Of Python's csv module: it quotes no value.
        return f"is no table: {error}"
    return f"is no table ({type(error).__name__})"


def _csv(path: Path, setting: str, needed: Sequence[str], optional: Sequence[str]) -> TableFile:
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        # Strict: a quotation mark that nothing closes would make the rest of the file one value.
        reader = csv.DictReader(file, delimiter=";" if ";" in first else ",", restval="", strict=True)
        names = tuple(reader.fieldnames or ())
        read = _columns(path, setting, names, needed, optional)
        rows, problems = [], []
        for row in reader:
            rows.append((reader.line_num, {name: row[name].strip() for name in read}))
            # Under no name: what follows the last column. Spreadsheets write separators without values there.
            if any(row.get(None, ())):
                problems.append(
                    f"{reader.line_num}: has more values than line 1; a separator in one needs quotation marks"
                )
    check_lines(str(path), problems)
    return TableFile(rows, read, _others(names, read))


def _parquet(path: Path, setting: str, needed: Sequence[str], optional: Sequence[str]) -> TableFile:
    with pq.ParquetFile(path, page_checksum_verification=True) as parquet:
        names = parquet.schema_arrow.names
        read = _columns(path, setting, names, needed, optional)
        kinds = {name: parquet.schema_arrow.field(name).type for name in read}
        if wrong := [name for name, kind in kinds.items() if not _has_exact_text(kind)]:
            raise ConfigurationError(
                [f"{path}: {setting}: column {name} is of type {kinds[name]}; cast it to text" for name in wrong]
            )
        # A time of day would make a date of birth unreadable.
        dates = {name: pa.date32() if pt.is_timestamp(kind) else kind for name, kind in kinds.items()}
        columns = parquet.read(list(read)).select(list(read)).cast(pa.schema(list(dates.items())))
        columns = columns.cast(pa.schema([(name, pa.string()) for name in read]))
    found = ({name: (value or "").strip() for name, value in row.items()} for row in columns.to_pylist())
    return TableFile(list(enumerate(found, 1)), read, _others(names, read))


def _has_exact_text(kind: pa.DataType) -> bool:
    """Return whether a value becomes the text that a person would write: 123456789012.0 becomes 1.23456789012e+11."""
    if pt.is_dictionary(kind):
        kind = kind.value_type
    texts = (pt.is_string, pt.is_large_string, pt.is_string_view, pt.is_binary, pt.is_large_binary, pt.is_null)
    return any(test(kind) for test in (*texts, pt.is_integer, pt.is_decimal, pt.is_date, pt.is_timestamp))


def _columns(
    path: Path, setting: str, names: Collection[str], needed: Sequence[str], optional: Sequence[str]
) -> tuple[str, ...]:
    if missing := [name for name in needed if name not in names]:
        raise ConfigurationError([f"{path}:1: {setting} lacks the column {name}" for name in missing])
    read = (*needed, *(name for name in optional if name in names))
    if twice := [name for name, times in Counter(names).items() if times > 1 and name in read]:
        raise ConfigurationError([f"{path}:1: {setting} has the column {name} more than once" for name in twice])
    return read


def _others(names: Iterable[str], read: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name and name not in read)


def _normal(path: str) -> str:
    """Return the path with composed letters: file systems of Apple store "ü" as two characters."""
    return unicodedata.normalize("NFC", path)
