"""What a run and its dry run check of their options before they touch anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError, no_such_lake
from deid_core.spark.forecasts import forecast_lake
from deid_core.spark.run_lake import run_lake
from deid_core.spark.run_options import Options


@pytest.mark.parametrize("stages", [("deidentify",), ("audit",), ("deidentify", "audit")])
@pytest.mark.parametrize("start", [run_lake, forecast_lake])
def test_without_the_stage_convert_there_must_be_a_lake(
    tmp_path: Path, start: Callable[[Options], object], stages: tuple[str, ...]
) -> None:
    options = Options(input=None, lake=tmp_path / "tpyo", pipeline="baseline", stages=stages)
    with pytest.raises(ConfigurationError) as caught:
        start(options)
    assert caught.value.problems == [no_such_lake(tmp_path / "tpyo")]
    assert list(tmp_path.iterdir()) == []


def test_a_missing_lake_is_reported_with_other_problems(tmp_path: Path) -> None:
    options = Options(input=None, lake=tmp_path / "tpyo", pipeline="bestline", stages=("audit",))
    for start in (run_lake, forecast_lake):
        with pytest.raises(ConfigurationError) as caught:
            start(options)
        told = "; ".join(caught.value.problems)
        assert "bestline" in told
        assert "no such lake" in told


def test_problems_of_all_options_come_at_once(tmp_path: Path) -> None:
    options = Options(
        input=tmp_path / "letters",
        lake=tmp_path / "lake",
        pipeline="bestline",
        settings=tmp_path / "nosuch.yaml",
        outputs=["nosuch"],
        identities=tmp_path / "no.csv",
    )
    with pytest.raises(ConfigurationError) as caught:
        run_lake(options)
    told = caught.value.problems
    for name in ("nosuch.yaml", "bestline", "letters", "no.csv", "policy 'nosuch'"):
        assert any(name in problem for problem in told), name


def test_a_wrong_settings_file_tells_by_line_and_what_it_names_too(tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text(
        "run: {batch_notes: 0}\nengine: {max_note_tokens: 0}\n"
        f"patient: {{table: {tmp_path}/no.csv}}\nreading: {{timeout: 1}}\n"
    )
    with pytest.raises(ConfigurationError) as caught:
        run_lake(Options(input=tmp_path, lake=tmp_path.parent / "lake-of-none", settings=settings, pipeline="baseline"))
    told = [problem for problem in caught.value.problems if problem.startswith(f"{settings}:")]
    assert [problem.removeprefix(f"{settings}:")[0] for problem in told] == ["1", "2", "4"]
    assert any("no.csv" in problem for problem in caught.value.problems)
