"""`deid train`: arguments and their errors; the recipes are tested in tests/unit/lab/training."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from deid_core.cli import main
from deid_core.core.data_folders import conf_dir
from deid_core.core.errors import ExitCode

pytest.importorskip("sklearn_crfsuite")


@pytest.mark.parametrize("model", ["crf", "stacking"])
def test_training_needs_the_folder_of_the_corpora(
    model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DEID_CORPORA_DIR", raising=False)
    assert main(["train", model]) == ExitCode.USAGE
    assert "name the folder of the corpora with --data or DEID_CORPORA_DIR" in capsys.readouterr().err


def test_only_the_stacking_model_has_layers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "crf", "--layers", "--data", "."]) == ExitCode.USAGE
    assert "--layers belongs to `stacking`: deid train stacking --layers" in capsys.readouterr().err


def test_layers_are_trained_beside_weights_that_are_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["train", "stacking", "--layers", "--data", ".", "--output"]
    assert main([*arguments, str(tmp_path / "none")]) == ExitCode.USAGE
    assert f"{tmp_path / 'none'}" in capsys.readouterr().err
    settings = yaml.safe_load((conf_dir() / "training.yaml").read_text(encoding="utf-8"))
    del settings["stacking"]["convolution"]
    without = tmp_path / "training.yaml"
    without.write_text(yaml.safe_dump(settings), encoding="utf-8")
    assert main([*arguments, str(tmp_path), "--settings", str(without)]) == ExitCode.USAGE
    assert "--layers: the settings have no stacking.convolution" in capsys.readouterr().err


def test_a_folder_without_a_card_cannot_be_refreshed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "cards", "--output", str(tmp_path)]) == ExitCode.USAGE
    assert "has no record of the training" in capsys.readouterr().err


def test_an_unknown_model_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["train", "everything"])
    assert left.value.code == ExitCode.USAGE
    assert "stacking" in capsys.readouterr().err
