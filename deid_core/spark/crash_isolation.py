"""A task that Spark tries again works on its notes in a child process: a note that kills it costs no other note.

A note may take all memory, or make a library end the process. Spark tries its task again, a few times, and then the run
would fail, every night. So an attempt after the first has a child work on the notes, one after the other. If the child
dies, a new one goes on with the note that the former had begun, and a note at which two died is refused as `killed`.
Two, since the system may kill a process for the memory that another one takes. A first attempt costs nothing.
"""

from __future__ import annotations

import os
import resource
import signal
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import pyarrow as pa

from deid_core.lake.arrow_codec import record_batch

_Row = Mapping[str, Any]
_Note = TypeVar("_Note")
_DEATHS = 2
_RAISED = 113
"""Exit code of a child whose work raised an exception. Libraries that end a process use smaller numbers."""
_MEMORY_BYTES = 2 * 1024**3
"""What a child may take beyond what it has at its start, as much as a worker may take at all. Without a limit, a system
that ends a container as a whole would end the executor for a note that takes all memory."""
_SIZES = Path("/proc/self/statm")


def is_repeated() -> bool:
    """Return whether Spark tries this task again: its process was killed, its executor was lost, or it was slow."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context is not None and context.attemptNumber() > 0


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
        child = _in_a_child(list(left), work, schema)
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


def _in_a_child(
    notes: Sequence[_Note], work: Callable[[Sequence[_Note]], Iterable[_Row]], schema: pa.Schema
) -> Generator[pa.RecordBatch, None, int]:
    """Yield the batches that a child makes until it ends. Return its exit code, which is negative for a signal."""
    reading, writing = os.pipe()
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        # Of threads, whose locks the child would wait for. Arrow and numpy prepare theirs for this.
        child = os.fork()
    if not child:
        # Else the child would wait for a reader, itself, when this process was killed.
        os.close(reading)
        _work_and_exit(notes, work, schema, writing)
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


def _work_and_exit(
    notes: Sequence[_Note], work: Callable[[Sequence[_Note]], Iterable[_Row]], schema: pa.Schema, writing: int
) -> NoReturn:
    """End this process, a child, when it has written the batches."""
    code = _RAISED
    try:
        _limit_memory()
        with os.fdopen(writing, "wb") as pipe, pa.ipc.new_stream(pipe, schema) as stream:
            for row in work(notes):
                stream.write_batch(record_batch([row], schema))
                pipe.flush()
        code = 0
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
