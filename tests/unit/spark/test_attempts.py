"""Attempts of a task after a process was killed: which note did it, and what the others cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyspark
import pytest

from deid_core.spark.attempts import Attempt


@dataclass(frozen=True)
class Context:
    """Stands for Spark's TaskContext."""

    attempt: int
    stage: int = 3
    partition: int = 7

    def get(self) -> Context:
        return self

    def attemptNumber(self) -> int:
        return self.attempt

    def stageId(self) -> int:
        return self.stage

    def partitionId(self) -> int:
        return self.partition


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "attempts"


def attempt(folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, **task: int) -> Attempt:
    monkeypatch.setattr(pyspark, "TaskContext", Context(number, **task))
    return Attempt.of_this_task(str(folder))


def test_a_first_attempt_writes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = attempt(folder, monkeypatch, 0)
    first.begin("a")
    first.end()
    assert first.is_first
    assert not folder.exists()


def test_a_note_that_killed_an_attempt_is_refused_in_the_next_ones(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = attempt(folder, monkeypatch, 1)
    for note in "ab":
        second.begin(note)
    third = attempt(folder, monkeypatch, 2)
    assert third.begin("a")
    assert not third.begin("b")
    assert third.begin("c")
    assert attempt(folder, monkeypatch, 3).deadly == {"b", "c"}


def test_a_process_that_dies_between_notes_accuses_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    second = attempt(folder, monkeypatch, 1)
    second.begin("a")
    second.end()
    assert attempt(folder, monkeypatch, 2).deadly == frozenset()


@pytest.mark.parametrize("other", [{"stage": 4}, {"partition": 8}])
def test_tasks_are_told_apart(folder: Path, monkeypatch: pytest.MonkeyPatch, other: dict[str, int]) -> None:
    attempt(folder, monkeypatch, 1).begin("a")
    assert attempt(folder, monkeypatch, 2, **other).deadly == frozenset()


def test_without_spark_there_is_one_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoContext:
        @staticmethod
        def get() -> None:
            return None

    monkeypatch.setattr(pyspark, "TaskContext", NoContext)
    assert Attempt.of_this_task("/nowhere").is_first
