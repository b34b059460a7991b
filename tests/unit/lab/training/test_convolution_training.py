"""The training of the stacking model's layers."""

from __future__ import annotations

import random
from itertools import count, pairwise
from typing import Any
from unittest import mock

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra neural")
import torch

from deid_core.core.errors import ConfigurationError
from deid_core.crf.convolution import ConvolutionTagger, compiled_convolution, convolution_arrays
from deid_core.crf.convolution_weights import ConvolutionWeights
from deid_core.crf.features.families import FeatureSettings
from deid_core.crf.features.templates import Template, Templates, window
from deid_core.crf.model_folder import CONVOLUTION_FILE, CrfModel
from deid_core.crf.weights import CrfWeights
from deid_core.lab.training import convolution
from deid_core.lab.training.convolution import fit_convolution
from deid_core.lab.training.owlqn_trainer.dataset import AllowedLabels
from deid_core.lab.training.owlqn_trainer.token_streams import Stream
from deid_core.lab.training.settings import ConvolutionTrainingSettings, load_training
from deid_core.lab.training.stacking import LabelledSequence, train_stacking
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.text.note_sequence import FIRST_TYPE
from deid_core.text.vocabulary import Vocabulary

WORDS = Templates((Template("word", lambda word: (word,), window("word", -1, 0, 1)),))
DETECTIONS = Templates((Template("detections", lambda word: (word,), window("detections", 0)),))
WORD = FeatureSettings(family="word", window=[0])
AT_A_WORD = FeatureSettings(family="detections", window=[0])
WEIGHTS = CrfWeights(("O", "person"), (), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0), np.zeros((2, 2)))
SETTINGS = ConvolutionTrainingSettings(
    word_size=8, detection_size=4, hidden=16, min_count=1, dropout=0.0, value_dropout=0.0, spelling_dropout=0.0,
    learning_rate=0.02, vector_learning_rate=0.02, epochs=400, seed=3, share=0.5,
)  # fmt: skip


def notes(count: int, seed: int) -> list[list[str]]:
    drawn = random.Random(seed)
    return [[drawn.choice("ab") for _ in range(drawn.randint(2, 30))] for _ in range(count)]


def labels_of(note: list[str]) -> list[AllowedLabels]:
    """A word is a person if it differs from the one before: no sum of weights of single words says so."""
    return [("O",), *(("person" if word != before else "O",) for before, word in pairwise(note))]


def trained(texts: list[list[str]], labels: list[list[AllowedLabels]]) -> ConvolutionWeights:
    words, detections = Stream([WORDS]), Stream([DETECTIONS])
    for text in texts:
        words.add(text)
        detections.add(["nothing"] * len(text))
    return fit_convolution(words, detections, labels, WEIGHTS, SETTINGS)


def best(weights: ConvolutionWeights, text: list[str]) -> list[str]:
    both, words, detections = (WORDS, DETECTIONS), Vocabulary(), Vocabulary()
    tagger = ConvolutionTagger(compiled_convolution(convolution_arrays(weights, both), both), words, detections)
    types = np.array([words.number(word) + FIRST_TYPE for word in text], np.int32)
    emissions = np.zeros((len(text), 8))
    tagger.mix(types, np.full(len(text), detections.number("nothing") + FIRST_TYPE, np.int32), emissions)
    return [WEIGHTS.labels[label] for label in emissions[:, :2].argmax(axis=1).tolist()]


def test_the_layers_learn_what_two_words_mean_together_and_the_same_settings_give_the_same() -> None:
    texts = notes(60, 1)
    layers = trained(texts, [labels_of(text) for text in texts])
    for text in notes(5, 2):
        assert best(layers, text) == [label for [label] in labels_of(text)]
    assert trained(texts, [labels_of(text) for text in texts]).to_npz() == layers.to_npz()


def test_the_trained_network_and_the_compiled_layers_give_the_same_scores() -> None:
    """But for the rounding of the vectors: a hundredth of the largest score."""
    texts = notes(20, 1)
    words, detections = Stream([WORDS]), Stream([DETECTIONS])
    for text in texts:
        words.add(text)
        detections.add(["nothing"] * len(text))
    labels = [labels_of(text) for text in texts]
    few = SETTINGS.model_copy(update={"epochs": 20})
    trainer = convolution._Trainer(words, detections, labels, WEIGHTS, few)
    trainer.train(lambda line: None)
    trainer.network.eval()
    both, of_words, of_detections = (WORDS, DETECTIONS), Vocabulary(), Vocabulary()
    layers = compiled_convolution(convolution_arrays(trainer.weights(), both), both)
    tagger = ConvolutionTagger(layers, of_words, of_detections)
    for number, text in enumerate(texts):
        vectors = [trainer._vectors(stream, of[number][None]) for stream, of in enumerate(trainer._numbers[:2])]
        expected = trainer.network(*vectors, torch.ones(1, len(text))).detach().numpy()[0]
        types = np.array([of_words.number(word) + FIRST_TYPE for word in text], np.int32)
        found = np.zeros((len(text), 8))
        tagger.mix(types, np.full(len(text), of_detections.number("nothing") + FIRST_TYPE, np.int32), found)
        np.testing.assert_allclose(found[:, :2] / SETTINGS.share, expected, atol=0.01 * np.abs(expected).max())


def test_of_several_allowed_labels_any_is_right() -> None:
    texts = notes(60, 1)
    layers = trained(texts, [[("O", "person") if word == "a" else ("person",) for word in text] for text in texts])
    assert set(best(layers, ["b", "b", "b"])) == {"person"}


def test_rare_values_get_no_vector() -> None:
    words, detections = Stream([WORDS]), Stream([DETECTIONS])
    text = ["a"] * 30 + ["rare"]
    words.add(text)
    detections.add(["nothing"] * len(text))
    often = SETTINGS.model_copy(update={"min_count": 2, "epochs": 1})
    assert fit_convolution(words, detections, [[("O",)] * len(text)], WEIGHTS, often).values[0] == ("word:a",)
    never = SETTINGS.model_copy(update={"min_count": 100})
    with pytest.raises(ConfigurationError, match="no feature value occurs so often"):
        fit_convolution(words, detections, [[("O",)] * len(text)], WEIGHTS, never)


def test_a_training_that_breaks_down_is_an_error() -> None:
    texts = notes(20, 1)
    loss_of, batches = convolution._Trainer._loss, count()

    def rising(trainer: convolution._Trainer, batch: list[tuple[int, int, int]]) -> tuple[Any, int]:
        loss, words = loss_of(trainer, batch)
        return loss * 1.2 ** next(batches), words

    with (
        mock.patch.object(convolution._Trainer, "_loss", rising),
        pytest.raises(ConfigurationError, match=r"broke down before batch 200: .*; choose a lower learning_rate"),
    ):
        trained(texts, [labels_of(text) for text in texts])


def test_weights_are_kept_before_the_layers_are_trained_and_layers_can_be_trained_alone() -> None:
    settings = load_training().stacking.model_copy(
        update={"features": [WORD], "detections": [AT_A_WORD], "convolution": SETTINGS.model_copy(update={"epochs": 1})}
    )
    texts = [["Er", "ist", "Maurer"], ["Sie", "ist", "hier"]]
    labels: list[list[AllowedLabels]] = [[("O",), ("O",), ("profession",)], [("O",)] * 3]
    sequences = [LabelledSequence(text, ["nothing"] * 3, of) for text, of in zip(texts, labels, strict=True)]
    kept: list[CrfModel] = []

    def train(weights: CrfWeights | None = None) -> CrfModel:
        sources = [(compile_lists({}), sequences)]
        return train_stacking(settings, CrfModel("none", ()), sources, weights=weights, keep=kept.append)

    whole = train()
    [before] = kept
    assert CONVOLUTION_FILE in dict(whole.files) and CONVOLUTION_FILE not in dict(before.files)
    again = train(before.weights())
    assert kept == [before] and again.files == whole.files
