"""A lake that was made without Spark: raw texts, removed spans, redacted texts, and names to look for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.lake.checks import audit_counts
from deid_core.lake.inspection.show_note import before_and_after
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ledger import LedgerRow
from deid_core.lake.notes.reviews import Review, append_review, text_sha256
from deid_core.lake.states import State
from deid_core.lake.tables.lake_table import Tables
from deid_core.lake.tables.task_schemas import STORED
from deid_core.review.marks import ReaderName, make_review, parsed_ranges

CANARY = "Zqxkanari"
READER = ReaderName("zqxreader")
YEARS = (2010, 2011)


def note_id(number: int) -> str:
    return f"{number:032x}"


def raw_text(number: int) -> str:
    """Return a letter. The sign before the name counts as one place, though scripts in browsers count two."""
    return f"🙂 Herr {CANARY}{number} kam am 3.4.2010.\nDiagnose: Morbus Weber.\n"


def name_range(number: int) -> tuple[int, int]:
    """Return where the patient's name stands."""
    return 7, 7 + len(f"{CANARY}{number}")


def review_lake(folder: Path, notes: int = 20, leaking: Collection[int] = ()) -> Lake:
    """Return a lake of so many notes of two years. Of those that leak the name was not removed, only dropped."""
    lake = Lake.at(folder / "lake")
    lake.prepare()
    tables = Tables(lake)
    tables.create()
    rows: dict[str, list[dict[str, object]]] = {"deidentified": [], "phi_audit": [], "detections": [], "dropped": []}
    ledger = []
    stored: dict[int, list[dict[str, object]]] = {year: [] for year in YEARS}
    for number in range(notes):
        year = YEARS[number % 2]
        key = {"note_id": note_id(number), "year": year}
        text = raw_text(number)
        start, end = name_range(number)
        row = LedgerRow(note_id(number), f"{CANARY}/{number}.doc", 1, 2, "", State.CONVERTED, "reader", "run")
        ledger.append(asdict(row) | {"batch": "b", "year": year, "year_source": "path"})
        stored[year].append({"note_id": note_id(number), "text": text})
        found = {"label": "PER", "type": "patient", "recogniser": "crf", "rule": "r", "score": 0.9}
        after = text if number in leaking else text.replace(text[start:end], "<PER>")
        patient = {"patient_key": "k" * 16, "patient_key_id": "k", "patient_source": "note"}
        made = {"batch": "b", "text": after, "tokens": 9, "fingerprint": "f" * 16, "run_id": "run"}
        rows["deidentified"].append(key | patient | made)
        if number in leaking:
            reason = {"start": start, "end": end, "reason": "stacking.drop_above", "run_id": "run"}
            rows["dropped"].append(key | found | reason)
        else:
            rows["phi_audit"].append(key | found | {"output_start": start, "output_end": start + len("<PER>")})
            rows["detections"].append(key | found | {"start": start, "end": end})
    tables.ledger.upsert(ledger)
    for name, of_table in rows.items():
        if of_table:
            getattr(tables, name).add(*of_table)
    for year, texts in stored.items():
        folder = lake.notes / f"year={year}" / "batch=b"
        folder.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(texts, schema=STORED), folder / "part-0.parquet")
    audit_counts.update(tables)
    tables.runs.add(
        {
            "run_id": "run",
            "started": datetime(2026, 3, 1, 1, tzinfo=UTC),
            "finished": datetime(2026, 3, 1, 2, tzinfo=UTC),
            "pipeline": "default",
            "fingerprint": "f" * 16,
            "reader": "r",
            "versions": {"deid": "0.5.0", "python": "3.11"},
            "counts": audit_counts.lake_totals(tables),
            "seconds": {"convert": 60.0},
            "tokens_per_second": 5.0,
        }
    )
    return lake


def read_note(
    lake: Lake, number: int, *kinds: str, reader: ReaderName = READER, output: str = "", seconds: int | None = None
) -> Review:
    """Store and return a review of a note in which the name is marked with these types, [] for none.

    output: the text of an output, if that was read. seconds: after a certain time; None is now.
    """
    start, end = name_range(number)
    note = before_and_after(lake, note_id(number))
    ranges = parsed_ranges([{"start": start, "end": end, "type": kind} for kind in kinds])
    review = make_review(note, ranges, reader, text_sha256(output) if output else "")
    if seconds is not None:
        stored = datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(seconds=seconds)
        review = replace(review, finished=stored.isoformat(timespec="seconds"))
    append_review(lake, review)
    return review
