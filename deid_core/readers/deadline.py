"""The time that reading one file may take. Readers ask at short intervals, so the limit holds inside a file."""

from __future__ import annotations

from time import thread_time

from deid_core.core.errors import NoteError, Reason

_CALLS = 16
"""Calls of `check` for each look at the clock, which takes as long as reading a word."""


class Deadline:
    """Ends the reading of one file after so much CPU time. A busy machine does not make a good file bad."""

    def __init__(self, limit_s: float) -> None:
        """Start the clock. limit_s: the setting reading.file_time_limit_s."""
        self._limit_s = limit_s
        self._end = thread_time() + limit_s
        self._calls = 0

    def check(self) -> None:
        """Raise NoteError TIMEOUT if the time is over. Work between two calls must be bounded and linear."""
        self._calls += 1
        if not self._calls % _CALLS and thread_time() > self._end:
            raise NoteError(Reason.TIMEOUT, f"over {self._limit_s:g} s, limit file_time_limit_s")
