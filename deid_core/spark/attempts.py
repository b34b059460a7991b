"""Which note killed the process that worked on it: the next attempt of the task leaves it out, and the others are done.

A note may take all memory, or make a library end the process. Spark then tries the task again, a few times, and the run
would fail, every night. So an attempt after the first writes down each note before it begins with it. If it dies, the
note that it had begun is known to later attempts. A first attempt writes nothing and costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt of a task.

    note: the file with the id of the note in work; None in the first attempt. deadly: ids of the notes that earlier
    attempts had begun and not ended.
    """

    note: Path | None = None
    deadly: frozenset[str] = frozenset()

    @staticmethod
    def of_this_task(folder: str) -> Attempt:
        """Return the attempt that runs in this process. folder: seen by all executors, of this run alone."""
        from pyspark import TaskContext

        context = TaskContext.get()
        number = context.attemptNumber() if context else 0
        if not context or not number:
            return Attempt()
        task = f"{context.stageId()}-{context.partitionId()}"
        files = [Path(folder, f"{task}-{attempt}") for attempt in range(1, number + 1)]
        files[-1].parent.mkdir(parents=True, exist_ok=True)
        return Attempt(files[-1], frozenset(file.read_text() for file in files[:-1] if file.exists()))

    @property
    def is_first(self) -> bool:
        """Whether it may take notes together, as no process was killed."""
        return self.note is None

    def begin(self, note_id: str) -> bool:
        """Write down that the note's turn has come. Return False if it killed an earlier attempt: leave it out then."""
        if note_id in self.deadly:
            return False
        if self.note is not None:
            self.note.write_text(note_id)
        return True

    def end(self) -> None:
        """Say that no note is in work: whatever ends the process now is no note's fault."""
        if self.note is not None:
            self.note.unlink(missing_ok=True)
