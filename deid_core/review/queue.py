"""Which notes are read, and in which order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import NamedTuple

from deid_core.lake.notes.reviews import Review, ReviewRole
from deid_core.review.doubt import NoteDoubt

MOST = 1000
"""Notes of a queue that no plan limits."""


class QueuedNote(NamedTuple):
    """A note to read. text_sha256: of the redacted text that a review must be of to count; None if any counts."""

    note_id: str
    text_sha256: str | None = None


def doubt_queue(doubts: Sequence[NoteDoubt]) -> list[QueuedNote]:
    """Return notes, the most doubtful first; of equally doubtful ones those of years with few notes."""
    of_year: defaultdict[int, int] = defaultdict(int)
    for note in doubts:
        of_year[note.year] += 1
    ordered = sorted(doubts, key=lambda note: (-note.points, of_year[note.year], note.note_id))
    return [QueuedNote(note.note_id) for note in ordered[:MOST]]


def random_queue(doubts: Iterable[NoteDoubt], seed: str) -> list[QueuedNote]:
    """Return notes at random, one of each year in turn. The same seed gives the same order."""
    by_year: defaultdict[int, list[str]] = defaultdict(list)
    for note in sorted(doubts, key=lambda note: sha256(f"{seed}\0{note.note_id}".encode()).digest()):
        by_year[note.year].append(note.note_id)
    turns = zip_longest(*(by_year[year] for year in sorted(by_year)))
    return [QueuedNote(note_id) for turn in turns for note_id in turn if note_id is not None][:MOST]


def disputed(reviews: Iterable[Review]) -> dict[str, tuple[Review, Review]]:
    """Return by note the reviews of two readers who differ, of the same text, where nobody has decided."""
    decided = {(r.note_id, r.raw_sha256) for r in reviews if r.role is ReviewRole.ADJUDICATOR}
    readers: defaultdict[tuple[str, str], list[Review]] = defaultdict(list)
    for review in reviews:
        if review.role is ReviewRole.READER:
            readers[review.note_id, review.raw_sha256].append(review)
    return {
        note_id: (first, second)
        for (note_id, raw), (first, *others) in readers.items()
        if (note_id, raw) not in decided
        for second in [next((other for other in others if other.places != first.places), None)]
        if second is not None
    }
