"""A run in which one stage fails with a message that quotes a name: `python forced.py STAGE run --input …`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from deid_core.cli import main
from deid_core.lake import tables
from deid_core.spark import audit, convert, deidentify
from deid_core.spark import maintenance as upkeep
from deid_core.spark import tasks as worker

CANARY = "Zqxkanariaaa"
STAGES: dict[str, tuple[Any, str]] = {
    "list": (convert, "list_sources"),
    "read": (convert, "_outcomes"),
    "move": (convert, "_move_in"),
    "ledger": (tables.Table, "upsert"),
    "audit": (deidentify, "write_audit"),
    "texts": (deidentify, "write_texts"),
    "counts": (audit, "_counts"),
    "upkeep": (upkeep, "remove_dead_files"),
}


def fail(*args: object, **kwargs: object) -> None:
    """What every forced fault does."""
    raise ValueError(f"cannot handle {CANARY}: {args!r}")


class FailingEngine:
    """Stands for the engine's task; executors get it by value."""

    def __init__(self, *args: object) -> None:
        """Takes what the engine's task takes."""

    @worker._quiet
    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Fails on the first batch with a message that quotes its texts."""
        for batch in batches:
            fail(batch.to_pylist())
            yield batch


if __name__ == "__main__":
    stage = sys.argv[1]
    if stage == "engine":
        worker.Deidentify = FailingEngine  # type: ignore[assignment,misc]
    elif stage in STAGES:
        getattr(*STAGES[stage])  # What is not there any more would force no fault.
        setattr(*STAGES[stage], fail)
    raise SystemExit(main(sys.argv[2:]))
