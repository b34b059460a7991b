"""Work is interrupted by its CPU time, and nothing is left of the timer."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from deid_core.core.interrupt import interrupted_at


@pytest.fixture(autouse=True)
def _timer_is_gone() -> Iterator[None]:
    yield
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def burn(seconds: float) -> None:
    """Use so much CPU time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_work_is_interrupted_and_the_handler_is_removed() -> None:
    with pytest.raises(TimeoutError), interrupted_at(time.thread_time() + 0.01):
        burn(60)
    assert signal.getsignal(signal.SIGVTALRM) is signal.SIG_DFL
    burn(0.05)


def test_work_that_ends_in_time_is_left_alone() -> None:
    with interrupted_at(time.thread_time() + 60):
        burn(0.001)
    assert signal.getsignal(signal.SIGVTALRM) is signal.SIG_DFL


def test_the_time_of_other_threads_does_not_count() -> None:
    """The timer counts the whole process."""
    other = threading.Thread(target=burn, args=(0.1,))
    with interrupted_at(time.thread_time() + 0.05):
        other.start()
        other.join()


def test_an_error_that_was_caught_comes_again() -> None:
    with pytest.raises(TimeoutError), interrupted_at(time.thread_time() + 0.01):
        with suppress(OSError):
            burn(60)
        burn(60)


def test_an_expression_is_interrupted() -> None:
    import re

    with pytest.raises(TimeoutError), interrupted_at(time.thread_time() + 0.01):
        re.match(r"(?:a|a)*b", "a" * 40)


def test_a_handler_of_the_program_stays() -> None:
    signal.signal(signal.SIGVTALRM, signal.SIG_IGN)
    try:
        with interrupted_at(time.thread_time() + 0.01):
            burn(0.05)
        assert signal.getsignal(signal.SIGVTALRM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)


def test_another_thread_is_not_interrupted() -> None:
    ended = []

    def work() -> None:
        with interrupted_at(time.thread_time() + 0.01):
            burn(0.05)
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended
