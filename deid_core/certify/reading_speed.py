"""How fast readers read, from when they stored each note: the only sign of whether anybody read at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import pairwise

from deid_core.lake.notes.reviews import Review, ReviewRole

FASTEST = 700
"""Words a minute; who skims reads no more. With care one reads some 250."""
_PAUSE_S = 1800
"""A longer time between two notes is a pause."""


def words_a_minute(reviews: Iterable[Review], words: Mapping[str, int]) -> int | None:
    """Return how fast the fastest reader read; None if nobody stored two notes one after the other.

    words: of each note. A note counts from when the one before it was stored.
    """
    of_reader: defaultdict[str, list[tuple[datetime, int]]] = defaultdict(list)
    for review in reviews:
        if review.role is ReviewRole.READER:
            stored = datetime.fromisoformat(review.finished)
            of_reader[review.reader].append((stored, words.get(review.note_id, 0)))
    speeds = []
    for stored_notes in of_reader.values():
        between = [
            ((after - before).total_seconds(), count) for (before, _), (after, count) in pairwise(sorted(stored_notes))
        ]
        read = [(seconds, count) for seconds, count in between if seconds <= _PAUSE_S]
        if read:
            seconds = sum(seconds for seconds, _ in read)
            # Times are whole seconds.
            speeds.append(round(60 * sum(count for _, count in read) / max(seconds, 1)))
    return max(speeds, default=None)
