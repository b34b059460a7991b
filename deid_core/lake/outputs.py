"""Which texts of an output clean/deidentified_<policy> are to be made, and which no longer hold.

A text is up to date if its note was de-identified by the same run, is of the same patient, and policy and key are the
same. So a night without changes makes none, and a changed policy makes those of its own table alone.
"""

from __future__ import annotations

from typing import NamedTuple

from deid_core.lake import delta_reader
from deid_core.lake.layout import Lake
from deid_core.policies.redaction import Redactor

_COLUMNS = ["note_id", "run_id", "patient_key", "patient_source"]


class PendingText(NamedTuple):
    """A note that needs a text of a policy; as in clean/deidentified."""

    note_id: str
    run_id: str
    patient_key: str
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


def plan_output(lake: Lake, redactor: Redactor) -> OutputPlan:
    """Compare the output of a policy with clean/deidentified. Reads no text."""
    texts = delta_reader.read(lake.deidentified, list(PendingText._fields))
    wanted = [PendingText(*row) for row in zip(*(column.to_pylist() for column in texts.columns), strict=True)]
    rows = delta_reader.read(lake.output(redactor.policy.name), [*_COLUMNS, "fingerprint"])
    made = set(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    fingerprint = redactor.fingerprint
    current = {(*text[: len(_COLUMNS)], fingerprint) for text in wanted}
    stale = frozenset(row[0] for row in made - current)
    pending = [text for text in wanted if (*text[: len(_COLUMNS)], fingerprint) not in made]
    return OutputPlan(stale, sorted(pending, key=lambda text: (text.batch, text.year, text.note_id)))
