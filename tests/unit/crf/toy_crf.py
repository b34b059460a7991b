"""Small CRFs for the tests of `crf`: simple feature sets, trained by CRFsuite on made-up sequences."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pycrfsuite

from deid_core.crf.compiled_crf import CompiledCrf, compiled_crf, crf_arrays
from deid_core.crf.features.templates import PairTemplate, Template, Templates, disjunction, window
from deid_core.crf.weights import CrfWeights
from deid_core.text.vocabulary import Vocabulary

WORDS = tuple("Herr Frau Dr. Müller Meier Weiß Köln Ulm Haus Arzt kommt wohnt in aus . , 12 3,5 A ß İ 𝔘 straße".split())


def affixes(word: str) -> tuple[str, ...]:
    return tuple(f"<{word[:n]}" for n in range(1, 5)) + tuple(f"{word[-n:]}>" for n in range(1, 5))


def shape(word: str) -> str:
    classes = "".join("X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in word)
    return re.sub(r"(.)\1+", r"\1", classes)


def capital(word: str) -> str:
    return word[:1] if word[:1].isupper() else ""


TEMPLATES = Templates(
    single=(
        Template("word", lambda word: (word,), (*window("word", -2, -1, 0, 1, 2), *disjunction("word", 4))),
        Template("affix", affixes, window("affix", -1, 0, 1)),
        Template("shape", lambda word: (shape(word), shape(word)[:1]), (*window("shape", -2, -1, 0, 1, 2),)),
    ),
    pairs=(
        PairTemplate("pair", lambda word: word, -1, 0),
        PairTemplate("shapes", shape, 0, 1),
        PairTemplate("capitals", capital, -2, 3),
    ),
)
"""Words, affixes and shapes in a window, words in a disjunction, pairs of neighbours and of words further apart."""


def train(
    sequences: Sequence[Sequence[str]],
    labels: Sequence[Sequence[str]],
    templates: Templates = TEMPLATES,
    *,
    iterations: int = 20,
    c1: float = 0.05,
) -> bytes:
    """The file of a model that CRFsuite trains on these sequences of words."""
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": c1, "c2": 0.01, "max_iterations": iterations, "feature.possible_transitions": True})
    for words, names in zip(sequences, labels, strict=True):
        trainer.append(list(templates.attributes(words)), list(names))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        trainer.train(str(path))
        return path.read_bytes()


def compile_crf(model: CrfWeights, templates: Templates) -> CompiledCrf:
    """The CRF of one sequence of words."""
    return compiled_crf(crf_arrays(model, templates, Templates(())), templates)


def random_sequences(seed: int, count: int, words: Sequence[str] = WORDS, longest: int = 12) -> list[list[str]]:
    """Sequences of 1 to `longest` of the words."""
    draw = random.Random(seed)
    return [[draw.choice(words) for _ in range(draw.randint(1, longest))] for _ in range(count)]


def random_labels(seed: int, sequences: Sequence[Sequence[str]], names: Sequence[str]) -> list[list[str]]:
    """A label a word, which depends on the word often enough to be learned."""
    draw = random.Random(seed)
    return [
        [names[sum(map(ord, word)) % len(names)] if draw.random() < 0.7 else draw.choice(names) for word in words]
        for words in sequences
    ]


def as_arrays(sequences: Sequence[Sequence[str]], vocabulary: Vocabulary) -> tuple[np.ndarray, np.ndarray]:
    """Types and bounds of sequences of words, as the tagger takes them."""
    rows = [vocabulary.number(word) + 2 for words in sequences for word in words]
    return np.array(rows, np.int32), np.cumsum([0, *map(len, sequences)]).astype(np.int64)


def crfsuite_labels(model: bytes, sequences: Sequence[Sequence[str]], templates: Templates = TEMPLATES) -> list[str]:
    """What CRFsuite's own tagger says, for all words one after the other."""
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)
    return [label for words in sequences for label in tagger.tag(list(templates.attributes(words)))]
