"""The store of reviews: the last one counts, a line that was cut short does not, and withdrawn notes leave it."""

from __future__ import annotations

import json
import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from review_lake import note_id, read_note, review_lake

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType
from deid_core.lake.checks import lake_entries
from deid_core.lake.layout import Lake
from deid_core.lake.notes.reviews import Mark, Review, ReviewRole, append_review, forget_reviews, read_reviews

MARK = Mark(5, 9, Label.PER, PhiType.PATIENT, readable=True)
REVIEW = Review("n1", "anna", ReviewRole.READER, "raw", "text", "2026-01-01T00:00:00+00:00", (MARK,))


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake.at(tmp_path / "lake")
    lake.prepare()
    return lake


def test_the_last_review_of_a_reader_counts(lake: Lake) -> None:
    other, judge = replace(REVIEW, reader="ben"), replace(REVIEW, role=ReviewRole.ADJUDICATOR)
    changed = replace(REVIEW, marks=())
    for review in (REVIEW, other, judge, changed):
        append_review(lake, review)
    assert read_reviews(lake) == [other, judge, changed]
    assert lake.reviews.stat().st_mode & 0o777 == 0o600


def test_without_reviews(lake: Lake) -> None:
    assert read_reviews(lake) == []
    assert forget_reviews(lake, ["n1"]) == 0


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_a_line_that_a_crash_cut_short_is_left_out(lake: Lake, cut: int) -> None:
    append_review(lake, REVIEW)
    append_review(lake, replace(REVIEW, note_id="n2"))
    lake.reviews.write_bytes(lake.reviews.read_bytes()[:-cut])
    # Without its newline the last line is still whole.
    expected = ["n1", "n2"] if cut == 1 else ["n1"]
    assert [review.note_id for review in read_reviews(lake)] == expected
    append_review(lake, replace(REVIEW, note_id="n3"))
    assert [review.note_id for review in read_reviews(lake)] == [*expected, "n3"]


def test_a_full_disk_leaves_no_half_line(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    append_review(lake, REVIEW)
    real = os.write
    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space"):
        patched.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:10]))
        append_review(lake, replace(REVIEW, note_id="n2"))
    assert lake.reviews.read_bytes().count(b"\n") == 1
    assert read_reviews(lake) == [REVIEW]


def test_lines_hold_no_text_and_only_what_is_needed(tmp_path: Path) -> None:
    lake = review_lake(tmp_path, 2)
    read_note(lake, 0, "patient")
    [line] = lake.reviews.read_text().splitlines()
    assert "kanari" not in line.lower()
    assert json.loads(line)["marks"] == [{"start": 7, "end": 17, "label": "PER", "type": "patient", "readable": False}]


def test_forgotten_notes_and_cut_lines_leave_the_disk(lake: Lake) -> None:
    for name in ("n1", "n2", "n1"):
        append_review(lake, replace(REVIEW, note_id=name))
    with lake.reviews.open("ab") as file:
        file.write(b'{"note_id": "n1", "mar')
    assert forget_reviews(lake, ["n1"]) == 3
    assert b"n1" not in lake.reviews.read_bytes()
    assert [review.note_id for review in read_reviews(lake)] == ["n2"]
    assert forget_reviews(lake, ["n1"]) == 0


def _append_many(root: Path, reader: str) -> None:
    for number in range(50):
        append_review(Lake.at(root), replace(REVIEW, reader=reader, note_id=f"n{number}"))


def test_two_readers_and_a_withdrawal_at_once(lake: Lake) -> None:
    processes = [
        multiprocessing.get_context("fork").Process(target=_append_many, args=(lake.root, reader))
        for reader in ("anna", "ben")
    ]
    for process in processes:
        process.start()
    for _ in range(20):
        forget_reviews(lake, ["no-such-note"])
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert len(read_reviews(lake)) == 100


def test_a_lake_without_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be written"):
        append_review(Lake.at(tmp_path / "none"), REVIEW)


def test_marks_are_checked() -> None:
    with pytest.raises(ValueError, match="is not a range"):
        Mark(5, 5, Label.PER, PhiType.PATIENT, readable=True)
    with pytest.raises(ValueError, match="no type of"):
        Mark(5, 6, Label.LOC, PhiType.PATIENT, readable=True)


def test_the_lake_knows_its_files(tmp_path: Path) -> None:
    lake = review_lake(tmp_path, 2)
    read_note(lake, 0)
    for folder in (lake.sampling_plan, lake.releases):
        folder.mkdir()
    assert lake_entries.strays(lake) == []
    assert note_id(0) in lake.reviews.read_text()
