"""What readers found in the notes of a sampling plan: what stays readable in each.

A review counts if it is of the very text that the plan was drawn with. What an adjudicator decided comes before what
readers marked. A note that changed or went before anybody read it counts as one with every leak: otherwise
mending a note would hide it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from deid_core.certify.bounds import StratumCount
from deid_core.certify.sampling_plan import SamplingPlan
from deid_core.core.labels import Label, PhiType
from deid_core.lake.notes.reviews import Review, ReviewRole

PATIENT, ANY = "patient", "any"
"""A patient's name, and anything that a reader marked. The other leaks are the labels."""
LEAKS = (PATIENT, ANY, *(str(label) for label in Label))


class NoteState(StrEnum):
    """What is known of a note of the plan."""

    READ = "read"
    UNREAD = "unread"
    DISPUTED = "disputed"
    """Two readers differ in what stays readable, and nobody has decided."""
    LOST = "lost"
    """Changed or gone before it was read."""


@dataclass(frozen=True, slots=True)
class NoteOutcome:
    """What is known of a note of the plan. readable: the leaks, of LEAKS, that a reader could read in it."""

    note_id: str
    year: int
    stratum: int
    state: NoteState
    readable: frozenset[str]
    readers: int = 0
    adjudicated: bool = False


def leaks_of(review: Review) -> frozenset[str]:
    """Return what of LEAKS a reader could read by the marks in the redacted text."""
    found = {str(mark.label) for mark in review.marks if mark.readable}
    found |= {PATIENT for mark in review.marks if mark.readable and mark.type is PhiType.PATIENT}
    return frozenset(found | ({ANY} if found else set()))


def reviews_of(reviews: Iterable[Review], texts: Mapping[str, str]) -> dict[str, list[Review]]:
    """Return the reviews of each note that are of its text. texts: SHA-256 of the redacted text by note_id."""
    found: defaultdict[str, list[Review]] = defaultdict(list)
    for review in reviews:
        if texts.get(review.note_id) == review.text_sha256:
            found[review.note_id].append(review)
    return found


def decided(reviews: Collection[Review]) -> Review | None:
    """Return the review that counts: the adjudicator's, else the first reader's; None without reviews."""
    adjudicated = [review for review in reviews if review.role is ReviewRole.ADJUDICATOR]
    return next(iter(adjudicated or reviews), None)


def outcomes(plan: SamplingPlan, reviews: Iterable[Review], now: Mapping[str, str]) -> list[NoteOutcome]:
    """Return what is known of each note of the plan. now: SHA-256 of the redacted texts of the lake by note_id."""
    of_note = reviews_of(reviews, {note.note_id: note.text_sha256 for note in plan.sample})
    found = []
    for note in plan.sample:
        given = of_note.get(note.note_id, [])
        readers = {review.reader for review in given if review.role is ReviewRole.READER}
        review = decided(given)
        readable, adjudicated = frozenset[str](), False
        if review is None:
            unchanged = now.get(note.note_id) == note.text_sha256
            state = NoteState.UNREAD if unchanged else NoteState.LOST
            readable = frozenset() if unchanged else frozenset(LEAKS)
        else:
            readable, adjudicated = leaks_of(review), review.role is ReviewRole.ADJUDICATOR
            differ = len({leaks_of(other) for other in given}) > 1
            state = NoteState.DISPUTED if differ and not adjudicated else NoteState.READ
        found.append(NoteOutcome(note.note_id, note.year, note.stratum, state, readable, len(readers), adjudicated))
    return found


def stratum_counts(plan: SamplingPlan, found: Iterable[NoteOutcome], leak: str) -> list[StratumCount]:
    """Return the strata of the plan with the notes in which something stays readable. leak: which of LEAKS."""
    leaking = [0] * len(plan.strata)
    for outcome in found:
        leaking[outcome.stratum] += leak in outcome.readable
    return [StratumCount(s.notes, s.drawn, count) for s, count in zip(plan.strata, leaking, strict=True)]
