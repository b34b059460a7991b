"""A model's folder: whatever breaks while a model is saved, the next one to save or load finds a whole one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.crf.convolution_weights import ConvolutionWeights
from deid_core.crf.features.families import FeatureSettings
from deid_core.crf.model_folder import CrfModel, load_model
from deid_core.crf.weights import CrfWeights


def model(content: bytes) -> CrfModel:
    return CrfModel.from_crfsuite("toy", content, [], {})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    model(b"first").save(folder, "card")
    return folder


def saved(folder: Path) -> bytes:
    return load_model(str(folder)).crfsuite_bytes()


def break_renames(monkeypatch: pytest.MonkeyPatch, to: str) -> None:
    """Renames to a folder of this name fail from now on."""
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if target.name == to:
            raise OSError("storage went away")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)


def test_a_model_takes_the_place_of_another(folder: Path) -> None:
    model(b"second").save(folder)
    assert saved(folder) == b"second"
    assert [path.name for path in folder.parent.iterdir()] == ["toy"]
    assert not (folder / "card.md").exists()


def test_a_break_before_the_old_model_is_away_leaves_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken, pytest.raises(OSError, match="went away"):
        break_renames(broken, "toy.old")
        model(b"second").save(folder)
    assert saved(folder) == b"first"
    model(b"third").save(folder)
    assert saved(folder) == b"third"
    assert [path.name for path in folder.parent.iterdir()] == ["toy"]


def test_the_old_model_outlives_a_break_between_the_renames_and_another_behind_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken, pytest.raises(OSError, match="went away"):
        break_renames(broken, "toy")
        model(b"second").save(folder)
    assert not folder.exists()
    # The next one breaks as well, before its files are written.
    with monkeypatch.context() as broken, pytest.raises(OSError, match="disk full"):
        broken.setattr(Path, "write_bytes", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
        model(b"third").save(folder)
    assert saved(folder) == b"first"
    assert (folder / "card.md").read_text() == "card"
    model(b"fourth").save(folder)
    assert saved(folder) == b"fourth"
    assert [path.name for path in folder.parent.iterdir()] == ["toy"]


def test_a_folder_of_anything_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.doc").touch()
    with pytest.raises(ConfigurationError, match="holds 1 files that are no model's"):
        model(b"first").save(tmp_path / "letters")
    assert (tmp_path / "letters" / "a.doc").exists()


def with_layers(labels: tuple[str, ...]) -> CrfModel:
    number = np.ones(1, np.int32)
    weights = CrfWeights(("O", "person"), ("word[0]:Herr",), 0 * number, number, np.ones(1), np.zeros((2, 2)))
    layers = {"first": (5, 8, 4), "first_bias": (4,), "second": (3, 4, 4), "second_bias": (4,)}
    layers |= {"output": (1, 12, len(labels)), "output_bias": (len(labels),)}
    convolution = ConvolutionWeights(
        labels,
        (("word:Herr",), ("detections:in:body",)),
        (np.ones((1, 4), np.int8), np.ones((1, 4), np.int8)),
        {name: np.zeros(shape, np.float32) for name, shape in layers.items()},
        0.5,
    )
    features, detections = (
        FeatureSettings.model_validate({"family": family, "window": [0]}) for family in ("word", "detections")
    )
    return CrfModel.from_weights("toy", weights, [features], {}, [detections]).with_convolution(convolution)


def test_layers_are_part_of_the_folder_and_stay_when_the_weights_change(tmp_path: Path) -> None:
    model = with_layers(("O", "person"))
    model.save(tmp_path / "toy")
    loaded = load_model(str(tmp_path / "toy"))
    assert loaded.digest == model.digest
    other = loaded.with_weights(replace(loaded.weights(), state_weights=np.full(1, 2.0)))
    assert other.digest != model.digest
    *_, convolution = other.compiled_stacking()
    assert convolution is not None and convolution.share == 0.5
    (tmp_path / "toy" / "convolution.npz").unlink()
    with pytest.raises(ConfigurationError, match=r"toy: not of one training: convolution\.npz"):
        load_model(str(tmp_path / "toy")).compiled_stacking()


def test_layers_of_other_labels_are_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"toy/convolution\.npz: has other labels than the weights"):
        with_layers(("O", "town")).convolution()


def test_a_model_of_an_earlier_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with_layers(("O", "person")).save(tmp_path / "toy")
    description = tmp_path / "toy" / "features.json"
    description.write_text(description.read_text().replace("detections", "evidence"))
    with pytest.raises(ConfigurationError, match=r"toy/features\.json: .* an earlier version .* adapt again"):
        load_model(str(tmp_path / "toy")).detection_templates()
