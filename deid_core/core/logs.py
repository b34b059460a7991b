"""Logs of long work: JSON lines on stderr, plain lines on a terminal. Only fixed words, numbers and opaque ids get in.

An event has a stage, a message that the code fixes, and counts; there is no way to hand it a text of a note.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TextIO


class RunLog:
    """Writes the events of one run.

    stream: where to; a terminal gets plain lines, anything else JSON lines with the keys time, level, run_id, stage,
    message and one for each count.
    """

    def __init__(self, run_id: str, stream: TextIO | None = None) -> None:
        self._run_id = run_id
        self._stream = sys.stderr if stream is None else stream
        self.interactive = self._stream.isatty()

    def event(self, stage: str, message: str, **counts: float) -> None:
        """Writes one line; a count that is a float is rounded to milli-units."""
        numbers = {name: round(value, 3) for name, value in counts.items()}
        if self.interactive:
            told = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in numbers.items())
            line = f"{stage}: {message}" + (f" ({told})" if told else "")
        else:
            head = {"time": _now(), "level": "info", "run_id": self._run_id, "stage": stage, "message": message}
            line = json.dumps(head | numbers, ensure_ascii=False)
        print(line, file=self._stream, flush=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
