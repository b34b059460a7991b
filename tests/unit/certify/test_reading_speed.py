"""How fast readers read, computed by hand."""

from __future__ import annotations

import pytest

from deid_core.certify.reading_speed import words_a_minute
from deid_core.lake.notes.reviews import Review, ReviewRole

WORDS = {"a": 500, "b": 250, "c": 1000}


def review(note: str, time: str, reader: str = "anna", role: ReviewRole = ReviewRole.READER) -> Review:
    return Review(note, reader, role, "r", "t", f"2026-03-01T{time}+00:00", ())


@pytest.mark.parametrize(
    ("reviews", "expected"),
    [
        ([], None),
        ([review("a", "10:00:00")], None),
        ([review("a", "10:00:00"), review("b", "10:01:00"), review("c", "10:05:00")], 250),
        # The order in which they were stored, and a pause.
        ([review("b", "10:01:00"), review("a", "10:00:00"), review("c", "11:05:00")], 250),
        # Within the same second.
        ([review("a", "10:00:00"), review("b", "10:00:00"), review("c", "10:00:00")], 90_000),
        # The fastest of two, and nobody who decides.
        ([review("a", "10:00:00"), review("b", "10:01:00"), review("a", "10:00:00", "ben"),
          review("c", "10:01:00", "ben")], 1000),
        ([review("a", "10:00:00", role=ReviewRole.ADJUDICATOR),
          review("b", "10:00:01", role=ReviewRole.ADJUDICATOR)], None),
    ],
)  # fmt: skip
def test_words_a_minute(reviews: list[Review], expected: int | None) -> None:
    assert words_a_minute(reviews, WORDS) == expected
