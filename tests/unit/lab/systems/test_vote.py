"""System `vote`: members by majority and stacked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

pytest.importorskip("sklearn")

from deid_core.lab.systems.settings import VoteSettings
from deid_core.lab.systems.vote import Vote, majority, train_vote

NOTE = Note("n", "Herr Anna Berta kam nach Ulm am Montag")
GOLD = (GoldSpan(5, 15, Label.PER, PhiType.PATIENT), GoldSpan(25, 28, Label.LOC, PhiType.TOWN))


class Fixed:
    """Always gives the same spans."""

    def __init__(self, *places: tuple[int, int, Label, PhiType]) -> None:
        self._spans = tuple(Span(*place, "fixed", "x") for place in places)
        self._vocabulary = Vocabulary()

    def document(self, note: Note) -> Document:
        return Document(note, self._vocabulary.tokenise(note.text), self._vocabulary)

    def annotate(self, note: Note) -> tuple[Span, ...]:
        return self._spans if note is NOTE else ()


MEMBERS = {
    "first": Fixed((5, 9, Label.PER, PhiType.PATIENT)),
    "second": Fixed((5, 15, Label.PER, PhiType.PATIENT), (32, 38, Label.DATE, PhiType.DATE)),
    "third": Fixed((5, 15, Label.PER, PhiType.CLINICIAN), (25, 28, Label.LOC, PhiType.TOWN)),
}


def settings(method: str, *members: str) -> VoteSettings:
    return VoteSettings.model_validate({"letters": [], "members": [*(members or MEMBERS)], "method": method})


def found(vote: Vote) -> list[tuple[int, int, PhiType]]:
    return [(span.start, span.end, span.type) for span in vote.annotate(NOTE)]


def test_most_members_decide_and_of_equals_the_earlier_one() -> None:
    codes = np.array([[1, 1, 0], [2, 2, 3], [2, 3, 3]])
    assert majority(codes).tolist() == [2, 1, 3]


def test_a_majority_of_members_and_its_files(tmp_path: Path) -> None:
    vote = train_vote(settings("majority"), [], MEMBERS.__getitem__)
    # Of "Berta" each member says something else, so the first one, which says nothing, decides.
    assert found(vote) == [(5, 9, PhiType.PATIENT)]
    vote.save(tmp_path)
    again = Vote.from_folder(tmp_path, MEMBERS.__getitem__)
    assert again.fingerprint == vote.fingerprint
    assert found(again) == found(vote)
    assert vote.annotate(Note("empty", "")) == ()


def test_stacked_learns_whom_to_believe(tmp_path: Path) -> None:
    of = settings("stacked").model_copy(update={"c": 100.0})
    vote = train_vote(of, [(NOTE, GOLD)] * 3, MEMBERS.__getitem__)
    assert found(vote) == [(5, 15, PhiType.PATIENT), (25, 28, PhiType.TOWN)]
    vote.save(tmp_path)
    assert found(Vote.from_folder(tmp_path, MEMBERS.__getitem__)) == found(vote)


def test_stacked_with_a_single_class_beside_none() -> None:
    vote = train_vote(
        settings("stacked", "first", "second").model_copy(update={"c": 100.0}),
        [(NOTE, GOLD[:1])] * 3,
        MEMBERS.__getitem__,
    )
    assert found(vote) == [(5, 15, PhiType.PATIENT)]


def test_stacked_needs_two_classes() -> None:
    with pytest.raises(ConfigurationError, match="tokens of two classes"):
        train_vote(settings("stacked"), [(NOTE, ())], MEMBERS.__getitem__)
