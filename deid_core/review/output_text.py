"""The text of a note in an output of the lake, and where in it what stands for each span lies."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow.compute as pc

from deid_core.core.errors import ConfigurationError
from deid_core.core.spans import Span
from deid_core.lake.inspection.show_note import BeforeAndAfter
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader

Ranges = tuple[tuple[int, int], ...]


def output_text(lake: Lake, note: BeforeAndAfter, policy: str) -> tuple[str, Ranges]:
    """Return the note's text in the output of a policy, and the ranges (start, end) in it, one for each span.

    Raises ConfigurationError if there is no such text, or it was made of other spans.
    """
    where = (pc.field("note_id") == note.note_id) & (pc.field("year") == note.year)
    texts = delta_reader.read(lake.output(policy), ["text"], where=where)["text"].to_pylist()
    ranges = output_ranges(note.before, note.spans, texts[0]) if texts else None
    if ranges is None:
        why = "was made of other spans" if texts else "is not there"
        raise ConfigurationError(f"{note.note_id}: its text of policy {policy} {why}; the next run makes it")
    return texts[0], ranges


def output_ranges(before: str, spans: Sequence[Span], text: str) -> Ranges | None:
    """Return the ranges in an output that stand for these spans; None if it is not of them.

    A policy leaves the text between spans as it is. A short piece of it, as a blank, may be found too early if what
    stands for a span has it too: then a border between two neighbours is wrong, and nothing else.
    """
    if not spans:
        return () if text == before else None
    ends = [span.start for span in spans[1:]] + [len(before)]
    between = [before[span.end : end] for span, end in zip(spans, ends, strict=True)]
    start = spans[0].start
    if text[:start] != before[:start]:
        return None
    ranges: list[tuple[int, int]] = []
    at = start
    for span, piece in zip(spans, between, strict=True):
        kept = before[span.start : span.end]
        if span is spans[-1]:
            found = len(text) - len(piece)
        elif text.startswith(kept + piece, at):
            # As a salutation that the policy keeps: it may have blanks of its own.
            found = at + len(kept)
        else:
            found = text.find(piece, at)
        if found < at or not text.startswith(piece, found):
            return None
        ranges.append((at, found))
        at = found + len(piece)
    return tuple(ranges)
