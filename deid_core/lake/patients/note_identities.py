"""What the hospital's table of identities says of each note of a lake, for the engine and for the plan.

The terms of a note are an input of the engine, as its text is. So the fingerprint that its text is stored with has a
keyed hash of them after the pipeline's: if they change, this note is made again, and no other one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from deid_core.lake.layout import Lake
from deid_core.lake.notes import ledger
from deid_core.lake.notes.ids import NoteIds
from deid_core.lake.patients.matching import PatientKeys
from deid_core.lake.runs.context import Run, RunInputs
from deid_core.pipeline.known_terms import KnownTerms, Term, Terms


class NoteIdentities:
    """What is known of each note of a lake, and the fingerprints that follow from it."""

    def __init__(
        self,
        lake: Lake,
        ids: NoteIds,
        inputs: RunInputs,
        keys: PatientKeys | None = None,
    ) -> None:
        """keys: of the lake's patients, if they are known already."""
        self._ids, self._identities, self._fingerprint = ids, inputs.identities, inputs.spec.fingerprint
        self._paths: dict[str, str] = {}
        if self._identities is not None:
            self._keys = keys or PatientKeys(lake, ids, inputs.patient_table)
            self._paths = ledger.paths(lake)

    @staticmethod
    def from_run(run: Run, keys: PatientKeys | None = None) -> NoteIdentities:
        """Return those of the run's lake. keys: of its patients, if they are known already."""
        return NoteIdentities(run.lake, run.ids, run.inputs, keys)

    def known_terms(self, note_ids: Iterable[str], others: Terms) -> KnownTerms:
        """Return what is known of notes: by the table, and what others of the patient say, by note_id."""
        found = {note_id: (*self._terms(note_id, with_text=False), *others.get(note_id, ())) for note_id in note_ids}
        by_note = {note_id: terms for note_id, terms in found.items() if terms}
        return KnownTerms(by_note, self._identities.by_patient() if self._identities else {})

    def made_with(self, note_id: str) -> str:
        """Return the fingerprint of a note's text: of the pipeline, and of what is known of the note if anything is."""
        terms = self._terms(note_id)
        if not terms:
            return self._fingerprint
        return self._ids.fingerprint_with(self._fingerprint, note_id, json.dumps(terms))

    def unmatched(self) -> tuple[int, ...]:
        """Return the lines of the rows that are of no note of the lake, ascending."""
        if self._identities is None:
            return ()
        matched = frozenset[int]().union(*map(self._rows, self._paths))
        return tuple(row.line for number, row in enumerate(self._identities.rows) if number not in matched)

    def _terms(self, note_id: str, *, with_text: bool = True) -> tuple[Term, ...]:
        return self._identities.terms(self._rows(note_id, with_text=with_text)) if self._identities else ()

    def _rows(self, note_id: str, *, with_text: bool = True) -> frozenset[int]:
        assert self._identities is not None  # noqa: S101 - callers checked
        patients = self._keys.patient_ids(note_id, with_text=with_text)
        path = self._paths.get(note_id, "")
        return self._identities.of_path(path) | self._identities.of_patients(patients)
