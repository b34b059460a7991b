"""What became of a source file, and where a note's year and patient were found: values in the lake's tables."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """State of a source file; the ledger's column `state`."""

    CONVERTED = "converted"
    QUARANTINED = "quarantined"
    DELETED = "deleted"
    WITHDRAWN = "withdrawn"
    """Of a patient who is withdrawn. The file is not read again."""


class YearSource(StrEnum):
    """Where a note's year was found, the most trusted first."""

    COLUMN = "column"
    """Of the table that the note is a row of."""
    PATH = "path"
    HEADER = "header"
    FILE = "file"


class PatientSource(StrEnum):
    """Where a note's patient was found, the most trusted first; the column `patient_source`."""

    TABLE = "table"
    ID = "id"
    NAME = "name"
    """Name and birth date."""
    NOTE = "note"
    """Not found: the note stands for a patient."""


class ReadOutcome(StrEnum):
    """What an executor did with a file of the plan."""

    CONVERTED = "converted"
    QUARANTINED = "quarantined"
    SAME = "same"
    """The file's date or size changed, its bytes did not."""
