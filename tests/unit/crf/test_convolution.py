"""The layers beside a CRF's weights: their sums, their file, and what they add to emissions."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_crf import TEMPLATES, capital

from deid_core.core.errors import ConfigurationError
from deid_core.crf import convolution
from deid_core.crf.convolution import (
    CompiledConvolution,
    ConvolutionTagger,
    VectorProducts,
    VectorTable,
    compiled_convolution,
    convolution_arrays,
    convolve_for,
)
from deid_core.crf.convolution_weights import ConvolutionWeights
from deid_core.crf.features.templates import Template, Templates, window
from deid_core.text.note_sequence import FIRST_TYPE, LINE_TYPE
from deid_core.text.tokens import LINE
from deid_core.text.vocabulary import Vocabulary

DETECTIONS = Templates((Template("detections", lambda word: tuple(word.split()), window("detections", -1, 0, 1)),))
BOTH = TEMPLATES, DETECTIONS
WORD_VALUES = ("affix:<H", "affix:er>", "shape:X", "shape:Xx", "word:Herr", "word:kam")
DETECTION_VALUES = ("detections:Bcrf:PER", "detections:in:body")
LABELS = ("O", "person", "town")


def toy(share: float = 0.5, seed: int = 3) -> ConvolutionWeights:
    """Layers of random weights: vectors of 8 and 4 numbers, 12 hidden ones."""
    drawn = np.random.default_rng(seed)

    def layer(*shape: int) -> np.ndarray:
        return drawn.normal(size=shape).astype(np.float32)

    return ConvolutionWeights(
        LABELS,
        (WORD_VALUES, DETECTION_VALUES),
        (
            drawn.integers(-9, 10, (len(WORD_VALUES), 8)).astype(np.int8),
            drawn.integers(-9, 10, (len(DETECTION_VALUES), 4)).astype(np.int8),
        ),
        {
            "first": layer(5, 12, 12),
            "first_bias": layer(12),
            "second": layer(3, 12, 12),
            "second_bias": layer(12),
            "output": layer(1, 24, 3),
            "output_bias": layer(3),
        },
        share,
    )


def compiled(weights: ConvolutionWeights) -> CompiledConvolution:
    return compiled_convolution(convolution_arrays(weights, BOTH), BOTH)


def expected(weights: ConvolutionWeights, words: list[str], detections: list[str]) -> np.ndarray:
    """The scores by the formulas of convolution.py, in plain numpy."""

    def vector(stream: int, templates: Templates, word: str) -> np.ndarray:
        values = [f"{of.name}:{value}" for of in templates.families.single for value in of.values(word)]
        rows = [weights.values[stream].index(value) for value in values if value in weights.values[stream]]
        total = weights.vectors[stream][rows].sum(axis=0, dtype=float)
        return total / (np.sqrt(np.mean(total**2)) or 1)

    def convolved(vectors: np.ndarray, name: str, dilation: int) -> np.ndarray:
        layer, sums = weights.layers[name], np.tile(weights.layers[f"{name}_bias"].astype(float), (len(vectors), 1))
        for o in range(len(layer)):
            for t in range(len(vectors)):
                there = t + dilation * (o - len(layer) // 2)
                if 0 <= there < len(vectors):
                    sums[t] += vectors[there] @ layer[o]
        return sums

    vectors = np.array(
        [np.append(vector(0, TEMPLATES, w), vector(1, DETECTIONS, e)) for w, e in zip(words, detections, strict=True)]
    )
    first = np.maximum(convolved(vectors, "first", 1), 0)
    second = first + np.maximum(convolved(first, "second", 3), 0)
    return convolved(np.concatenate([second, vectors], axis=1), "output", 1)


def mixed(weights: ConvolutionWeights, words: list[str], detections: list[str], emissions: np.ndarray) -> np.ndarray:
    of_words, of_detections = Vocabulary(), Vocabulary()
    tagger = ConvolutionTagger(compiled(weights), of_words, of_detections)
    types = [LINE_TYPE if word == LINE else of_words.number(word) + FIRST_TYPE for word in words]
    features = [LINE_TYPE if of == LINE else of_detections.number(of) + FIRST_TYPE for of in detections]
    result = emissions.copy()
    tagger.mix(np.array(types, np.int32), np.array(features, np.int32), result)
    return result


WORDS = st.sampled_from(["Herr", "kam", "aus", "Ulm", "12", "Hering", LINE])
DETECTIONS_AT_A_TOKEN = st.sampled_from(["in:body", "in:body Bcrf:PER", "in:header nothing"])


@given(st.lists(st.tuples(WORDS, DETECTIONS_AT_A_TOKEN), min_size=1, max_size=40))
def test_emissions_are_a_mixture_of_the_weights_scores_and_the_layers(note: list[tuple[str, str]]) -> None:
    words, detections = [word for word, _ in note], [LINE if word == LINE else of for word, of in note]
    weights, before = toy(share=0.25), np.random.default_rng(1).normal(size=(len(note), 8))
    found = mixed(weights, words, detections, before)
    scores = expected(weights, words, detections)
    np.testing.assert_allclose(found[:, :3], 0.75 * before[:, :3] + 0.25 * scores, rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(found[:, 3:], 0.75 * before[:, 3:])  # lanes without a label


@given(st.lists(st.tuples(WORDS, DETECTIONS_AT_A_TOKEN), min_size=1, max_size=20), st.integers(2, 14))
def test_only_the_direction_of_a_vector_counts(note: list[tuple[str, str]], times: int) -> None:
    words, detections = [word for word, _ in note], [LINE if word == LINE else of for word, of in note]
    weights, nothing = toy(), np.zeros((len(note), 8))
    longer = replace(weights, vectors=(weights.vectors[0] * np.int8(times), weights.vectors[1]))
    found, before = (mixed(of, words, detections, nothing) for of in (longer, weights))
    np.testing.assert_allclose(found, before, rtol=1e-5, atol=1e-4)


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([(1, 1), (3, 3), (5, 1)]))
def test_a_sum_does_not_depend_on_the_rest_of_the_sequence(before: int, after: int, shape: tuple[int, int]) -> None:
    width, dilation = shape
    drawn, reach = np.random.default_rng(5), (width // 2) * dilation
    weights = drawn.normal(size=(width, 4, 6)).astype(np.float32)
    convolve = convolve_for(width, 4, 6, dilation)
    middle = drawn.normal(size=(2 * reach + 1, 4)).astype(np.float32)
    whole = np.concatenate([drawn.normal(size=(before, 4)), middle, drawn.normal(size=(after, 4))], dtype=np.float32)
    alone, within = np.ones((len(middle), 6), np.float32), np.ones((len(whole), 6), np.float32)
    convolve(middle, weights, alone)
    convolve(whole, weights, within)
    assert within[before + reach].tobytes() == alone[reach].tobytes()


@given(st.integers(1, 40), st.integers(1, 60))
def test_a_note_in_pieces_has_the_same_scores(piece: int, length: int) -> None:
    words = ["Herr", "kam", "aus", LINE, "Ulm", "12", "Hering"] * 9
    note = words[:length], [LINE if word == LINE else "in:body Bcrf:PER" for word in words[:length]]
    whole = mixed(toy(), *note, np.ones((length, 8)))
    with mock.patch.object(convolution, "_PIECE", piece):
        assert mixed(toy(), *note, np.ones((length, 8))).tobytes() == whole.tobytes()


def test_a_word_that_comes_later_has_the_same_scores() -> None:
    weights, of_words, of_detections = toy(share=1.0), Vocabulary(), Vocabulary()
    tagger, nothing = ConvolutionTagger(compiled(weights), of_words, of_detections), of_detections.number("in:body")
    types = np.array([of_words.number(f"Herr{n}") + FIRST_TYPE for n in range(300)], np.int32)
    tagger.mix(types, np.full(300, nothing + FIRST_TYPE, np.int32), np.zeros((300, 8)))
    late = np.array([of_words.number("Herr") + FIRST_TYPE], np.int32)
    emissions = np.zeros((1, 8))
    tagger.mix(late, np.full(1, nothing + FIRST_TYPE, np.int32), emissions)
    np.testing.assert_array_equal(emissions, mixed(weights, ["Herr"], ["in:body"], np.zeros((1, 8))))


NUMBERED = np.array([[number % 100, number // 100, 1, 0] for number in range(1500)]).astype(np.int8)
SCALED = NUMBERED / np.sqrt(np.square(NUMBERED.astype(float)).mean(axis=1, keepdims=True))
"""Vectors that are distinct."""


def numbered(vocabulary: Vocabulary) -> VectorProducts:
    """The products with the identity of word types that are numbers; "7" and "07" have one vector."""

    def values(words: tuple[str, ...]) -> np.ndarray:
        return np.array([[int(word) if word.isdecimal() else 0] for word in words], np.int32)

    return VectorProducts(VectorTable((values,), NUMBERED), np.eye(4, dtype=np.float32), vocabulary)


def products_of(products: VectorProducts, vocabulary: Vocabulary, words: list[str]) -> np.ndarray:
    types = [vocabulary.number(word) + FIRST_TYPE for word in words]
    products.extend()
    return products.products[products.rows[types]]


def test_a_table_of_products_grows() -> None:
    vocabulary = Vocabulary()
    products, words = numbered(vocabulary), [str(number) for number in range(1, 1500)]
    for start in range(0, len(words), 97):
        products_of(products, vocabulary, words[start : start + 97])
    np.testing.assert_allclose(products_of(products, vocabulary, words), SCALED[1:], rtol=1e-6)


def test_words_with_the_same_vector_share_a_row_of_products() -> None:
    vocabulary = Vocabulary()
    products = numbered(vocabulary)
    found = products_of(products, vocabulary, ["7", "Ulm", "07", "Bonn", "8"])
    np.testing.assert_allclose(found, [SCALED[7], [0] * 4, SCALED[7], [0] * 4, SCALED[8]], rtol=1e-6)
    seven, ulm, also_seven, bonn, eight = products.rows[FIRST_TYPE : FIRST_TYPE + 5].tolist()
    assert seven == also_seven
    assert ulm == bonn == products.rows[0]  # no value, as outside the sequence
    assert len({seven, ulm, eight}) == 3


@pytest.mark.parametrize(("where", "name"), [(convolution, "with_room"), (convolution, "_convolve")])
def test_products_that_could_not_be_computed_are_computed_again(
    where: Any, name: str, out_of_memory: Callable[[Any, str, int], None]
) -> None:
    vocabulary = Vocabulary()
    products, words = numbered(vocabulary), [str(number) for number in range(1, 400)]
    out_of_memory(where, name, 1)
    with pytest.raises(MemoryError):
        products_of(products, vocabulary, words)
    np.testing.assert_allclose(products_of(products, vocabulary, words), SCALED[1:400], rtol=1e-6)


def test_sums_that_an_interrupted_call_left_are_not_added_to() -> None:
    vocabulary = Vocabulary()
    products, add = numbered(vocabulary), convolution._convolve

    def interrupted(*arrays: Any) -> None:
        add(*arrays)
        raise TimeoutError

    with mock.patch.object(convolution, "_convolve", interrupted), pytest.raises(TimeoutError):
        products_of(products, vocabulary, ["7"])
    np.testing.assert_allclose(products_of(products, vocabulary, ["7"]), [SCALED[7]], rtol=1e-6)


def test_a_note_without_words_has_no_scores() -> None:
    assert mixed(toy(), [], [], np.zeros((0, 8))).shape == (0, 8)


def test_each_family_counts_once_whatever_its_positions() -> None:
    again = Template("word", capital, window("word", 3))
    assert [of.name for of in Templates((*TEMPLATES.single, again)).families.single] == ["word", "affix", "shape"]


def test_inputs_have_to_fill_whole_steps_of_the_loop() -> None:
    with pytest.raises(ValueError, match="6 inputs are no multiple of 4"):
        convolve_for(3, 6, 8, 1)


def test_the_file_gives_the_same_layers_and_the_same_bytes() -> None:
    weights = toy()
    read = ConvolutionWeights.from_npz(weights.to_npz(), "toy")
    assert read.to_npz() == weights.to_npz()
    assert (read.labels, read.values, read.share) == (weights.labels, weights.values, weights.share)
    words, detections = ["Herr", LINE, "kam"], ["in:body", LINE, "in:body Bcrf:PER"]
    found, before = (mixed(of, words, detections, np.zeros((3, 8))) for of in (read, weights))
    np.testing.assert_array_equal(found, before)


def test_layers_of_another_version_are_refused() -> None:
    with np.load(io.BytesIO(toy().to_npz())) as archive:
        arrays = {name: archive[name] for name in archive.files if name != "format"}
    earlier = io.BytesIO()
    np.savez_compressed(earlier, **arrays)
    with pytest.raises(ConfigurationError, match=r"toy: layers of another version; train the model, or adapt, again"):
        ConvolutionWeights.from_npz(earlier.getvalue(), "toy")


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        *(("first", (5, 8, 7)), ("second", (3, 7, 8)), ("output", (1, 16, 4)), ("output_bias", (2,))),
        *(("first_bias", (7,)), ("first_bias", ()), ("output", ())),
    ],
)
def test_layers_that_do_not_fit_together_are_refused(layer: str, shape: tuple[int, ...]) -> None:
    weights = toy()
    weights.layers[layer] = np.zeros(shape, np.float32)
    with pytest.raises(ConfigurationError, match=r"toy/convolution\.npz: is damaged"):
        ConvolutionWeights.from_npz(weights.to_npz(), "toy/convolution.npz")


@pytest.mark.parametrize("share", [0.0, 1.0, float("nan")])
def test_a_share_that_leaves_nothing_for_one_side_is_refused(share: float) -> None:
    with pytest.raises(ConfigurationError, match="is damaged"):
        ConvolutionWeights.from_npz(toy(share).to_npz(), "toy")


def test_weights_that_are_no_numbers_and_vectors_of_one_dimension_are_refused() -> None:
    weights = toy()
    flat = replace(weights, vectors=(weights.vectors[0].ravel(), weights.vectors[1]))
    weights.layers["second"][0, 0, 0] = np.nan
    for wrong in (flat, weights):
        with pytest.raises(ConfigurationError, match="is damaged"):
            ConvolutionWeights.from_npz(wrong.to_npz(), "toy")


def test_sizes_that_the_loops_cannot_take_are_refused() -> None:
    weights = toy()
    hidden = {"first": (5, 12, 6), "first_bias": (6,), "second": (3, 6, 6), "second_bias": (6,), "output": (1, 18, 3)}
    layers = weights.layers | {name: np.zeros(shape, np.float32) for name, shape in hidden.items()}
    of_six = tuple(np.zeros((len(values), 6), np.int8) for values in (WORD_VALUES, DETECTION_VALUES))
    for wrong in (replace(weights, layers=layers), replace(weights, vectors=of_six)):
        with pytest.raises(ConfigurationError, match="is damaged"):
            ConvolutionWeights.from_npz(wrong.to_npz(), "toy")


def test_vectors_of_other_values_and_half_a_file_are_refused() -> None:
    weights = toy()
    short = replace(weights, values=(WORD_VALUES[1:], DETECTION_VALUES))
    for data in (short.to_npz(), weights.to_npz()[:-50], b""):
        with pytest.raises(ConfigurationError, match="is damaged"):
            ConvolutionWeights.from_npz(data, "toy")
