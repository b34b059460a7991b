"""The profile takes the engine apart without changing what it finds or leaving anything out."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.lab.bench.profile import ALL_NEW, ALONE, REST, WHOLE, ProfiledEngine, profile, profile_report
from deid_core.lab.bench.stage import Sample
from deid_core.lab.synthetic import iter_notes
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec


@pytest.fixture(scope="module")
def sample() -> Sample:
    return Sample.of([item.note for item in iter_notes(4, seed=5, split="train")])


@pytest.mark.parametrize("pipeline", ["variants", "default"])
def test_clocks_do_not_change_what_is_found(sample: Sample, pipeline: str) -> None:
    spec = engine_spec(pipeline)
    plain, profiled = Engine(spec), ProfiledEngine(spec)
    assert [plain.deidentify(note) for note in sample.notes] == [profiled.deidentify(note) for note in sample.notes]


def test_steps_are_the_pipelines_recognisers_and_what_stands_around_them(sample: Sample) -> None:
    spec = engine_spec("default")
    steps = profile(spec, sample, runs=2)
    recognisers = [settings.kind for settings in spec.pipeline.recognisers]
    assert list(islice(steps, len(recognisers) + 2)) == ["tokenise", *recognisers, "propagation"]
    assert list(steps)[-7:] == ["resolve", "boundary trimming", "subtypes", REST, WHOLE, ALONE, ALL_NEW]
    assert all(0 < spread.low <= spread.median <= spread.high for spread in steps.values())


def test_seconds_of_each_step_grow_with_each_note(sample: Sample) -> None:
    engine = ProfiledEngine(engine_spec("variants"))
    engine.deidentify(sample.notes[0])
    before = dict(engine.seconds)
    engine.deidentify(sample.notes[0])
    assert all(engine.seconds[step] > seconds for step, seconds in before.items())


def test_no_runs_is_a_usage_error() -> None:
    with pytest.raises(ConfigurationError, match="at least 1"):
        profile_report("default", 1, 0)


def test_a_folder_of_letters_can_be_profiled(tmp_path: Path) -> None:
    head = "kind: Arztbrief\nspeciality: Innere\ncountry: DE\nyear: 2010\n---\n"
    for name in ("a01-1.txt", "a02-1.txt"):
        (tmp_path / name).write_text(f"{head}<salute>Herr</salute> <patient>Zorbinski</patient> kam.\n", "utf-8")
    report = profile_report("baseline", 1, 1, tmp_path)
    assert f"2 letters of {tmp_path.name}," in report
    assert "| pattern" in report
