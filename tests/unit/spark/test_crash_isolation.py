"""A task that is tried again: which note kills the process, what the others get, and what is left of the children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyspark
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.pipeline.known_terms import KnownTerms
from deid_core.spark import engine_task
from deid_core.spark.crash_isolation import Task, in_children, is_repeated, run_alone

SCHEMA = pa.schema([("note", pa.int32()), ("made", pa.string())])
MANY_BYTES = 3 * 1024**3

Deaths = dict[int, Callable[[], object]]


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def work_on(deadly: Deaths) -> Callable[[Sequence[int]], Iterator[dict[str, Any]]]:
    def work(notes: Sequence[int]) -> Iterator[dict[str, Any]]:
        for note in notes:
            if note in deadly:
                deadly[note]()
            yield {"note": note, "made": "done"}

    return work


def made(notes: Sequence[int], deadly: Deaths) -> list[str]:
    """Return what became of each note, in their order; "killed" for a deadly one."""
    batches = list(in_children(notes, work_on(deadly), lambda note: {"note": note, "made": "killed"}, SCHEMA))
    assert [batch["note"].to_pylist() for batch in batches] == [[note] for note in notes]
    return [batch["made"][0].as_py() for batch in batches]


@given(st.integers(0, 7), st.data())
def test_any_number_of_deadly_notes_costs_only_themselves(notes: int, data: st.DataObject) -> None:
    deadly = data.draw(st.sets(st.integers(0, 7)))
    found = made(range(notes), dict.fromkeys(deadly, kill))
    assert found == ["killed" if note in deadly else "done" for note in range(notes)]


@pytest.mark.parametrize("code", [0, 1, 3])
def test_a_library_that_ends_the_process_is_a_deadly_note_whatever_its_exit_code(code: int) -> None:
    assert made(range(3), {1: lambda: os._exit(code)}) == ["done", "killed", "done"]


def test_a_process_that_dies_once_accuses_no_note(tmp_path: Path) -> None:
    """The system kills one for the memory that another takes."""
    mark = tmp_path / "died"

    def once() -> None:
        if not mark.exists():
            mark.touch()
            kill()

    assert made(range(3), {1: once}) == ["done"] * 3


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing limits the memory")
def test_a_note_that_takes_all_memory_ends_its_own_process_alone() -> None:
    assert made(range(3), {1: lambda: bytearray(MANY_BYTES)}) == ["done", "killed", "done"]


@pytest.fixture
def children() -> set[int]:
    """Return the processes that other tests began."""
    return {child.pid for child in psutil.Process().children()}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing limits the memory")
def test_an_engine_that_runs_out_of_memory_is_done_again_in_a_child() -> None:
    """No handler of a note's errors takes it for a fault of the program."""

    class Greedy:
        def deidentify(self, *_: object, **__: object) -> None:
            raise MemoryError

    row = {"note_id": "n", "year": 2010, "batch": "b", "text": "x", "source": "s", "sha256": "", "blocks": []}
    with pytest.raises(MemoryError):
        engine_task._deidentified(Greedy(), row, KnownTerms({}, {}))  # type: ignore[arg-type]


def test_an_error_of_a_child_is_raised_here(children: set[int]) -> None:
    def fail() -> None:
        raise ValueError("the disk is full")

    found = in_children(range(3), work_on({1: fail}), lambda note: {}, SCHEMA)
    assert next(found)["note"].to_pylist() == [0]
    with pytest.raises(ValueError, match="the disk is full"):
        next(found)
    assert {child.pid for child in psutil.Process().children()} == children


def test_a_child_ends_when_the_process_that_reads_it_was_killed() -> None:
    """Else it would keep its memory beside the next attempt, and wait to write for ever."""
    program = """
import os, signal, sys
import pyarrow as pa
from deid_core.spark.crash_isolation import in_children

def work(notes):
    print(os.getpid(), flush=True)
    for note in notes:
        yield {"made": "x" * 100_000}

next(in_children(range(1000), work, None, pa.schema([("made", pa.string())])))
os.kill(os.getpid(), signal.SIGKILL)
"""
    worker = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False)
    assert worker.returncode == -signal.SIGKILL
    child = int(worker.stdout)
    _, alive = psutil.wait_procs([psutil.Process(child)] if psutil.pid_exists(child) else [], timeout=30)
    assert not alive


def test_an_error_that_does_not_come_again_costs_nothing() -> None:
    here = os.getpid()

    def fail_there() -> None:
        if os.getpid() != here:
            raise ValueError

    assert made(range(3), {1: fail_there}) == ["done"] * 3


def test_a_reader_that_stops_leaves_no_process(children: set[int]) -> None:
    found = in_children(range(9), work_on({}), lambda note: {}, SCHEMA)
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert {child.pid for child in psutil.Process().children()} == children


NUMBERS = pa.schema([("id", pa.int64()), ("repeated", pa.bool_()), ("here", pa.bool_())])


def task(in_child: Callable[[], object], here: Callable[[], object] = lambda: None) -> Task:
    """Return a task that yields its chunk numbers, and then does something: in a child or in this process."""
    process = os.getpid()

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch["id"].to_pylist():
                row = {"id": number, "repeated": is_repeated(), "here": os.getpid() == process}
                yield pa.RecordBatch.from_pylist([row], NUMBERS)
            (here if os.getpid() == process else in_child)()

    return run


def test_a_task_without_spark_is_done_by_a_child(children: set[int]) -> None:
    found = pa.Table.from_batches(run_alone(task(lambda: None), 3, NUMBERS)).to_pylist()
    assert found == [{"id": number, "repeated": False, "here": False} for number in range(3)]
    assert {child.pid for child in psutil.Process().children()} == children


def fail() -> None:
    raise ValueError("the disk is full")


@pytest.mark.parametrize("in_child", [kill, fail, lambda: os._exit(0)])
def test_a_task_without_spark_that_dies_is_repeated_here(in_child: Callable[[], object]) -> None:
    """Also one that ends as if all were well, when it has returned a part."""
    found = pa.Table.from_batches(run_alone(task(in_child), 3, NUMBERS)).to_pylist()
    assert found == [{"id": number, "repeated": True, "here": True} for number in range(3)]
    assert not is_repeated()


def test_an_error_of_a_task_without_spark_is_raised(children: set[int]) -> None:
    with pytest.raises(ValueError, match="the disk is full"):
        run_alone(task(fail, fail), 3, NUMBERS)
    assert not is_repeated()
    assert {child.pid for child in psutil.Process().children()} == children


@dataclass(frozen=True)
class Context:
    """Stands for Spark's TaskContext."""

    attempt: int | None

    def get(self) -> Context | None:
        return None if self.attempt is None else self

    def attemptNumber(self) -> int | None:
        return self.attempt


@pytest.mark.parametrize(("attempt", "repeated"), [(None, False), (0, False), (1, True), (3, True)])
def test_which_tasks_are_repeated(monkeypatch: pytest.MonkeyPatch, attempt: int | None, repeated: bool) -> None:
    monkeypatch.setattr(pyspark, "TaskContext", Context(attempt))
    assert is_repeated() is repeated
