"""Stages become tables: medians, spreads, and ratios of the same round."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.lab.bench.report import instead_table, markdown_table, stage_table, write
from deid_core.lab.bench.stage import CPU, WALL, Sample, Stage, measure, times_as_fast

SAMPLE = Sample.of([Note("a", "Der Befund ist da"), Note("b", "Alles gut heute hier")])


def stage(name: str, *seconds: float, clock: str = CPU, limit: str = "", instead_of: tuple[str, ...] = ()) -> Stage:
    return Stage(name, SAMPLE, lambda: 1.0, clock, limit, instead_of, list(seconds))


def test_sample_counts_tokens() -> None:
    assert SAMPLE.tokens == 8
    assert SAMPLE.first(1).tokens == 4


def test_ratios_are_taken_round_by_round() -> None:
    # The machine halves its speed in the second round, for both: the ratio stays.
    spread = times_as_fast(stage("ours", 1.0, 2.0), stage("theirs", 10.0, 20.0))
    assert (spread.median, spread.low, spread.high) == (10.0, 10.0, 10.0)


def test_clocks_are_not_mixed() -> None:
    with pytest.raises(ValueError, match="different clocks"):
        times_as_fast(stage("ours", 1.0), stage("theirs", 1.0, clock=WALL))


def test_the_first_round_is_not_counted() -> None:
    seconds = iter([100.0, 1.0, 2.0, 3.0])
    measured = Stage("measured", SAMPLE, lambda: next(seconds))
    measure([measured], runs=3)
    assert measured.seconds == [1.0, 2.0, 3.0]


def test_tables_hold_each_stage_on_its_side() -> None:
    stages = [
        stage("bytes", 0.5, 0.5),
        stage("ours", 1.0, 2.0, limit="bytes"),
        stage("theirs", 40.0, 40.0, instead_of=("ours",)),
    ]
    ours, theirs = stage_table(stages).splitlines(), instead_table(stages).splitlines()
    assert [line.split(" | ")[0] for line in ours[2:]] == ["| bytes", "| ours"]
    assert ours[3] == "| ours | CPU | 1.5 | 6 | 4 to 8 | bytes | 3.0 (2.0 to 4.0) |"
    assert theirs[2:] == ["| theirs | CPU | 0.1 | 0 | 0 to 0 | ours | 30.0 (20.0 to 40.0) |"]


def test_one_run_has_no_spread() -> None:
    assert stage_table([stage("job", 4.0)]).endswith("| job | CPU | 0.5 | 2 | one run |  |  |")


def test_markdown_is_written(tmp_path: Path) -> None:
    write(markdown_table(["a", "b"], [["c", "1"]]), tmp_path / "new" / "scale.md")
    assert (tmp_path / "new" / "scale.md").read_text() == "| a | b |\n|---|---:|\n| c | 1 |\n"


def test_output_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be written"):
        write("", tmp_path)
