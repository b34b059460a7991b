"""The hospital's table of identities: what it knows of the people of a note, by the note's path or its patient's id.

A table (csv_or_parquet.py) with the columns `path` or `patient`, or both, and at least one kind of term
(pipeline/identity_terms.py): name, address, postcode, birth_date, number, electronic. A path may be a pattern, and
several rows may be of one note. A cell may have several values with "|" between them.

patients/note_identities.py says what is known of each note of a lake.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from deid_core.lake.inputs.csv_or_parquet import ByPath, check_lines, read_table
from deid_core.pipeline.identity_terms import KINDS, identity_terms
from deid_core.pipeline.known_terms import Term, TermKind
from deid_core.policies.patient_evidence import id_key

_SETTING = "patient.identities"
_PATH, _PATIENT = "path", "patient"
_SEPARATOR = "|"


class IdentityRow(NamedTuple):
    """A row of the table: its line, whose note it is of (one of the two is ""), and its terms."""

    line: int
    path: str
    patient: str
    terms: tuple[Term, ...]


class Identities:
    """Tells the rows of a note. unusable: lines with a value that cannot be looked for. ignored: columns not read."""

    def __init__(
        self, rows: Iterable[IdentityRow], unusable: Collection[int] = (), ignored: Collection[str] = ()
    ) -> None:
        self.rows = tuple(rows)
        self.unusable, self.ignored = tuple(unusable), tuple(ignored)
        self._by_path = ByPath((row.path, number) for number, row in enumerate(self.rows) if row.path)
        self._by_patient: defaultdict[str, set[int]] = defaultdict(set)
        for number, row in enumerate(self.rows):
            if row.patient:
                self._by_patient[row.patient].add(number)

    def of_path(self, path: str) -> frozenset[int]:
        """Return the numbers of the rows of a path, and of all patterns that it fits."""
        return self._by_path.of_path(path) | self._by_path.of_patterns(path)

    def of_patients(self, patients: Iterable[str]) -> frozenset[int]:
        """Return the numbers of the rows of patient ids, which are in their normal form."""
        return frozenset(number for patient in patients for number in self._by_patient.get(patient, ()))

    def terms(self, numbers: Collection[int]) -> tuple[Term, ...]:
        """Return the terms of rows, each once, sorted."""
        return tuple(sorted({term for number in numbers for term in self.rows[number].terms}))

    def by_patient(self) -> dict[str, tuple[Term, ...]]:
        """Return the terms of each patient id."""
        return {patient: self.terms(numbers) for patient, numbers in self._by_patient.items()}


def load_identities(file: str) -> Identities:
    """Return the table of a file.

    Raises ConfigurationError with every problem of the file, by its line.
    """
    table = read_table(file, _SETTING, (), (_PATH, _PATIENT, *KINDS))
    problems = []
    if not {_PATH, _PATIENT} & {*table.columns}:
        problems.append(f"1: {_SETTING} needs the column {_PATH} or {_PATIENT}")
    if not {*KINDS} & {*table.columns}:
        problems.append(f"1: {_SETTING} needs one of the columns {', '.join(KINDS)}")
    rows, unusable = [], []
    for line, row in table.rows if not problems else ():
        path, patient = row.get(_PATH, ""), id_key(row.get(_PATIENT, ""))
        if not path and not patient:
            problems.append(f"{line}: has no {_PATH} and no {_PATIENT}")
        values = [(TermKind(kind), value.strip()) for kind in KINDS for value in row.get(kind, "").split(_SEPARATOR)]
        terms = [(identity_terms(kind, value)) for kind, value in values if value]
        if not all(terms):
            unusable.append(line)
        rows.append(IdentityRow(line, path, patient, tuple(term for of_value in terms for term in of_value)))
    check_lines(file, problems)
    return Identities(rows, unusable, table.others)
