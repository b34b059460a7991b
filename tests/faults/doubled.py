"""A run whose tasks have two attempts, both of which end: `python doubled.py MARKS run --input …`. MARKS: a folder.

The first attempt of a task has its rows, and waits with them until the second one, which speculation started, has its
own. Then both write theirs at once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import TaskContext

from deid_core.cli import main
from deid_core.spark import engine_task, policy_task, reading_task

MARKS = sys.argv[1]
WAIT_S = 20
"""Of a task that Spark gives no second attempt, as the first one of several."""
Batches = Iterator[pa.RecordBatch]


def both_attempts(rows: list[pa.RecordBatch], marks: str) -> Batches:
    """Yield the rows when the other attempt has its own, too."""
    context = TaskContext.get()
    assert context is not None
    mark = Path(marks) / f"{context.stageId()}-{context.partitionId()}"
    if context.attemptNumber():
        mark.touch()
    # Other tasks have to end before Spark takes one for slow.
    elif not context.partitionId():
        deadline = time.monotonic() + WAIT_S
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
    yield from rows


def double(module: Any, name: str) -> None:
    """Replace a task that stages start by its name. Executors get the class of this script by value."""
    task: Any = getattr(module, name)
    marks = MARKS

    class Doubled(task):  # type: ignore[misc]
        def __call__(self, batches: Batches) -> Batches:
            return both_attempts(list(task.__call__(self, batches)), marks)

    setattr(module, name, Doubled)


if __name__ == "__main__":
    for place in ((reading_task, "ReadNotes"), (engine_task, "Deidentify"), (policy_task, "Redact")):
        double(*place)
    raise SystemExit(main(sys.argv[2:]))
