"""Which notes are read first."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from review_lake import note_id, review_lake

from deid_core.core.spans import DropReason
from deid_core.lake.tables.lake_table import Tables
from deid_core.review import queue
from deid_core.review.doubt import BY_SWEEP, WITHOUT_SPANS, NoteDoubt, note_doubts
from deid_core.review.queue import QueuedNote, doubt_queue, random_queue


def test_points_are_low_scores_dropped_detections_and_notes_without_spans(tmp_path: Path) -> None:
    lake = review_lake(tmp_path, 4, leaking=[0])
    span = {"output_start": 20, "output_end": 26, "label": "DATE", "type": "date", "recogniser": "p", "rule": "r"}
    low = [span | {"note_id": note_id(1), "year": 2011, "score": score} for score in (0.3, 0.4, 0.5)]
    Tables(lake).phi_audit.add(*low)
    trimmed = {"start": 0, "end": 4, "label": "PER", "type": "person", "recogniser": "p", "rule": "r", "score": 0.9}
    trimmed |= {"note_id": note_id(2), "year": 2010, "reason": "boundary_trimming", "run_id": "run"}
    Tables(lake).dropped.add(trimmed)
    assert [note.points for note in note_doubts(lake)] == [WITHOUT_SPANS + 1, 2, 0, 0]


def test_what_only_the_sweep_found_weighs_more_than_a_low_score(tmp_path: Path) -> None:
    lake = review_lake(tmp_path, 4, leaking=[0])
    span = {"output_start": 20, "output_end": 26, "label": "PER", "type": "patient", "recogniser": "sweep", "rule": "r"}
    Tables(lake).phi_audit.add(span | {"note_id": note_id(1), "year": 2011, "score": 1.0})
    common = {"start": 0, "end": 4, "label": "PER", "type": "person", "recogniser": "sweep", "rule": "r", "score": 0.9}
    common |= {"note_id": note_id(2), "year": 2010, "reason": DropReason.COMMON, "run_id": "run"}
    cut = common | {"recogniser": "crf", "note_id": note_id(3), "year": 2011, "reason": DropReason.CUT_ABOVE}
    Tables(lake).dropped.add(common, cut)
    assert [note.points for note in note_doubts(lake)] == [WITHOUT_SPANS + 1, BY_SWEEP, 1, 1]


NOTES = [NoteDoubt("a", 2010, 1), NoteDoubt("b", 2010, 3), NoteDoubt("c", 2011, 1), NoteDoubt("d", 2010, 0)]


def test_doubtful_notes_come_first_and_those_of_small_years() -> None:
    assert [note.note_id for note in doubt_queue(NOTES)] == ["b", "c", "a", "d"]


def test_random_notes_are_of_each_year_in_turn() -> None:
    found = [note.note_id for note in random_queue(NOTES, "seed")]
    assert sorted(found) == ["a", "b", "c", "d"]
    assert found[1] == "c" and found == [note.note_id for note in random_queue(NOTES[::-1], "seed")]


def test_a_queue_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "MOST", 2)
    assert doubt_queue(NOTES) == [QueuedNote("b"), QueuedNote("c")]
    assert len(random_queue(NOTES, "seed")) == 2
