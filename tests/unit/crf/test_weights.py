"""CrfWeights: the .npz file gives the same weights and the same bytes, and a damaged one is refused."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.crf.features.families import FeatureSettings
from deid_core.crf.model_folder import MODEL_FILE, WEIGHTS_FILE, CrfModel, load_model
from deid_core.crf.weights import CrfWeights

WEIGHTS = CrfWeights(
    labels=("O", "person"),
    attributes=("word[0]:Ä", "word[0]:\n", "word[0]:unused"),
    state_attributes=np.array([0, 0, 1, 2], np.int32),
    state_labels=np.array([0, 1, 1, 0], np.int32),
    state_weights=np.array([-0.5, 1.25, 2.0**-20, 0.0]),
    transitions=np.array([[0.0, -1.5], [3.0, 0.0]]),
)


def assert_equal(one: CrfWeights, other: CrfWeights) -> None:
    assert (one.labels, one.attributes) == (other.labels, other.attributes)
    for name in ("state_attributes", "state_labels", "state_weights", "transitions"):
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype
        assert a.tolist() == b.tolist()


def changed(**arrays: Any) -> bytes:
    """Return the file with some arrays replaced, None for one that is missing."""
    with np.load(io.BytesIO(WEIGHTS.to_npz())) as archive:
        stored = {name: arrays.get(name, archive[name]) for name in archive}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{name: array for name, array in stored.items() if array is not None})
    return buffer.getvalue()


def test_the_file_gives_the_same_weights_and_the_same_weights_give_the_same_bytes() -> None:
    data = WEIGHTS.to_npz()
    assert_equal(CrfWeights.from_npz(data), WEIGHTS)
    assert CrfWeights.from_npz(data).to_npz() == data == changed()


def test_the_committed_stacking_model_survives_a_round_trip() -> None:
    model = load_model("stacking-de")
    assert model.with_weights(model.weights()).files == model.files
    assert WEIGHTS_FILE in dict(model.files) and MODEL_FILE not in dict(model.files)


def test_weights_that_are_not_on_the_grid_are_refused() -> None:
    with pytest.raises(ValueError, match="round them first"):
        replace(WEIGHTS, transitions=np.full((2, 2), 1 / 3)).to_npz()


def test_pruning_drops_weights_of_zero_and_attributes_without_a_weight_and_sorts_the_others() -> None:
    pruned = WEIGHTS.pruned()
    assert pruned.attributes == ("word[0]:\n", "word[0]:Ä")
    assert pruned.state_weights.tolist() == [2.0**-20, -0.5, 1.25]
    assert pruned.state_attributes.tolist() == [0, 1, 1]
    assert pruned.state_labels.tolist() == [1, 0, 1]
    assert_equal(pruned.pruned(), pruned)


@pytest.mark.parametrize(
    "data",
    [
        b"no archive",
        WEIGHTS.to_npz()[:-40],
        changed(state_labels=None),
        changed(state_labels=np.array([0, 1, 2, 0], np.int8)),
        changed(state_labels=np.array([0, 1, 1], np.int8)),
        changed(state_attributes=np.array([0, 0, 3, 2], np.int32)),
        changed(state_attributes=np.array([0, 0, -1, 2], np.int32)),
        changed(state_weights=np.zeros(4)),
        changed(transitions=np.zeros((2, 3), np.int32)),
        changed(labels=np.frombuffer(b"O\0O", np.uint8)),
        changed(labels=np.frombuffer(b"O\0\xff", np.uint8)),
    ],
)
def test_a_damaged_file_is_refused(data: bytes) -> None:
    with pytest.raises(ConfigurationError, match=r"^toy/weights.npz: is damaged"):
        CrfWeights.from_npz(data, "toy/weights.npz")


def test_a_model_of_weights_has_its_features_and_no_crfsuite_file() -> None:
    features = [FeatureSettings(family="word", window=[0])]
    model = CrfModel.from_weights("toy", WEIGHTS, features, {})
    assert_equal(model.weights(), WEIGHTS.pruned())
    assert [template.name for template in model.templates().single] == ["word"]
    assert CrfModel.from_bytes("toy", model.to_bytes()) == model
    with pytest.raises(ConfigurationError, match=r"toy/model.crfsuite.gz: is missing"):
        model.crfsuite_bytes()
