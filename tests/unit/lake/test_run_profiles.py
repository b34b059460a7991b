"""What a run writes of its notes, and with which earlier runs it compares them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from night_rows import add_failed_night, add_nights, add_profile, in_bins

from deid_core.core.logs import LogFormat, LogStyle, RunLog
from deid_core.lake.checks import checksums, integrity
from deid_core.lake.checks.night_profile import NightProfile
from deid_core.lake.layout import Lake
from deid_core.lake.runs.profiles import FEWEST_NOTES, last_comparison, record_night
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import Tables

ID = "20200301T000000-0"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake.at(tmp_path / "lake")
    lake.prepare()
    Tables(lake).create()
    return lake


def night_of(
    lake: Lake, shares: dict[int, float], *, notes: int = 200, texts: int = 1_000, fingerprint: str = "f"
) -> Any:
    """Return a run whose notes have these numbers of names, in a lake of so many texts."""
    row = {"year": 2020, "batch": "b", "text": "", "tokens": 1, "fingerprint": "f", "run_id": "r", "note_id": "n"}
    row |= {"patient_key": "", "patient_key_id": "", "patient_source": ""}
    Tables(lake).deidentified.add(*[row] * texts)
    profile = {("names", "PER"): in_bins("names", shares, notes)}
    profile["note_tokens", ""] = in_bins("note_tokens", {5: 1.0}, notes)
    night = SimpleNamespace(notes=notes, refused=Counter(), profile=lambda: profile)
    return SimpleNamespace(
        lake=lake, tables=Tables(lake), night=night, counts=Counter(), drift=[], run_id=ID,
        fingerprint=fingerprint, log=RunLog(ID, style=LogStyle(LogFormat.JSON)),
    )  # fmt: skip


def written(lake: Lake) -> set[str]:
    return delta_reader.distinct(lake.run_profiles, "run_id")


def test_a_night_that_differs_is_counted_logged_and_written(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    add_nights(lake, 12, fingerprint="f")
    run = night_of(lake, {1: 0.15, 2: 0.35, 3: 0.5})
    record_night(run)
    assert run.counts == {"drift.nights": 12, "drift.alarms": 1}
    assert "names PER: 30 of 200 notes are below 2, expected 2" in capsys.readouterr().err
    rows = delta_reader.read(lake.run_profiles, ["run_id", "measure", "value", "bounds", "notes"]).to_pylist()
    [names] = [row for row in rows if row["run_id"] == ID and row["measure"] == "names"]
    assert names["notes"][:5] == [0, 30, 70, 100, 0]
    assert names["bounds"][:3] == [0.0, 1.0, 2.0]


def test_a_usual_night_is_written_without_an_alarm(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    add_nights(lake, 12, fingerprint="f")
    run = night_of(lake, {1: 0.02, 2: 0.48, 3: 0.5})
    record_night(run)
    assert run.counts == {"drift.nights": 12, "drift.alarms": 0}
    assert capsys.readouterr().err == ""
    assert ID in written(lake)


@pytest.mark.parametrize(("notes", "texts"), [(FEWEST_NOTES - 1, 1_000), (200, 399)])
def test_few_notes_and_most_of_the_lake_are_no_night(lake: Lake, notes: int, texts: int) -> None:
    add_nights(lake, 12, fingerprint="f")
    run = night_of(lake, {0: 1.0}, notes=notes, texts=texts)
    record_night(run)
    assert run.counts == {}
    assert ID not in written(lake)


def test_runs_of_another_pipeline_or_with_other_bins_are_not_compared(lake: Lake) -> None:
    add_nights(lake, 12, fingerprint="another")
    add_nights(lake, 9, fingerprint="f", month=2)
    other = {("names", "PER"): in_bins("names", {0: 1.0}, 200)}
    add_profile(lake, "20200201T000000-0", other, bounds={"names": [0.0, 7.0]})
    run = night_of(lake, {0: 1.0})
    record_night(run)
    # Eight nights of this pipeline are left: too few.
    assert run.counts == {}
    assert ID in written(lake)


def test_a_lake_without_a_recorded_run_of_this_pipeline_is_not_compared(lake: Lake) -> None:
    """The first run was killed before it wrote its row of clean/runs."""
    add_nights(lake, 12, fingerprint="another")
    run = night_of(lake, {0: 1.0})
    record_night(run)
    assert run.counts == {}
    assert ID in written(lake)


def test_the_last_comparison_is_that_of_the_last_run(lake: Lake) -> None:
    assert last_comparison(lake) is None
    add_nights(lake, 12, fingerprint="f")
    found = last_comparison(lake)
    assert found is not None
    assert (found.run_id, [c.shifts for c in found.comparisons]) == ("20200112T000000-0", [()])
    assert [c.nights for c in found.comparisons] == [11]
    # A run that was killed before it wrote its row of clean/runs.
    add_profile(lake, "20200113T000000-0", {("names", "PER"): in_bins("names", {0: 1.0}, 200)})
    assert last_comparison(lake) == found


def test_a_damaged_table_is_begun_anew(lake: Lake) -> None:
    add_nights(lake, 2, fingerprint="f")
    checksums.record(lake)
    file = delta_reader.data_files(lake.run_profiles)[0]
    file.write_bytes(file.read_bytes()[:-10])
    [damage] = integrity.damages(lake)
    assert damage.made_again
    assert str(damage).endswith("a run begins a new table, without the earlier rows")
    integrity.mend(lake, [damage])
    assert not lake.run_profiles.exists()
    assert delta_reader.exists(lake.runs)


def test_after_a_night_whose_notes_all_failed_others_are_reported_as_before(lake: Lake) -> None:
    add_nights(lake, 14, fingerprint="f")
    add_failed_night(lake, "20200115T000000-0", fingerprint="f")
    run = night_of(lake, {1: 0.15, 2: 0.35, 3: 0.5})
    record_night(run)
    assert [(shift.measure, shift.value) for shift in run.drift] == [("names", "PER")]


def test_a_night_whose_notes_nearly_all_fail_is_reported(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    """No note has a text, so nothing but the quarantine is compared."""
    add_nights(lake, 12, fingerprint="f")
    run = night_of(lake, {2: 1.0})
    run.night = NightProfile()
    run.night.refused["corrupt"] = 180
    record_night(run)
    assert run.counts["drift.alarms"] > 0
    assert "quarantine any: 180 of 180 notes are from 1" in capsys.readouterr().err
