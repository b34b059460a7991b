"""Random search over the two weights of the elastic net (seed 003, section 4.2).

Weights are drawn from a logarithmic scale. A trial trains on four fifths of the search corpora and is scored on every
fifth text. The dev corpora take no part, so scores on them stay unbiased.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.crf.model_folder import MODEL_FILE
from deid_core.lab.corpora import AnnotatedText
from deid_core.lab.training.crfsuite_trainer import train
from deid_core.lab.training.measure import measure
from deid_core.lab.training.sequences import sequences_of
from deid_core.lab.training.settings import CrfTrainingSettings

_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial. f1, recall: micro averages of exact entities. size_bytes: of the compressed model file."""

    number: int
    c1: float
    c2: float
    f1: float
    recall: float
    size_bytes: int
    seconds: float


def search(
    settings: CrfTrainingSettings, word_knowledge: WordKnowledge, texts: Sequence[AnnotatedText]
) -> Iterator[Trial]:
    """Yield the trials; the same settings draw the same weights."""
    random = np.random.default_rng(settings.search.seed)
    held_out = texts[::_FOLDS]
    sequences = sequences_of(text for number, text in enumerate(texts) if number % _FOLDS)
    low, high = math.log10(settings.search.lowest), math.log10(settings.search.highest)
    for number in range(1, settings.search.trials + 1):
        c1, c2 = (float(f"{10**power:.3g}") for power in random.uniform(low, high, 2))
        start = time.perf_counter()
        model = train(settings, word_knowledge, sequences, c1=c1, c2=c2, iterations=settings.search.iterations)
        scores = measure(model, held_out, settings.labels, gazetteer=word_knowledge.gazetteer).micro
        size = len(dict(model.files)[MODEL_FILE])
        yield Trial(number, c1, c2, scores.f(1), scores.recall, size, time.perf_counter() - start)
