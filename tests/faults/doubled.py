"""A run whose tasks have two attempts, both of which end: `python doubled.py MARKS run --input …`. MARKS: a folder.

The first attempt of a task has its rows, and waits with them until the second one, which speculation started, has its
own. Then both write theirs at once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import TaskContext

from deid_core.cli import main
from deid_core.spark import tasks

MARKS = sys.argv[1]
WAIT_S = 20
"""Of a task that Spark gives no second attempt, as the first one of several."""
Batches = Iterator[pa.RecordBatch]


class Doubled:
    """Replaces a task. Executors get it by value."""

    def __init__(self, task: Callable[[Batches], Batches], marks: str) -> None:
        self.task, self.marks = task, marks

    def __call__(self, batches: Batches) -> Batches:
        """Yield what the task yields, when the other attempt has its rows, too."""
        rows = list(self.task(batches))
        context = TaskContext.get()
        assert context is not None
        mark = Path(self.marks) / f"{context.stageId()}-{context.partitionId()}"
        if context.attemptNumber():
            mark.touch()
        # Other tasks have to end before Spark takes one for slow.
        elif not context.partitionId():
            deadline = time.monotonic() + WAIT_S
            while not mark.exists() and time.monotonic() < deadline:
                time.sleep(0.01)
        yield from rows


def double(name: str) -> None:
    """Replace a task that stages start by its name."""
    task: Callable[..., Any] = getattr(tasks, name)
    setattr(tasks, name, lambda *arguments: Doubled(task(*arguments), MARKS))


if __name__ == "__main__":
    for task in ("ReadNotes", "Deidentify", "Redact"):
        double(task)
    raise SystemExit(main(sys.argv[2:]))
