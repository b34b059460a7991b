"""Interrupts work that has used its CPU time, also where it never looks at a clock."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time
from types import FrameType

_MIN_S = 0.001
"""A timer of 0 s would be none."""
_AGAIN_S = 1.0
"""The block is interrupted again after so much time, since somebody in it may have caught the first error."""


class _Interrupt:
    """The handler of the timer's signal. The timer counts all threads of the process, the deadline this one alone."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def start(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, max(self._deadline - thread_time(), _MIN_S))

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if thread_time() < self._deadline:
            self.start()
            return
        signal.setitimer(signal.ITIMER_VIRTUAL, _AGAIN_S)
        raise TimeoutError


@contextmanager
def interrupted_at(deadline: float) -> Iterator[None]:
    """Raise TimeoutError within the block when this thread's CPU time passes the deadline, on the clock `thread_time`.

    It may be raised anywhere in Python code and in expressions of `re`, so what the block was changing is half changed.
    Compiled code goes on until it returns. In a thread other than the main one, and in a program that uses SIGVTALRM
    itself, nothing is interrupted: Python handles signals in the main thread alone.
    """
    if math.isinf(deadline) or threading.current_thread() is not threading.main_thread() or not _is_free():
        yield
        return
    interrupt = _Interrupt(deadline)
    signal.signal(signal.SIGVTALRM, interrupt)
    try:
        interrupt.start()
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)


def _is_free() -> bool:
    """Return whether nobody else handles the signal. A handler of ours stays if it interrupted its own removal."""
    handler = signal.getsignal(signal.SIGVTALRM)
    return handler is signal.SIG_DFL or isinstance(handler, _Interrupt)
