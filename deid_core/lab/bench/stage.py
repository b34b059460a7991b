"""What is measured: stages that handle the same notes again and again, in rounds; seconds, rates and ratios of them.

Knows nothing of what the stages do; `report.py` writes their figures down.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, process_time

from tqdm import tqdm

from deid_core.core.note import Note
from deid_core.text.vocabulary import Vocabulary

CPU, WALL = "CPU", "wall"


@dataclass(frozen=True, slots=True)
class Sample:
    """The notes that stages are measured on, and how many tokens they have."""

    notes: Sequence[Note]
    tokens: int

    @staticmethod
    def of(notes: Sequence[Note]) -> Sample:
        """The sample of these notes."""
        vocabulary = Vocabulary()
        return Sample(notes, sum(len(vocabulary.tokenise(note.text)) for note in notes))

    @property
    def texts(self) -> list[str]:
        """The notes' texts."""
        return [note.text for note in self.notes]

    def first(self, count: int) -> Sample:
        """The first notes alone, for stages that take long."""
        return Sample.of(self.notes[:count])


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, minimum and maximum over the runs."""

    median: float
    low: float
    high: float

    @staticmethod
    def of(values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return Spread(median(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Stage:
    """Something to measure.

    once: handles all notes of the sample once and returns the seconds it took, by `clock`: CPU or WALL.
    limit: the name of a stage that does only what this one cannot do without, "" if there is none.
    instead_of: the names of our stages that this one would stand in for; empty for our own stages.
    seconds: of each counted run.
    """

    name: str
    sample: Sample
    once: Callable[[], float]
    clock: str = CPU
    limit: str = ""
    instead_of: tuple[str, ...] = ()
    seconds: list[float] = field(default_factory=list)

    def rates(self) -> list[float]:
        """Tokens per second of each counted run."""
        return [self.sample.tokens / seconds for seconds in self.seconds]


@dataclass(frozen=True, slots=True)
class Stages:
    """Stages of one subject, and one line for each that had to be left out, with the reason."""

    stages: list[Stage] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def __add__(self, other: Stages) -> Stages:
        return Stages(self.stages + other.stages, self.left_out + other.left_out)


def cpu(work: Callable[[], object]) -> Callable[[], float]:
    """`work` as a stage's `once`, measured in CPU seconds of this process."""
    return _timed(work, process_time)


def wall(work: Callable[[], object]) -> Callable[[], float]:
    """`work` as a stage's `once`, measured in wall-clock seconds."""
    return _timed(work, perf_counter)


def _timed(work: Callable[[], object], clock: Callable[[], float]) -> Callable[[], float]:
    def once() -> float:
        start = clock()
        work()
        return clock() - start

    return once


def measure(stages: Sequence[Stage], runs: int) -> None:
    """Runs all stages in turn, once to warm up and `runs` times counted; a progress bar on a terminal."""
    for number in tqdm(range(runs + 1), desc="rounds", disable=not sys.stderr.isatty()):
        for stage in stages:
            seconds = stage.once()
            if number:
                stage.seconds.append(seconds)


def times_as_fast(ours: Stage, theirs: Stage) -> Spread:
    """How many times as fast `ours` is, round by round; both were measured in the same rounds.

    Raises ValueError if they were measured by different clocks or not equally often.
    """
    if ours.clock != theirs.clock:
        raise ValueError(f"{ours.name} and {theirs.name} were measured by different clocks")
    return Spread.of([a / b for a, b in zip(ours.rates(), theirs.rates(), strict=True)])
