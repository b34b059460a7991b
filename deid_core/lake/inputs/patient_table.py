"""The hospital's table of patients: which file is of which patient, by path or by pattern.

A table (csv_or_parquet.py) with the columns `path` and `patient`. A path is that below the input folder. A whole path
takes precedence over patterns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from deid_core.lake.inputs.csv_or_parquet import ByPath, check_lines, read_table
from deid_core.policies.patient_evidence import id_key

_COLUMNS = ("path", "patient")


class PatientTable:
    """Tells the patients of a path."""

    def __init__(self, rows: Iterable[tuple[str, str]]) -> None:
        """rows: path or pattern, and patient id."""
        named = sorted((path, id_key(patient)) for path, patient in rows)
        self._patients = ByPath(named)
        self.digest = hashlib.sha256(json.dumps(named).encode()).hexdigest()
        """Changes with its rows."""

    def patients_of(self, path: str) -> frozenset[str]:
        """Return the patient ids that the table gives a path, in their normal form; more than one is a conflict."""
        return self._patients.of_path(path) or self._patients.of_patterns(path)


def load_patient_table(file: str) -> PatientTable:
    """Return the table of a file.

    Raises ConfigurationError with every problem of the file, by its line.
    """
    rows = read_table(file, "patient.table", _COLUMNS).rows
    empty = [f"{line}: {name} is empty" for line, row in rows for name in _COLUMNS if not id_key(row[name])]
    check_lines(file, empty)
    return PatientTable((row["path"], row["patient"]) for _, row in rows)
