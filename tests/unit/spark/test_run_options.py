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
