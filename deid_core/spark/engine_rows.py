"""Run the engine over several rows at once, and make rows of its spans: for engine_task.py and column_task.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from deid_core.core.note import Note
from deid_core.core.spans import Span
from deid_core.pipeline.engine import Deidentified, Engine
from deid_core.pipeline.known_terms import Term
from deid_core.policies.redaction import Redactor
from deid_core.spark.task_base import Row, parts

_TOGETHER_CHARS = 100_000
"""Characters of text that the engine reads at once, some twenty notes. More would hardly be faster, and the notes
together have the time limit of one."""
Given = tuple[Note, str, Sequence[Term]]
"""What the engine is given of a row: a note, its patient, and what is known of its people."""


def read_together(
    engine: Engine, rows: Iterable[Row], given: Callable[[Row], Given], redactor: Redactor | None = None
) -> Iterator[tuple[Row, Deidentified | None]]:
    """Yield each row with the result of its note; None if the note has to be read alone, which tells what is wrong."""
    for part in parts(rows, _TOGETHER_CHARS):
        # Of a part only the last text may be so long.
        together = [row for row in part if len(row["text"]) < _TOGETHER_CHARS]
        yield from zip_longest(part, _done_together(engine, together, given, redactor))


def _done_together(
    engine: Engine, rows: Sequence[Row], given: Callable[[Row], Given], redactor: Redactor | None
) -> list[Deidentified]:
    """Return the results of the rows' notes, none if one of them failed."""
    if len(rows) < 2:
        return []
    try:
        notes = [given(row) for row in rows]
    except Exception:
        # A row makes no note, which is reported there.
        return []
    return engine.deidentify_all(notes, redactor) or []


def span_rows(spans: Iterable[Span], outputs: Iterable[tuple[int, int]]) -> list[tuple[Any, ...]]:
    """Return the spans with the places of what stands for them, in the order of task_schemas.SPAN."""
    return [
        (s.start, s.end, *output, s.label, s.type, s.recogniser, s.rule, s.score)
        for s, output in zip(spans, outputs, strict=True)
    ]
