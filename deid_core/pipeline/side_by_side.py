"""Takes the steps of several notes side by side: the first step of each note, then the second of each, and so on.

Each step has code and tables of its own. Note by note, every step finds that the others have driven these out of the
processor's caches; side by side, all notes but the first find them there.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TypeVar

_Result = TypeVar("_Result")
Work = Generator[None, None, _Result]
"""The work on one note: pauses after each step, and returns its result."""


def side_by_side(works: Iterable[Work[_Result]]) -> list[_Result]:
    """Take the steps of all notes side by side, and return their results in the order of the notes."""
    going = list(enumerate(works))
    results: dict[int, _Result] = {}
    while going:
        paused = []
        for number, work in going:
            try:
                next(work)
            except StopIteration as end:
                results[number] = end.value
            else:
                paused.append((number, work))
        going = paused
    return [results[number] for number in range(len(results))]


def finished(work: Work[_Result]) -> _Result:
    """Take all steps of one note, and return its result."""
    [result] = side_by_side([work])
    return result
