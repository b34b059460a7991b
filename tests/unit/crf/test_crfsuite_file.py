"""Reading CRFsuite's model file: what it holds is what CRFsuite says, and what is damaged is refused."""

from __future__ import annotations

import struct

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_crf import crfsuite_labels, random_labels, random_sequences, train

from deid_core.core.errors import ConfigurationError
from deid_core.crf.crfsuite_file import read_crfsuite, round_weights
from deid_core.crf.weights import GRID_BITS

SEQUENCES = random_sequences(1, 80)
MODEL = train(SEQUENCES, random_labels(2, SEQUENCES, ("O", "PER", "LOC", "ORG")))


def test_holds_what_crfsuite_prints() -> None:
    model = read_crfsuite(MODEL)
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(MODEL)
    info = tagger.info()
    assert list(model.labels) == tagger.labels()
    assert {name: int(number) for name, number in info.attributes.items()} == {
        name: number for number, name in enumerate(model.attributes)
    }
    state = {
        (model.attributes[a], model.labels[t]): w
        for a, t, w in zip(model.state_attributes, model.state_labels, model.state_weights, strict=True)
    }
    assert len(state) == len(model.state_weights)
    assert state == pytest.approx(info.state_features, abs=1e-6)
    transitions = {
        (source, target): model.transitions[s, t]
        for s, source in enumerate(model.labels)
        for t, target in enumerate(model.labels)
    }
    assert transitions == pytest.approx(info.transitions, abs=1e-6)
    assert any(not name.isascii() for name in model.attributes)


def test_model_without_attributes() -> None:
    model = read_crfsuite(train([["a"], ["b", "c"]], [["O"], ["O", "O"]], c1=1e6))
    assert model.labels == ("O",)
    assert model.attributes == ()
    assert not model.state_weights.size


def test_rounded_weights_stay_near_and_are_on_the_grid() -> None:
    rounded = round_weights(MODEL)
    before, after = read_crfsuite(MODEL), read_crfsuite(rounded)
    assert after.on_grid and not before.on_grid
    assert np.abs(after.state_weights - before.state_weights).max() <= 2.0 ** -(GRID_BITS + 1)
    assert after.attributes == before.attributes
    assert len(crfsuite_labels(rounded, SEQUENCES)) == sum(map(len, SEQUENCES))


def test_rounding_twice_changes_nothing() -> None:
    rounded = round_weights(MODEL)
    assert round_weights(rounded) == rounded


def test_rounding_removes_what_crfsuite_left_uninitialised() -> None:
    soiled = bytearray(MODEL)
    for start in struct.unpack_from("<2I", MODEL, 32):
        soiled[start + 8 : start + 12] = b"\xde\xad\xbe\xef"
    assert round_weights(bytes(soiled)) == round_weights(MODEL)


@pytest.mark.parametrize("length", [0, 3, 47, 48, 60, len(MODEL) // 3, len(MODEL) // 2, len(MODEL) - 1])
def test_cut_file_is_refused(length: int) -> None:
    with pytest.raises(ConfigurationError, match="byte"):
        read_crfsuite(MODEL[:length])


@pytest.mark.parametrize(
    ("offset", "value", "problem"),
    [
        (0, b"lCRG", "not a model file"),
        (8, b"SOMC", "not a model file"),
        (12, struct.pack("<I", 101), "version 101"),
        (4, struct.pack("<I", 1), "should have 1 bytes"),
        (20, struct.pack("<I", 0), "0 labels"),
        (20, struct.pack("<I", 2), "label that does not exist"),
        (24, struct.pack("<I", 0xFFFFFFFF), "byte"),
        (28, struct.pack("<I", len(MODEL) - 4), "too early"),
        (32, struct.pack("<I", 48), "no dictionary"),
        (40, struct.pack("<I", 48), "no chunk LFRF"),
        (44, struct.pack("<I", 0xFFFFFFFF), "too early"),
        (56, struct.pack("<I", 0x7FFFFFFF), "too early"),
        (60, struct.pack("<I", 7), "too long or too short"),
        (64, struct.pack("<I", 0x7FFFFFFF), "contradict the features"),
        (72, struct.pack("<d", float("nan")), "no finite number"),
    ],
)
def test_damage_is_named(offset: int, value: bytes, problem: str) -> None:
    damaged = MODEL[:offset] + value + MODEL[offset + len(value) :]
    with pytest.raises(ConfigurationError, match=problem) as raised:
        read_crfsuite(damaged, "models/toy")
    assert str(raised.value).startswith("models/toy: byte ")


@given(st.lists(st.tuples(st.integers(0, len(MODEL) - 1), st.integers(0, 255)), min_size=1, max_size=6))
def test_any_damage_gives_a_model_or_a_clear_error(changes: list[tuple[int, int]]) -> None:
    damaged = bytearray(MODEL)
    for place, value in changes:
        damaged[place] = value
    try:
        model = read_crfsuite(bytes(damaged))
    except ConfigurationError:
        return
    # What is accepted is consistent: numbers are in range and weights finite.
    assert np.isfinite(model.state_weights).all()
    assert model.state_attributes.max(initial=0) < len(model.attributes)
    assert 0 <= model.state_labels.min(initial=0) <= model.state_labels.max(initial=0) < len(model.labels)
