"""The steps of one note in the engine: their names for errors, their time limits, and what a failure becomes."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, thread_time
from types import TracebackType

from deid_core.core.errors import NoteError, Reason, place_of


class NoteSteps:
    """The steps of one note: `with steps.named("resolve"): …` raises NoteError for whatever goes wrong within.

    A rule that is skipped would leak, so no failure is passed over. Both deadlines are checked after each step; of one
    that does not end see `Engine._limited`.
    """

    __slots__ = ("_deadline", "_in_time_until", "_on_failure", "cpu_deadline", "name")

    def __init__(self, cpu_limit_s: float, wall_limit_s: float, on_failure: Callable[[], None]) -> None:
        """The note's time begins now.

        cpu_limit_s: of this thread, since a busy machine is no fault of the note. on_failure: gives up what a step that
        failed may have left half changed.
        """
        now = monotonic()
        self._deadline = now + wall_limit_s
        # A thread uses no more CPU time than time goes by. Until then its clock, a system call, need not be asked.
        self._in_time_until = now + min(cpu_limit_s, wall_limit_s)
        self.cpu_deadline = thread_time() + cpu_limit_s
        self._on_failure = on_failure
        self.name = ""

    def named(self, name: str) -> NoteSteps:
        """Name the step that begins; errors tell this name."""
        self.name = name
        return self

    def __enter__(self) -> None:
        """Enter the step."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            now = monotonic()
            if now > self._in_time_until and (now > self._deadline or thread_time() > self.cpu_deadline):
                raise NoteError(Reason.ENGINE_TIMEOUT, self.name)
            return
        if isinstance(error, NoteError) or not isinstance(error, Exception):
            return
        # Out of memory, or interrupted.
        self._on_failure()
        if isinstance(error, TimeoutError):
            raise NoteError(Reason.ENGINE_TIMEOUT, self.name) from None
        raise NoteError(Reason.INTERNAL, f"{self.name}: {place_of(error)}") from None
