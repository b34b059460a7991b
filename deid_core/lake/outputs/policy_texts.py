"""Which texts of an output clean/deidentified_<policy> are to be made, and which no longer hold.

A text is up to date if its note was de-identified by the same run, is of the same patient, and policy and key are the
same. So a night without changes makes none, and a changed policy makes those of its own table alone. A note on which an
operator failed is listed in restricted/output_failures, and waits until note, policy, key or program change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

from deid_core.lake.layout import Lake
from deid_core.lake.patients.matching import PATIENT_COLUMNS
from deid_core.lake.runs.context import Run
from deid_core.lake.tables import delta_reader
from deid_core.pipeline.fingerprint import code_digest
from deid_core.policies.redaction import Redactor

_COLUMNS = ["note_id", "run_id", *PATIENT_COLUMNS]


class PendingText(NamedTuple):
    """A note that needs a text of a policy; as in clean/deidentified."""

    note_id: str
    run_id: str
    patient_key: str
    patient_key_id: str
    patient_source: str
    year: int
    batch: str


class OutputPlan(NamedTuple):
    """What is to be done with an output.

    stale: notes whose rows are removed. pending: notes to be redacted, by batch, year and note_id, so that a slice
    needs few folders.
    """

    stale: frozenset[str]
    pending: list[PendingText]


class OutputFailure(NamedTuple):
    """A note on which an operator failed; a row of restricted/output_failures."""

    policy: str
    note_id: str
    made_by: str
    fingerprint: str
    code: str
    place: str

    def is_of(self, redactor: Redactor) -> bool:
        """Return whether it would fail again: policy, key and program are the same."""
        now = (redactor.policy.name, redactor.fingerprint, code_digest())
        return (self.policy, self.fingerprint, self.code) == now


def plan_output(lake: Lake, redactor: Redactor, *, retry: bool = False) -> OutputPlan:
    """Compare the output of a policy with clean/deidentified. Reads no text.

    retry: try notes again on which an operator failed.
    """
    wanted = [PendingText(*row) for row in delta_reader.rows(lake.deidentified, PendingText._fields)]
    made = set(delta_reader.rows(lake.output(redactor.policy.name), [*_COLUMNS, "fingerprint"]))
    fingerprint = redactor.fingerprint
    current = {(*text[: len(_COLUMNS)], fingerprint) for text in wanted}
    stale = frozenset(row[0] for row in made - current)
    failed = set() if retry else {(row.note_id, row.made_by) for row in _failures(lake) if row.is_of(redactor)}
    pending = [
        text
        for text in wanted
        if (*text[: len(_COLUMNS)], fingerprint) not in made and (text.note_id, text.run_id) not in failed
    ]
    return OutputPlan(stale, sorted(pending, key=lambda text: (text.batch, text.year, text.note_id)))


def list_failures(run: Run, redactor: Redactor, places: Mapping[str, str]) -> None:
    """Bring restricted/output_failures up to what a run found for a policy.

    places: of each note on which an operator failed now, the exception's class, file and line.
    """
    lake, policy = run.lake, redactor.policy.name
    made_by: dict[str, str] = dict(delta_reader.rows(lake.deidentified, ["note_id", "run_id"]))
    made = delta_reader.distinct(lake.output(policy), "note_id")
    listed = _failures(lake)
    rows = {
        row
        for row in listed
        if row.policy != policy or (row.is_of(redactor) and row.note_id not in made and row.note_id in made_by)
    }
    rows = {row for row in rows if row.policy != policy or row.note_id not in places}
    for note_id, place in places.items():
        rows.add(OutputFailure(policy, note_id, made_by[note_id], redactor.fingerprint, code_digest(), place))
    if rows != set(listed):
        run.describe("outputs", f"listing notes on which policy {policy} failed", notes=len(rows))
        table = run.tables.output_failures
        table.overwrite(pa.Table.from_pylist([row._asdict() for row in sorted(rows)], table.columns), {})


def lacking(lake: Lake, policy: str) -> tuple[int, int]:
    """Return how many notes of clean/deidentified wait for a text of a policy, and on how many an operator failed."""
    missing = delta_reader.distinct(lake.deidentified, "note_id") - delta_reader.distinct(
        lake.output(policy), "note_id"
    )
    failed = {row.note_id for row in _failures(lake) if row.policy == policy} & missing
    return len(missing - failed), len(failed)


def _failures(lake: Lake) -> list[OutputFailure]:
    return [OutputFailure(*row) for row in delta_reader.rows(lake.output_failures, OutputFailure._fields)]
