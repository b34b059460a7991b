"""The record of the unseen letters: a line each time, with what was measured; no figure without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.cli.pipelines import engine_spec
from deid_core.engine import Engine
from deid_core.errors import ConfigurationError
from deid_core.evaluate.development import DevelopmentSet
from deid_core.evaluate.measured import Measured, measure
from deid_core.evaluate.opened import FILE, record_opening
from deid_core.labels import Label, PhiType
from deid_core.note import Note
from deid_core.spans import GoldSpan


@pytest.fixture(scope="module")
def measured() -> Measured:
    """A pipeline on one letter of one date, which it finds."""
    gold = GoldSpan(3, 11, Label.DATE, PhiType.DATE)
    of = DevelopmentSet("letters-unseen", "", (Note("n1", "Am 3.4.2010 kam sie."),), ((gold,),), with_header=True)
    return measure(Engine(engine_spec("baseline")), of)


def test_each_opening_adds_a_line(tmp_path: Path, measured: Measured) -> None:
    record_opening(tmp_path, [measured])
    record_opening(tmp_path, [measured, measured])
    lines = (tmp_path / FILE).read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| 2")]
    assert len(rows) == 3 and len(set(rows)) == 1
    cells = [cell.strip() for cell in rows[0].strip("|").split("|")]
    assert cells[1:4] == ["baseline", measured.fingerprint, "none"]  # pytest's folder is no checkout
    assert cells[4:8] == ["1.000"] * 4
    assert sum(line.startswith("| date |") for line in lines) == 1


def test_what_cannot_be_recorded_is_an_error(tmp_path: Path, measured: Measured) -> None:
    with pytest.raises(ConfigurationError, match="no figure is shown"):
        record_opening(tmp_path / "absent", [measured])
