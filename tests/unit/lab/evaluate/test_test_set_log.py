"""The record of the test letters: a line each time, with what was measured; no figure without one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan
from deid_core.lab.evaluate.evaluation_sets import EvaluationSet
from deid_core.lab.evaluate.pipeline_scores import Measured, measure
from deid_core.lab.evaluate.test_set_log import FILE, checkout_commit, record_opening
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec


@pytest.fixture(scope="module")
def measured() -> Measured:
    """A pipeline on one letter of one date, which it finds."""
    gold = GoldSpan(3, 11, Label.DATE, PhiType.DATE)
    of = EvaluationSet("letters-test", "", (Note("n1", "Am 3.4.2010 kam sie."),), ((gold,),), with_header=True)
    return measure(Engine(engine_spec("baseline")), of)


def test_each_opening_adds_a_line(tmp_path: Path, measured: Measured) -> None:
    record_opening(tmp_path, [measured], "abc1234")
    record_opening(tmp_path, [measured, measured], "abc1234")
    lines = (tmp_path / FILE).read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| 2")]
    assert len(rows) == 3 and len(set(rows)) == 1
    cells = [cell.strip() for cell in rows[0].strip("|").split("|")]
    assert cells[1:4] == ["baseline", measured.fingerprint, "abc1234"]
    assert cells[4:8] == ["1.000"] * 4
    assert sum(line.startswith("| date |") for line in lines) == 1


def test_what_cannot_be_recorded_is_an_error(tmp_path: Path, measured: Measured) -> None:
    with pytest.raises(ConfigurationError, match="no figure is shown"):
        record_opening(tmp_path / "absent", [measured], "none")


def test_the_commit_is_told_from_one_with_changes_that_are_no_record(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
        done = subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], capture_output=True, check=True)
        return done.stdout.decode().strip()

    assert checkout_commit(tmp_path) == checkout_commit(tmp_path / "absent") == "none"
    folders = [tmp_path / "letters" / name for name in ("dense", "long")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "a01-1.txt").touch()
    (folders[0] / FILE).touch()
    git("init")
    git("add", ".")
    git("commit", "--message", "letters")
    head = git("rev-parse", "--short", "HEAD")
    for folder in folders:  # one record is there already, the other is new
        (folder / FILE).write_text("a line")
        assert {checkout_commit(each) for each in folders} == {head}
    (tmp_path / "code.py").touch()
    assert checkout_commit(folders[0]) == f"{head}+"
