"""Experiments on recogniser `crf`: learning curve (seed 003, Figure 2) and domain transfer (section 5.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.lab.corpora import AnnotatedText
from deid_core.lab.evaluate.entity_scores import EntityEvaluation
from deid_core.lab.training.crfsuite_trainer import train
from deid_core.lab.training.measure import measure
from deid_core.lab.training.sequences import Sequences
from deid_core.lab.training.settings import CrfTrainingSettings

Texts = Sequence[AnnotatedText]


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained model: its name, training tokens, and scores by test set."""

    name: str
    tokens: int
    scores: Mapping[str, EntityEvaluation]


def transfer(
    settings: CrfTrainingSettings,
    word_knowledge: WordKnowledge,
    of_domain: Mapping[str, Sequences],
    tests: Mapping[str, Texts],
) -> Iterator[Trained]:
    """Train a model on each domain and one on all of them; measure each on all tests."""
    for name, sequences in of_domain.items():
        yield _trained(name, settings, word_knowledge, sequences, tests)
    everything = Sequences([], [])
    for sequences in of_domain.values():
        everything += sequences
    yield _trained(" + ".join(of_domain), settings, word_knowledge, everything, tests)


def learning_curve(
    settings: CrfTrainingSettings, word_knowledge: WordKnowledge, sequences: Sequences, tests: Mapping[str, Texts]
) -> Iterator[Trained]:
    """Train models on growing shares of the sequences, in several draws; larger shares contain smaller ones."""
    draws = [
        np.random.default_rng([settings.curve.seed, draw]).permutation(len(sequences)).tolist()
        for draw in range(settings.curve.samples)
    ]
    for share in settings.curve.shares:
        for order in draws[: 1 if share == 1 else None]:
            chosen = order[: max(1, round(share * len(order)))]
            part = Sequences([sequences.words[at] for at in chosen], [sequences.tags[at] for at in chosen])
            yield _trained(f"{share:.0%}", settings, word_knowledge, part, tests)


def _trained(
    name: str,
    settings: CrfTrainingSettings,
    word_knowledge: WordKnowledge,
    sequences: Sequences,
    tests: Mapping[str, Texts],
) -> Trained:
    model = train(settings, word_knowledge, sequences, iterations=settings.curve.iterations)
    scores = {
        test: measure(model, texts, settings.labels, gazetteer=word_knowledge.gazetteer)
        for test, texts in tests.items()
    }
    return Trained(name, sequences.tokens, scores)
