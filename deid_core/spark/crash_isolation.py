"""A task that Spark tries again works on its notes in a child process: a note that kills it costs no other note.

A note may take all memory, or make a library end the process. Spark tries its task again, a few times, and then the run
would fail, every night. So an attempt after the first has a child work on the notes, one after the other. If the child
dies, a new one goes on with the note that the former had begun, and a note at which two died is refused as `killed`.
Two, since the system may kill a process for the memory that another one takes. A first attempt costs nothing.

A few notes need no Spark: `run_alone` does a task of theirs in a child of the driver, and again in the same way if that
dies.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import pyarrow as pa

from deid_core.lake.tables.arrow_codec import record_batch

_Row = Mapping[str, Any]
_Note = TypeVar("_Note")
Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""A task of executors. Its input rows are chunk numbers (`id`)."""
_DEATHS = 2
_RAISED, _DONE = 113, 114
"""Exit codes of a child whose work raised an exception, and of one that did all. Libraries that end a process use
smaller numbers."""
_MEMORY_BYTES = 2 * 1024**3
"""What a child may take beyond what it has at its start, as much as a worker may take at all. Without a limit, a system
that ends a container as a whole would end the executor for a note that takes all memory."""
_SIZES = Path("/proc/self/statm")


_AGAIN: ContextVar[bool] = ContextVar("again", default=False)
"""Whether `run_alone` tries a task again."""


def is_repeated() -> bool:
    """Return whether a task is tried again: its process was killed, its executor was lost, or it was slow."""
    # A process without Spark needs no pyspark, which takes long to import.
    spark = sys.modules.get("pyspark")
    context = spark.TaskContext.get() if spark else None
    return _AGAIN.get() or (context is not None and context.attemptNumber() > 0)


def run_alone(task: Task, chunks: int, schema: pa.Schema) -> list[pa.RecordBatch]:
    """Return what a task makes of these chunks, without Spark: in a child of this process, then as a repeated task.

    schema: of the batches. Raises what the repeated task raises.
    """
    numbers = pa.RecordBatch.from_pydict({"id": list(range(chunks))})
    child = _in_a_child(lambda: task(iter([numbers])), schema)
    made = []
    try:
        while True:
            made.append(next(child))
    except StopIteration as end:
        if end.value == _DONE:
            return made
    finally:
        child.close()
    token = _AGAIN.set(True)
    try:
        return list(task(iter([numbers])))
    finally:
        _AGAIN.reset(token)


def in_children(
    notes: Iterable[_Note],
    work: Callable[[Sequence[_Note]], Iterable[_Row]],
    killed: Callable[[_Note], _Row],
    schema: pa.Schema,
) -> Iterator[pa.RecordBatch]:
    """Yield a batch of one row for each note, in their order.

    work: yields a row for each of its notes, in their order; runs in children. killed: returns the row of a note at
    which children died. A note at which `work` raises an exception is done once more in this process, which raises it.
    """
    left, deaths = deque(notes), 0
    while left:
        child = _in_a_child(partial(_one_by_one, list(left), work, schema), schema)
        code = 0
        try:
            while True:
                yield next(child)
                left.popleft()
                deaths = 0
        except StopIteration as end:
            code = end.value
        finally:
            child.close()
        if left and code == _RAISED:
            yield record_batch([*work([left.popleft()])], schema)
        elif left:
            deaths += 1
        if deaths == _DEATHS:
            yield record_batch([killed(left.popleft())], schema)
            deaths = 0


def _one_by_one(
    notes: Sequence[_Note], work: Callable[[Sequence[_Note]], Iterable[_Row]], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    return (record_batch([row], schema) for row in work(notes))


def _in_a_child(
    work: Callable[[], Iterable[pa.RecordBatch]], schema: pa.Schema
) -> Generator[pa.RecordBatch, None, int]:
    """Yield the batches that a child makes until it ends. Return its exit code, which is negative for a signal."""
    reading, writing = os.pipe()
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        # Of threads, whose locks the child would wait for. Arrow and numpy prepare theirs for this.
        child = os.fork()
    if not child:
        # Else the child would wait for a reader, itself, when this process was killed.
        os.close(reading)
        _work_and_exit(work, schema, writing)
    os.close(writing)
    code = None
    try:
        # A child that dies while it writes leaves half a batch.
        with os.fdopen(reading, "rb") as pipe, suppress(pa.ArrowInvalid, OSError):
            yield from pa.ipc.open_stream(pipe)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        if code is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return code


def _work_and_exit(work: Callable[[], Iterable[pa.RecordBatch]], schema: pa.Schema, writing: int) -> NoReturn:
    """End this process, a child, when it has written the batches."""
    code = _RAISED
    try:
        _limit_memory()
        with os.fdopen(writing, "wb") as pipe, pa.ipc.new_stream(pipe, schema) as stream:
            for batch in work():
                stream.write_batch(batch)
                pipe.flush()
        code = _DONE
    except MemoryError:
        os.kill(os.getpid(), signal.SIGKILL)
    finally:
        # Not `exit`: what the parent has open is not this process's to end.
        os._exit(code)


def _limit_memory() -> None:
    """Make what needs too much memory fail with a MemoryError, where the system says what is taken."""
    if _SIZES.exists():
        data = int(_SIZES.read_text().split()[5]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = data + _MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_DATA, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
