"""A run in which some notes kill the process that works on them: `python deadly.py WHERE run --input …`.

WHERE: `reader`, `engine` or `policy`. A note is deadly if its text has the word `tödlich`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from deid_core.cli import main
from deid_core.core.note import Note
from deid_core.pipeline import engine
from deid_core.policies.redaction import Redactor
from deid_core.readers import NoteReader
from deid_core.spark import engine_task, policy_task, reading_task

WORD = "tödlich"


@dataclass(frozen=True)
class Deadly:
    """Replaces a task. Executors get it by value, and change the reader, the engine or the policy of their process."""

    task: Any
    where: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield what the task yields, unless the process dies."""
        if self.where == "reader":
            read = NoteReader.read

            def deadly_read(reader: NoteReader, sources: Sequence[Any], content: Any) -> Iterator[Any]:
                # All of a call's files are read before the first is returned, as LibreOffice reads them.
                for source in sources:
                    if WORD in source.path.read_text(encoding="utf-8", errors="replace"):
                        os.kill(os.getpid(), signal.SIGKILL)
                return read(reader, sources, content)

            NoteReader.read = deadly_read  # type: ignore[method-assign]
        elif self.where == "policy":
            redact = Redactor.redact

            def deadly_redact(redactor: Redactor, text: str, *arguments: Any, **named: Any) -> Any:
                if WORD in text:
                    os.kill(os.getpid(), signal.SIGKILL)
                return redact(redactor, text, *arguments, **named)

            Redactor.redact = deadly_redact  # type: ignore[method-assign]
        else:
            normalised = engine.normalised

            def deadly_normalised(note: Note) -> Any:
                if WORD in note.text:
                    os.kill(os.getpid(), signal.SIGKILL)
                return normalised(note)

            engine.normalised = deadly_normalised
        return self.task(batches)  # type: ignore[no-any-return]


if __name__ == "__main__":
    where = sys.argv[1]
    module, name = {
        "reader": (reading_task, "ReadNotes"),
        "engine": (engine_task, "Deidentify"),
        "policy": (policy_task, "Redact"),
    }[where]
    task = getattr(module, name)
    setattr(module, name, lambda *arguments: Deadly(task(*arguments), where))
    raise SystemExit(main(sys.argv[2:]))
