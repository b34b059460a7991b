"""The task that applies a policy: the same key gives the same texts however notes are dealt to executors."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="needs the extra spark")

from deid_core.core.labels import PhiType, label_of
from deid_core.pipeline.fingerprint import code_digest
from deid_core.policies.key import PolicyKey
from deid_core.policies.settings import load_policy
from deid_core.spark.policy_task import Redact
from deid_core.spark.task_base import TaskError

KEY = PolicyKey(b"the first secret of these tests, 32 bytes or more")
OTHER_KEY = PolicyKey(b"the second secret of these tests, 32 bytes or more")
NAMES = ("Peter Müller", "Anna Schmidt", "Jan Weber")


def row(number: int) -> dict[str, Any]:
    """Return a note of one of four patients."""
    name, date = NAMES[number % 3], f"{1 + number % 28}.3.2010"
    text = f"Herr {name} kam am {date} aus Ulm."
    places = {PhiType.PATIENT: name, PhiType.DATE: date, PhiType.TOWN: "Ulm"}
    spans = [
        {"start": text.index(part), "end": text.index(part) + len(part), "label": label_of(phi), "type": phi}
        for phi, part in places.items()
    ]
    patient = f"p{number % 4}"
    return {"note_id": f"n{number}", "year": 2010, "text": text, "patient_key": patient, "spans": spans}


ROWS = [row(number) for number in range(24)]


def texts(batches: list[list[dict[str, Any]]], key: PolicyKey = KEY, code: str = "") -> dict[str, str]:
    broadcast = SimpleNamespace(value=(load_policy("readable").model_dump_json(), key))
    task = Redact(broadcast, "O", code or code_digest())  # type: ignore[arg-type]
    made = [row for batch in task(pa.RecordBatch.from_pylist(rows) for rows in batches) for row in batch.to_pylist()]
    assert [row["reason"] for row in made] == [None] * len(made)
    return {row["note_id"]: row["text"] for row in made}


@settings(max_examples=30)
@given(st.permutations(range(len(ROWS))), st.sets(st.integers(1, len(ROWS) - 1)), st.randoms(use_true_random=False))
def test_partitioning_does_not_matter(order: list[int], cuts: set[int], random: Any) -> None:
    shuffled = [ROWS[number] | {"spans": random.sample(ROWS[number]["spans"], 3)} for number in order]
    bounds = [0, *sorted(cuts), len(ROWS)]
    batches = [shuffled[start:end] for start, end in pairwise(bounds)]
    assert texts(batches) == texts([ROWS])


def test_dates_of_notes_move_as_their_texts_do() -> None:
    """The notes of a patient: intervals hold."""
    head = "Ulm, den {}\n\nSehr geehrte Kollegen,"
    rows = [
        {"note_id": f"n{day}", "year": 2010, "text": head.format(f"0{day}.03.2010"), "patient_key": "p", "spans": [
            {"start": 9, "end": 19, "label": label_of(PhiType.DATE), "type": PhiType.DATE}]} for day in (1, 4, 9)
    ]  # fmt: skip
    broadcast = SimpleNamespace(value=(load_policy("readable").model_dump_json(), KEY))
    [made] = Redact(broadcast, "O", code_digest())(iter([pa.RecordBatch.from_pylist(rows)]))  # type: ignore[arg-type]
    first, second, third = made["note_date"].to_pylist()
    assert (second - first, third - second) == (timedelta(3), timedelta(5))
    assert made["text"].to_pylist() == [head.format(f"{day:%d.%m.%Y}") for day in (first, second, third)]


def test_another_key_gives_other_texts() -> None:
    one, other = texts([ROWS]), texts([ROWS], OTHER_KEY)
    assert all(one[note] != other[note] for note in one)


def test_a_note_that_an_operator_fails_on_stops_no_other() -> None:
    bad = ROWS[0] | {"spans": [ROWS[0]["spans"][0] | {"end": 10_000}]}
    broadcast = SimpleNamespace(value=(load_policy("readable").model_dump_json(), KEY))
    [made] = Redact(broadcast, "O", code_digest())(iter([pa.RecordBatch.from_pylist([bad, ROWS[1]])]))  # type: ignore[arg-type]
    failed, done = made.to_pylist()
    assert failed["text"] is None
    assert failed["reason"].startswith("ValueError at redaction.py:")
    assert done["reason"] is None


def test_an_executor_with_other_code_is_refused() -> None:
    with pytest.raises(TaskError, match="is not the driver's"):
        texts([ROWS], code="other")
