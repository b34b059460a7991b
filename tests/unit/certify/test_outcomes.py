"""What counts of the reviews of a plan's notes."""

from __future__ import annotations

import pytest

pytest.importorskip("scipy", reason="needs the extra sign")

from deid_core.certify.outcomes import LEAKS, NoteOutcome, NoteState, outcomes, stratum_counts
from deid_core.certify.sampling_plan import PlannedNote, PlanStratum, SamplingPlan
from deid_core.core.labels import PhiType, label_of
from deid_core.lake.notes.reviews import Mark, Review, ReviewRole

PLAN = SamplingPlan(
    "seed",
    100,
    0,
    0.95,
    10,
    "0" * 64,
    0,
    (PlanStratum(2010, 2010, False, 10, 1),),
    (PlannedNote("n", 2010, 0, "text"),),
)
NOW = {"n": "text"}


def review(
    reader: str, *marks: tuple[PhiType, bool], text: str = "text", role: ReviewRole = ReviewRole.READER
) -> Review:
    made = (Mark(at, at + 1, label_of(phi), phi, readable) for at, (phi, readable) in enumerate(marks))
    return Review("n", reader, role, "raw", text, "2026-01-01T00:00:00+00:00", tuple(made))


def outcome(*reviews: Review, now: dict[str, str] | None = None) -> NoteOutcome:
    [found] = outcomes(PLAN, reviews, NOW if now is None else now)
    return found


SEEN, REMOVED, CLINICIAN = (PhiType.PATIENT, True), (PhiType.PATIENT, False), (PhiType.CLINICIAN, True)


def test_what_was_removed_is_no_leak() -> None:
    assert outcome(review("a", REMOVED)).readable == frozenset()
    assert outcome(review("a", REMOVED, SEEN)).readable == {"patient", "any", "PER"}
    assert outcome(review("a", CLINICIAN)).readable == {"any", "PER"}


def test_a_review_of_another_text_does_not_count() -> None:
    assert outcome(review("a", text="older")).state is NoteState.UNREAD


def test_a_note_that_changed_unread_counts_as_every_leak() -> None:
    for now in ({}, {"n": "mended"}):
        lost = outcome(now=now)
        assert (lost.state, lost.readable) == (NoteState.LOST, frozenset(LEAKS))
    # What was read before it changed counts as it was.
    assert outcome(review("a", SEEN), now={"n": "mended"}).readable == {"patient", "any", "PER"}
    assert outcome(review("a"), now={}).state is NoteState.READ


def test_two_readers() -> None:
    same = outcome(review("a", SEEN), review("b", REMOVED, SEEN))
    assert (same.state, same.readers) == (NoteState.READ, 2)
    differ = [review("a"), review("b", SEEN)]
    assert outcome(*differ).state is NoteState.DISPUTED
    decided = outcome(*differ, review("c", SEEN, role=ReviewRole.ADJUDICATOR))
    assert (decided.state, decided.readable, decided.adjudicated) == (NoteState.READ, {"patient", "any", "PER"}, True)


def test_counts_by_stratum() -> None:
    found = outcomes(PLAN, [review("a", CLINICIAN)], NOW)
    assert [stratum_counts(PLAN, found, leak)[0].leaking for leak in ("patient", "any", "PER", "LOC")] == [0, 1, 1, 0]
