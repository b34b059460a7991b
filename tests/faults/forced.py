"""A run in which one stage fails with a message that quotes a name: `python forced.py STAGE run --input …`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.cli import main
from deid_core.lake.checks import audit_counts
from deid_core.lake.inputs import folder as input_folder
from deid_core.lake.notes.raw_notes import read_raw_notes
from deid_core.lake.runs import maintenance
from deid_core.lake.tables import lake_table
from deid_core.spark import convert_notes, deidentify_notes, engine_task
from deid_core.spark.task_base import without_message

CANARY = "Zqxkanariaaa"
STAGES: dict[str, tuple[Any, str]] = {
    "list": (input_folder.InputFolder, "list_notes"),
    "read": (convert_notes, "_outcomes"),
    "move": (convert_notes, "_move_in"),
    "ledger": (lake_table.LakeTable, "upsert"),
    "audit": (deidentify_notes, "write_audit"),
    "texts": (deidentify_notes, "write_texts"),
    "counts": (audit_counts, "_span_counts"),
    "maintenance": (maintenance, "remove_dead_files"),
}


def fail(*args: object, **kwargs: object) -> None:
    """Fail as every forced fault does."""
    raise ValueError(f"cannot handle {CANARY}: {args!r}")


class FailingEngine:
    """Replaces the engine's task. Executors get it by value."""

    def __init__(self, listing: str, *args: object) -> None:
        """Take the arguments of the engine's task."""
        self.listing = listing

    @without_message
    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Fail on the first batch with a message that quotes its texts."""
        for batch in batches:
            fail(list(read_raw_notes(pq.read_table(self.listing))))
            yield batch


if __name__ == "__main__":
    stage = sys.argv[1]
    if stage == "engine":
        engine_task.Deidentify = FailingEngine  # type: ignore[assignment,misc]
    elif stage in STAGES:
        getattr(*STAGES[stage])  # A function that no longer exists would force no fault.
        setattr(*STAGES[stage], fail)
    raise SystemExit(main(sys.argv[2:]))
