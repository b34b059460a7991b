"""Third stage: how much was removed per year, label and recogniser, for the auditor.

The counts' commit says from which versions of the clean tables they were made; they are made again when these differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deid_core.lake import delta_reader
from deid_core.spark.run_context import Run

_KEY = ("label", "recogniser")


def audit(run: Run) -> None:
    """Brings clean/phi_counts up to the clean tables; commits nothing if it is."""
    made_from = {
        "deidentified": delta_reader.version(run.lake.deidentified),
        "phi_audit": delta_reader.version(run.lake.phi_audit),
    }
    if made_from["deidentified"] < 0 or delta_reader.commit_note(run.lake.phi_counts).get("made_from") == made_from:
        return
    run.describe("audit", "counting removed spans per year, label and recogniser")
    tokens = _tokens(run)
    rows = [row for year in sorted(tokens) for row in _counts(run, year, tokens[year])]
    counts = run.tables.phi_counts
    counts.overwrite(pa.Table.from_pylist(rows, schema=counts.columns), {"made_from": made_from})


def _tokens(run: Run) -> Counter[int]:
    """Tokens of all notes of a year, before redaction."""
    notes = delta_reader.read(run.lake.deidentified, ["year", "tokens"])
    sums = notes.group_by("year").aggregate([("tokens", "sum")]).to_pylist()
    return Counter({row["year"]: row["tokens_sum"] for row in sums})


def _counts(run: Run, year: int, tokens: int) -> Iterator[dict[str, Any]]:
    """The rows of a year, by label and recogniser; a year has some two million spans, few enough for this process."""
    spans = delta_reader.read(run.lake.phi_audit, ["note_id", *_KEY], where=pc.field("year") == year)
    a_note = spans.group_by(["note_id", *_KEY]).aggregate([([], "count_all")])
    sums = a_note.group_by(list(_KEY)).aggregate([([], "count_all"), ("count_all", "sum")])
    ordered = sums.rename_columns([*_KEY, "notes", "spans"]).sort_by([(name, "ascending") for name in _KEY])
    for row in ordered.to_pylist():
        rate = round(1000 * row["spans"] / tokens, 3) if tokens else 0.0
        yield {"year": year, "tokens": tokens, "per_1000_tokens": rate} | row
