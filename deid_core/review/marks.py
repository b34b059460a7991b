"""Make a review of what a reader marked in a note, after a check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NamedTuple

from deid_core.core.labels import PhiType, label_of
from deid_core.core.uncovered_text import covered_characters, is_legible
from deid_core.lake.inspection.show_note import BeforeAndAfter
from deid_core.lake.notes.reviews import Mark, Review, ReviewRole, text_sha256


class MarkedRange(NamedTuple):
    """A range [start, end) of the raw text and its type."""

    start: int
    end: int
    type: PhiType


class ReaderName(NamedTuple):
    """Who reads, and as what."""

    name: str
    role: ReviewRole = ReviewRole.READER


def parsed_ranges(given: Iterable[Mapping[str, Any]]) -> list[MarkedRange]:
    """Return the ranges of JSON objects with `start`, `end` and `type`. Raises ValueError if one is no range."""
    try:
        ranges = [MarkedRange(item["start"], item["end"], PhiType(item["type"])) for item in given]
    except (KeyError, TypeError, ValueError):
        raise ValueError("a mark needs start, end and a known type") from None
    if not all(type(place) is int for found in ranges for place in found[:2]):
        raise ValueError("start and end are whole numbers")
    return ranges


def make_review(
    note: BeforeAndAfter, ranges: Iterable[MarkedRange], reader: ReaderName, output_sha256: str = ""
) -> Review:
    """Return the review of a note, finished now. output_sha256: of the text of an output, if that was read.

    Raises ValueError if ranges overlap or lie outside of the raw text.
    """
    ordered = sorted(ranges)
    if any(first.end > second.start for first, second in pairwise(ordered)):
        raise ValueError("marks overlap")
    if any(not 0 <= found.start < found.end <= len(note.before) for found in ordered):
        raise ValueError("a mark lies outside of the text")
    covered = covered_characters(note.before, note.spans)
    return Review(
        note_id=note.note_id,
        reader=reader.name,
        role=reader.role,
        raw_sha256=text_sha256(note.before),
        text_sha256=text_sha256(note.after),
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        marks=tuple(
            Mark(found.start, found.end, label_of(found.type), found.type, is_legible(note.before, found, covered))
            for found in ordered
        ),
        output_sha256=output_sha256,
    )
