"""The table of states in docs/lake.md says what the code does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from deid_core.core.errors import Reason
from deid_core.lake.inputs.plan import Plan, SourceStat, make_plan
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ids import NoteIds
from deid_core.lake.notes.ledger import LedgerRow, ReaderFingerprint, without_lost_texts
from deid_core.lake.notes.pending import pending
from deid_core.lake.patients.withdrawn import _deleted_copies
from deid_core.lake.states import State
from deid_core.spark.convert_notes import _ledger_rows, _without_withdrawn
from deid_core.spark.deidentify_notes import _row_after
from deid_core.spark.spark_run import SparkRun

PAGE = Path(__file__).resolve().parents[3] / "docs/lake.md"
SECTION = PAGE.read_text(encoding="utf-8").split("## The state of a note\n")[1].split("\n### ")[0]
ROWS = [re.split(r"\s*\|\s*", line)[1:4] for line in SECTION.splitlines() if line.startswith("| ")][1:]
IDS = NoteIds(b"a key of the test" * 2)
PRINTS = ReaderFingerprint("notes", "refused")
RUN = cast(SparkRun, SimpleNamespace(run_id="r2", reader_fingerprint=PRINTS, ids=IDS, counts=Counter()))
NOW = datetime(2026, 1, 10, tzinfo=UTC)
STAT = SourceStat("n", b"/in/a.txt", "a.txt", 10, 20)
CHANGED = replace(STAT, size_bytes=11)
READ = {"outcome": "converted", "sha256": "new", "reason": None, "detail": None, "year": 2010, "year_source": "path"}
REFUSED = READ | {"outcome": "quarantined", "reason": Reason.CORRUPT, "detail": "", "year": None, "year_source": None}
FAILED = {"reason": Reason.LEAK, "detail": "header name letterhead"}

CONVERTED = LedgerRow("n", "a.txt", 10, 20, "hash", State.CONVERTED, "notes", "r", batch="b", year=2010)
WITHDRAWN = CONVERTED.withdrawn(IDS.file_key("hash"), run_id="r")
STATES = {
    "none": None,
    "`converted`": CONVERTED,
    "`quarantined`, read": CONVERTED.quarantined(Reason.ENGINE_TIMEOUT, "", run_id="r", pipeline="p"),
    "`quarantined`, not read": LedgerRow(
        "n", "a.txt", 10, 20, "hash", State.QUARANTINED, "refused", "r", Reason.EMPTY, ""
    ),
    "`deleted`": CONVERTED.deleted(run_id="r"),
    "`withdrawn`": WITHDRAWN,
}


def state_of(row: LedgerRow) -> str:
    read = ", read" if row.batch else ", not read"
    return f"`{row.state}`{read if row.state == State.QUARANTINED else ''}"


def plan_of(row: LedgerRow | None, *stats: SourceStat, **options: bool) -> Plan:
    return make_plan(stats, {row.note_id: row} if row else {}, PRINTS, now=NOW, **options)


def read(row: LedgerRow | None, found: Mapping[str, Any], stat: SourceStat = STAT, **options: bool) -> LedgerRow:
    plan = plan_of(row, stat, **options)
    [after] = _ledger_rows(RUN, plan, "b2", plan.to_read, {"n": dict(found)})
    return after


def read_when_changed(row: LedgerRow | None, found: Mapping[str, Any]) -> LedgerRow:
    """Return what becomes of a note that changed. The same must become of one when code or settings of reading did."""
    assert row is not None
    after = [read(row, found, CHANGED), read(replace(row, reader="older"), found)]
    assert len({state_of(each) for each in after}) == 1
    return after[0]


def engine(row: LedgerRow | None, found: Mapping[str, Any], *, retry: bool = True) -> LedgerRow:
    assert row is not None
    assert pending([row], set(), lambda note_id: "p", retry=retry, now=NOW) == [row]
    return _row_after(RUN, row, found, "p")


def copy_of_a_withdrawn_one(row: LedgerRow | None) -> LedgerRow:
    plan = plan_of(row, STAT)
    known = {**plan.known, "other": replace(WITHDRAWN, note_id="other")}
    rows = _ledger_rows(RUN, plan, "b2", plan.to_read, {"n": READ | {"sha256": "hash"}})
    [after] = _without_withdrawn(RUN, replace(plan, known=known), Path("nowhere"), rows)
    return after


def lost(row: LedgerRow | None) -> LedgerRow:
    assert row is not None
    return read(without_lost_texts({"n": row}, Lake.at(Path("nowhere")))["n"], READ, stat=replace(STAT, path=b"/"))


def gone(row: LedgerRow | None) -> LedgerRow:
    [row] = plan_of(row).gone
    return row.deleted(run_id="r2")


def patient_withdrawn(row: LedgerRow | None) -> LedgerRow:
    assert row is not None
    return row.withdrawn("key", run_id="r2")


def same_bytes_withdrawn(row: LedgerRow | None) -> LedgerRow:
    assert row is not None
    [copy] = _deleted_copies([replace(CONVERTED, note_id="other")], {"n": row})
    return patient_withdrawn(copy)


def left_alone(row: LedgerRow | None) -> LedgerRow:
    assert row is not None
    for plan in (plan_of(row), plan_of(row, STAT, retry=True), plan_of(row, CHANGED)):
        assert (plan.to_read, plan.gone) == ((), ())
    return row


EVENTS: dict[str, Callable[[LedgerRow | None], LedgerRow]] = {
    "it is in the source and is read": lambda row: read(row, READ),
    "it is in the source and cannot be read": lambda row: read(row, REFUSED),
    "it is in the source and has the bytes of a withdrawn note": copy_of_a_withdrawn_one,
    "the engine succeeds": lambda row: engine(row, READ, retry=False),
    "the engine fails, or the sweep finds a leak": lambda row: engine(row, FAILED, retry=False),
    "the engine succeeds: with `--retry`": lambda row: engine(row, READ),
    "the engine fails again": lambda row: engine(row, FAILED),
    "it is read: with `--retry`": lambda row: read(row, READ, retry=True),
    "it has changed, or the code or settings of reading have, and it is read": lambda row: read_when_changed(row, READ),
    "it has changed, or the code or settings of reading have, and it cannot be read": lambda row: read_when_changed(
        row, REFUSED
    ),
    "the folder of its raw text is lost, and it is read again": lost,
    "it is gone from the source": gone,
    "its patient is [withdrawn](#withdrawn-patients)": patient_withdrawn,
    "a note with the same bytes is withdrawn": same_bytes_withdrawn,
    "it is in the source, changed or not, or gone from it": left_alone,
}
"""By the event in the table, up to a condition that is tested elsewhere."""


def event_of(cell: str) -> str:
    return cell if cell in EVENTS else cell.split(",")[0]


def test_the_table_has_all_states_and_events() -> None:
    assert {state for states, _, _ in ROWS for state in states.split(" · ")} == STATES.keys()
    assert Counter(event_of(event) for _, event, _ in ROWS) == Counter(EVENTS.keys())


@pytest.mark.parametrize(("states", "event", "after"), ROWS)
def test_the_next_state_is_that_of_the_code(states: str, event: str, after: str) -> None:
    found = {state_of(EVENTS[event_of(event)](STATES[state])) for state in states.split(" · ")}
    assert found == {after}
