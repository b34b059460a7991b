"""The hospital's table of patients: which file is of which patient, by path or by pattern.

CSV with commas or semicolons, or Parquet, with the columns `path` and `patient`. A path is that below the input folder.
One with `*`, `?` or `[` is a pattern, in which `*` stands for "/" as well. A whole path takes precedence over patterns.
"""

from __future__ import annotations

import csv
import fnmatch
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.core.errors import ConfigurationError
from deid_core.policies.patient_evidence import id_key

_COLUMNS = ("path", "patient")
_WILDCARD = re.compile(r"[*?\[]")
_SHOWN = 20
"""The most problems of a table that are listed."""


class PatientTable:
    """Tells the patients of a path."""

    def __init__(self, rows: Iterable[tuple[str, str]]) -> None:
        """rows: path or pattern, and patient id."""
        self._paths: dict[str, set[str]] = {}
        self._patterns: dict[str, list[tuple[re.Pattern[str], str]]] = {}
        for path, patient in rows:
            path, patient = _normal(path), id_key(patient)
            if wildcard := _WILDCARD.search(path):
                # By what is before the wildcard: few of many patterns are tried on a path.
                pattern = re.compile(fnmatch.translate(path))
                self._patterns.setdefault(path[: wildcard.start()], []).append((pattern, patient))
            else:
                self._paths.setdefault(path, set()).add(patient)
        self._lengths = sorted({len(prefix) for prefix in self._patterns})

    def patients_of(self, path: str) -> frozenset[str]:
        """Return the patient ids that the table gives a path, in their normal form; more than one is a conflict."""
        path = _normal(path)
        if known := self._paths.get(path):
            return frozenset(known)
        prefixes = (path[:length] for length in self._lengths if length <= len(path))
        tried = (entry for prefix in prefixes for entry in self._patterns.get(prefix, ()))
        return frozenset(patient for pattern, patient in tried if pattern.match(path))


def load_patient_table(file: str) -> PatientTable:
    """Return the table of a file.

    Raises ConfigurationError with every problem of the file, by its line.
    """
    path = Path(file)
    try:
        numbered = list(_parquet(path) if path.suffix == ".parquet" else _csv(path))
    except (OSError, UnicodeDecodeError, csv.Error, pa.ArrowException) as error:
        why = (
            error.strerror if isinstance(error, OSError) and error.strerror else f"is no table ({type(error).__name__})"
        )
        raise ConfigurationError(f"{path}: patient.table cannot be read: {why}") from None
    # Paths hold names: a problem tells its line alone.
    problems = [
        f"{path}:{number}: {column} is empty"
        for number, row in numbered
        for column, value in zip(_COLUMNS, row, strict=True)
        if not id_key(value)
    ]
    if problems:
        more = [f"{path}: {len(problems) - _SHOWN} more lines are wrong"] if len(problems) > _SHOWN else []
        raise ConfigurationError(problems[:_SHOWN] + more)
    return PatientTable(row for _, row in numbered)


def _csv(path: Path) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield line number, path and patient."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        reader = csv.DictReader(file, delimiter=";" if ";" in first else ",", restval="")
        _check_columns(path, reader.fieldnames or ())
        for row in reader:
            yield reader.line_num, (row["path"].strip(), row["patient"].strip())


def _parquet(path: Path) -> Iterator[tuple[int, tuple[str, str]]]:
    with pq.ParquetFile(path) as parquet:
        _check_columns(path, parquet.schema_arrow.names)
        columns = parquet.read(list(_COLUMNS)).cast(pa.schema([(name, pa.string()) for name in _COLUMNS]))
    for number, row in enumerate(columns.to_pylist(), 1):
        yield number, (row["path"] or "", row["patient"] or "")


def _check_columns(path: Path, names: Iterable[str]) -> None:
    if missing := [name for name in _COLUMNS if name not in names]:
        raise ConfigurationError([f"{path}:1: patient.table lacks the column {name}" for name in missing])


def _normal(path: str) -> str:
    """Return the path with composed letters: file systems of Apple store "ü" as two characters."""
    return unicodedata.normalize("NFC", path)
