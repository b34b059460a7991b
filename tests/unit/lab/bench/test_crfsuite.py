"""What `deid bench` compares: all four taggers do the same work."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pycrfsuite

from deid_core.crf.crfsuite_file import round_weights
from deid_core.crf.features.families import FeatureSettings, build_templates
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.crf.model_folder import CrfModel
from deid_core.lab.bench.crfsuite import taggers
from deid_core.lab.synthetic import iter_notes

FEATURES = [
    FeatureSettings(family="word", window=[-1, 0, 1]),
    FeatureSettings(family="word", disjunction=3),
    FeatureSettings(family="short_shape", pair=(-1, 0)),
]


def model() -> CrfModel:
    templates, draw = build_templates(FEATURES, WordKnowledge()), random.Random(1)
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0.01, "max_iterations": 10})
    for item in iter_notes(3, seed=1, split="train"):
        words = item.note.text.split()
        trainer.append(
            list(templates.attributes(words)), [draw.choice("OPL") if w[0].isupper() else "O" for w in words]
        )
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(f"{folder}/model")
        return CrfModel.from_crfsuite("toy", round_weights(Path(folder, "model").read_bytes()), FEATURES, {})


def test_all_give_the_same_labels() -> None:
    compared = taggers(model(), [item.note.text for item in iter_notes(4, seed=2, split="test")])
    known = compared.known()
    assert len(set(known)) == 3
    assert known == compared.new() == compared.by_word() == compared.by_token()
