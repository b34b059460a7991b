"""The ablation with retraining: a stacking model that knows nothing of what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deid_core.cli import main
from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.lab.evaluate.ablation import without_part
from deid_core.lab.training import retraining, settings
from deid_core.lab.training.retraining import ablation_letters, retrained
from deid_core.lab.training.settings import AblationSettings, TrainingSettings, load_training
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.loading import engine_spec


@pytest.fixture
def few(tmp_path: Path) -> TrainingSettings:
    """Settings that train on three letters for two steps."""
    (tmp_path / "few").mkdir()
    for file in sorted((letters_dir() / "train/long").glob("*.txt"))[:6]:
        (tmp_path / "few" / file.name).write_bytes(file.read_bytes())
    ours = load_training()
    of_stacking = ours.stacking.model_copy(update={"letters": [f"{tmp_path}/few"]})
    ablation = AblationSettings(every=2, iterations=2, other_seeds=[8])
    return ours.model_copy(update={"stacking": of_stacking, "ablation": ablation})


def recognisers_of(spec: EngineSpec) -> set[str]:
    """Recognisers that the attributes of the stacking model name."""
    assert spec.stacking is not None
    marks = ("detections[0]:B", "detections[0]:I")
    attributes = spec.stacking.weights().attributes
    return {a[len(marks[0]) :].partition(":")[0] for a in attributes if a.startswith(marks)} - {""}


def test_the_model_learns_from_the_detections_that_are_left(few: TrainingSettings) -> None:
    spec, letters = engine_spec("default"), ablation_letters(few)
    assert len(letters) == 3
    whole = retrained(spec, few, letters)
    left = retrained(without_part(spec, "pattern"), few, letters)
    assert {"pattern", "institution"} <= recognisers_of(whole)
    assert recognisers_of(left) and "pattern" not in recognisers_of(left)
    assert whole.fingerprint != spec.fingerprint and retrained(spec, few, letters).fingerprint == whole.fingerprint


def test_a_pipeline_without_a_stacking_model_is_refused(few: TrainingSettings) -> None:
    with pytest.raises(ConfigurationError, match="baseline has no stacking model"):
        retrained(engine_spec("baseline"), few, ablation_letters(few))


def test_the_command_measures_each_part_against_a_model_that_is_trained_again_too(
    few: TrainingSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(settings, "load_training", lambda: few)
    trainings: list[tuple[str, ...]] = []
    seeds: list[int] = []

    def spied(spec: EngineSpec, used: TrainingSettings, *rest: object) -> EngineSpec:
        seeds.append(used.stacking.seed)
        trainings.append(spec.pipeline.kinds)
        return retrained(spec, few, ablation_letters(few))

    monkeypatch.setattr(retraining, "retrained", spied)
    file = tmp_path / "figures.json"
    asked = ["--ablation", "default", "--retrain", "letterhead,boundary_trimming", "--sets", "generated"]
    assert main(["compare", *asked, "--notes", "2", "--split", "train", "--json", str(file)]) == ExitCode.DONE
    (found,) = json.loads(file.read_text())["ablations"]
    assert list(found["without"]) == ["nothing, seed 8", "letterhead", "boundary_trimming"]
    assert ["letterhead" in kinds for kinds in trainings] == [True, True, False], "trimming is no part of the training"
    assert seeds == [few.stacking.seed, 8, few.stacking.seed]
    assert "the stacking model is trained again for each" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--ablation", "default", "--retrain", "nothing"], "there is no part 'nothing'; there are: pattern, "),
        (["--ablation", "baseline", "--retrain", "all"], "pipeline baseline has no stacking model"),
        (["--retrain", "all"], "name the pipeline with --ablation"),
    ],
)
def test_parts_that_cannot_be_trained_without_are_refused(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--sets", "generated", *arguments]) == ExitCode.USAGE
    assert problem in capsys.readouterr().err
