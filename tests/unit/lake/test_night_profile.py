"""Numbers of a note, and notes by bin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_core.lake.checks.night_profile import BOUNDS, NIGHT_COLUMNS, NightProfile, bins_of, note_values
from deid_core.lake.tables import task_schemas
from deid_core.lake.tables.arrow_codec import record_batch

_PATIENT = (0, 12, 0, 5, "PER", "patient", "letterhead", "name", 1.0)
_CLINICIAN = (20, 24, 20, 25, "PER", "clinician", "stacking", "crf", 0.3)
_DATE = (30, 40, 30, 36, "DATE", "date", "letterhead", "date", 1.0)
_DROPPED = (50, 54, "PER", "person", "crf", "crf.PER", 0.4, "stacking.drop_above")


def notes(*of_note: dict[str, Any]) -> pa.RecordBatch:
    nothing = {"tokens": 100, "spans": [], "dropped": [], "patient_evidence": [], "text": "", "year": 2020}
    rows = [nothing | {"note_id": f"n{place}", "batch": "b"} | row for place, row in enumerate(of_note)]
    return record_batch(rows, task_schemas.REDACTED).select(NIGHT_COLUMNS)


def test_numbers_of_notes() -> None:
    first = {"spans": [_PATIENT, _CLINICIAN, _DATE, _DATE], "tokens": 200, "dropped": [_DROPPED]}
    found = note_values(notes(first | {"patient_evidence": [("id", "7"), ("id", "8")]}, {}))
    assert {key: values.tolist() for key, values in found.items()} == {
        ("note_tokens", ""): [200, 100],
        ("label", "PER"): [10, 0], ("label", "DATE"): [10, 0],
        ("type", "PER.patient"): [5, 0], ("type", "PER.clinician"): [5, 0], ("type", "DATE.date"): [10, 0],
        ("recogniser", "letterhead"): [15, 0], ("recogniser", "stacking"): [5, 0],
        ("names", "PER"): [2, 0], ("names", "PER.patient"): [1, 0], ("names", "PER.clinician"): [1, 0],
        ("letterhead_fields", ""): [2, 0],
        ("patient_evidence", "id"): [2, 0],
        ("span_chars", ""): [9, 0],
        ("low_scores", ""): [1, 0],
        ("dropped", "stacking.drop_above"): [1, 0],
    }  # fmt: skip


def test_a_note_that_says_nothing_and_no_note() -> None:
    assert note_values(notes({"tokens": 0}))["names", "PER"].tolist() == [0]
    night = NightProfile()
    night.add(notes())
    assert night.notes == 0
    night.refused["empty"] = 2
    assert night.profile()["quarantine", "empty"].tolist() == [0, 2]


def test_a_value_on_a_bound_begins_the_bin() -> None:
    assert bins_of("patient_evidence", np.array([0.0, 1.0, 5.0])).tolist() == [0, 1, 1]
    assert bins_of("names", np.array([0.0, 8.0, 9.0, 10.0, 1_000.0])).tolist() == [0, 8, 8, 9, 13]
    assert all(bounds[0] == 0 and (np.diff(bounds) > 0).all() for bounds in BOUNDS.values())


def test_quarantined_notes_are_counted_by_reason() -> None:
    night = NightProfile()
    night.add(notes({}, {}))
    night.refused.update(empty=1, corrupt=2)
    profile = night.profile()
    assert {value: counts.tolist() for (measure, value), counts in profile.items() if measure == "quarantine"} == {
        "any": [2, 3], "empty": [4, 1], "corrupt": [3, 2]
    }  # fmt: skip


@given(st.lists(st.lists(st.sampled_from([_PATIENT, _CLINICIAN, _DATE]), max_size=6), max_size=8), st.integers(1, 8))
@settings(max_examples=50)
def test_each_note_is_in_one_bin_of_each_measure_however_the_batches_are_cut(
    spans: list[list[tuple[Any, ...]]], size: int
) -> None:
    batch = notes(*({"spans": of_note} for of_note in spans))
    whole, parts = NightProfile(), NightProfile()
    whole.add(batch)
    for start in range(0, len(batch), size):
        parts.add(batch.slice(start, size))
    # Made a second time in the same run, as the sweep does.
    parts.add(batch)
    assert whole.notes == parts.notes == len(spans)
    expected, found = whole.profile(), parts.profile()
    assert {key: counts.tolist() for key, counts in found.items()} == {
        key: counts.tolist() for key, counts in expected.items() if key in found
    }
    assert all(counts.sum() == len(spans) for counts in expected.values())
