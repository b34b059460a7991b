"""Logs of long work on stderr: lines and a status line for people, JSON lines for machines.

Only fixed words, numbers and opaque ids get in: an event has a stage, a message that the code fixes, and counts. There
is no way to hand it a text of a note.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from tqdm import tqdm

_BAR = "{desc} {percentage:3.0f} % |{bar:16}| {elapsed}{postfix}"
_REDRAW_S = 0.5


class LogFormat(StrEnum):
    """How a line is written."""

    JSON = "json"
    TEXT = "text"


class Verbosity(IntEnum):
    """What is written. QUIET: warnings. NORMAL: results and progress too, as JSON each step. VERBOSE: everything."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


@dataclass(frozen=True, slots=True)
class LogStyle:
    """What a caller chose. form: None is text on a terminal and JSON lines elsewhere."""

    form: LogFormat | None = None
    verbosity: Verbosity = Verbosity.NORMAL


@contextmanager
def forward_log_records(tell: Callable[[str], None]) -> Iterator[None]:
    """Give `tell` the messages that the package logs with `logging` at level INFO: fixed words, as all of the log."""
    handler = logging.Handler()
    handler.emit = lambda record: tell(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("deid_core")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class RunLog:
    """Writes the events of one run. A context manager: leaving it removes the status line.

    JSON lines have the keys time, level, run_id, stage, message and one for each count. Text has a line for each event
    with the counts that are not zero; on a terminal the step at work, and how far it is, is a status line below them.
    """

    def __init__(self, run_id: str, stream: TextIO | None = None, style: LogStyle | None = None) -> None:
        """stream: where to; None is stderr."""
        style = style or LogStyle()
        self._run_id = run_id
        self._stream = sys.stderr if stream is None else stream
        terminal = self._stream.isatty()
        self._is_text = (style.form or (LogFormat.TEXT if terminal else LogFormat.JSON)) is LogFormat.TEXT
        self._verbosity = style.verbosity
        self._has_status = terminal and self._is_text and self._verbosity > Verbosity.QUIET
        self._status: tqdm[Any] | None = None
        self._steps: dict[str, str] = {}
        """The latest step of each stage."""
        self._records = forward_log_records(lambda message: self.event("start", message))

    def __enter__(self) -> RunLog:
        self._records.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._records.__exit__(None, None, None)
        self._clear()

    def event(self, stage: str, message: str, **counts: float) -> None:
        """Write a result, or something worth knowing. A count that is a float is rounded to milli-units."""
        if self._verbosity > Verbosity.QUIET:
            self._write("info", stage, message, counts)

    def warn(self, stage: str, message: str, **counts: float) -> None:
        """Write what somebody should look at, however quiet the log is."""
        self._write("warning", stage, message, counts)

    def step(self, stage: str, message: str, **counts: float) -> None:
        """Say what is done next. On a terminal it replaces the status line."""
        if self._verbosity is Verbosity.VERBOSE or (self._verbosity and not self._is_text):
            self._write("info", stage, message, counts)
        self._steps[stage] = message
        self.status(f"{stage}: {message}{_told(counts)}")

    def status(self, text: str) -> None:
        """Show on a terminal what is done now."""
        if self._has_status:
            self._show(text, None)

    def progress(self, stage: str, done: int, total: int, per_minute: int, seconds_left: int | None) -> None:
        """Say how far a stage is, in notes. seconds_left: None if that is not known."""
        left = "" if seconds_left is None else f"{_duration(seconds_left)} left, "
        told = f"{left}{done:,} of {total:,} notes" + (f", {per_minute:,} a minute" if done else "")
        if self._has_status:
            bar = self._show(f"{stage}: {self._steps.get(stage, 'at work')}", total)
            bar.set_postfix_str(told, refresh=False)
            bar.n = min(done, total)
            bar.refresh()
        elif self._is_text:
            self.event(stage, f"at work: {told}")
        else:
            left_s = {} if seconds_left is None else {"seconds_left": seconds_left}
            self.event(stage, "at work", notes_done=done, of=total, notes_per_minute=per_minute, **left_s)

    def interval_s(self, asked: float) -> float:
        """Return the seconds between two calls of `progress`. asked: for a log that is a file."""
        return min(_REDRAW_S, asked) if self._has_status else asked

    def _write(self, level: str, stage: str, message: str, counts: dict[str, float]) -> None:
        numbers = {name: round(value, 3) for name, value in counts.items()}
        if self._is_text:
            mark = "warning: " if level == "warning" else ""
            line = f"{datetime.now():%H:%M:%S} {stage}: {mark}{message}{_told(numbers)}"
        else:
            head = {"time": _now(), "level": level, "run_id": self._run_id, "stage": stage, "message": message}
            line = json.dumps(head | numbers, ensure_ascii=False)
        if self._status is not None:
            self._status.clear()
        print(line, file=self._stream, flush=True)
        if self._status is not None:
            self._status.refresh()

    def _show(self, text: str, total: int | None) -> tqdm[Any]:
        """Return the status line with this text, with a bar if there is a total."""
        from tqdm import tqdm

        if self._status is None or self._status.total != total or self._status.desc != text:
            self._clear()
            form = "{desc}" if total is None else _BAR
            self._status = tqdm(
                total=total, desc=text, bar_format=form, file=self._stream, leave=False, dynamic_ncols=True
            )
            # tqdm ends a description with a colon.
            self._status.desc = text
            self._status.refresh()
        return self._status

    def _clear(self) -> None:
        if self._status is not None:
            self._status.close()
            self._status = None


def _told(counts: dict[str, float]) -> str:
    """Return the counts that are not zero, for the end of a line."""
    told = ", ".join(f"{value:,} {name.replace('_', ' ').replace('.', ' ')}" for name, value in counts.items() if value)
    return f": {told}" if told else ""


def _duration(seconds: int) -> str:
    hours, minutes = divmod(-(-seconds // 60), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min" if seconds >= 60 else f"{seconds} s"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
