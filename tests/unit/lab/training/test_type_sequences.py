"""The experiment with type sequences: its CRF against all paths, its features by Stanford's names, a small training."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from deid_core.lab.evaluate.evaluation_sets import generated_set

pytest.importorskip("scipy")
pytest.importorskip("pycrfsuite")

from scipy.sparse import csr_matrix

from deid_core.crf.features.families import FeatureSettings
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.lab.corpora import AnnotatedText
from deid_core.lab.corpora.annotated import LabelledSpan
from deid_core.lab.training.sequences import sequences_of
from deid_core.lab.training.settings import load_training
from deid_core.lab.training.transition_crf import (
    ChainData,
    TransitionCrf,
    feature_rows,
    fit_transition_crf,
    loss_and_marginals,
    numbered_features,
)
from deid_core.lab.training.type_sequences import (
    OF_LABEL,
    OF_LABELS,
    PRIOR,
    VARIANTS,
    edge_features,
    node_features,
    type_sequence_models,
)

LENGTHS = [3, 1, 2]


@pytest.fixture
def chain() -> tuple[TransitionCrf, ChainData]:
    random = np.random.default_rng(5)
    nodes, edges = (csr_matrix(random.integers(0, 2, (sum(LENGTHS), width)).astype(float)) for width in (4, 3))
    model = TransitionCrf(random.normal(size=(4, 2)), random.normal(size=(3, 2, 2)))
    return model, ChainData(nodes, edges, LENGTHS)


def scored_paths(model: TransitionCrf, data: ChainData, start: int, length: int) -> dict[tuple[int, ...], float]:
    of_labels, of_moves = model.scores(data)
    return {
        path: sum(of_labels[start + at, label] for at, label in enumerate(path))
        + sum(of_moves[start + at, a, b] for at, (a, b) in enumerate(pairwise(path), 1))
        for path in product(range(2), repeat=length)
    }


def test_the_chain_is_the_one_of_all_paths(chain: tuple[TransitionCrf, ChainData]) -> None:
    model, data = chain
    total, of_tokens, of_pairs = loss_and_marginals(model, data)
    expected, start, best = 0.0, 0, list[int]()
    for length in LENGTHS:
        paths = scored_paths(model, data, start, length)
        weights = {path: np.exp(score) for path, score in paths.items()}
        whole = sum(weights.values())
        expected += np.log(whole)
        best += max(paths, key=lambda path: paths[path])
        for at in range(length):
            one = sum(weight for path, weight in weights.items() if path[at] == 1) / whole
            assert of_tokens[start + at, 1] == pytest.approx(one)
            if at:
                both = sum(weight for path, weight in weights.items() if path[at - 1 : at + 1] == (0, 1)) / whole
                assert of_pairs[start + at, 0, 1] == pytest.approx(both)
        start += length
    assert total == pytest.approx(expected)
    assert model.best(data).tolist() == best


def test_a_move_depends_on_a_feature_of_its_place() -> None:
    # After "x" the label stays, after "y" it changes: no weight of a label alone, nor one for each move, tells that.
    words = [[*"sxxyyx"], [*"sxyxxy"], [*"syyxyx"]] * 4
    gold = [at for of in words for at in _switching(of)]
    features = [[[word] if at else [] for at, word in enumerate(of)] for of in words]
    nodes, _ = numbered_features([word] if word == "s" else [] for of in words for word in of)
    edges, columns = numbered_features(found for of in features for found in of)
    data = ChainData(nodes, edges, [len(of) for of in words])
    model = fit_transition_crf(data, gold, 2, c1=0.0, c2=0.01, steps=30)
    assert model.best(data).tolist() == gold
    assert {*columns} == {"x", "y"}


def _switching(words: list[str]) -> list[int]:
    found = [1]
    for word in words[1:]:
        found.append(found[-1] ^ (word == "y"))
    return found


def test_a_feature_that_is_seen_once_has_no_column() -> None:
    rows, columns = numbered_features([["a", "b"], ["a"], ["c"], ["c"]])
    assert columns == {"a": 0, "c": 1}
    assert rows.toarray().tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    assert feature_rows([["b", "c"], ["new"]], columns).toarray().tolist() == [[0, 1], [0, 0]]


def test_features_have_the_names_of_stanford_ner() -> None:
    words = ["Herr", "Bolte", "kam"]
    assert node_features(words, ()) == [[], [], []]
    assert node_features(words, (PRIOR,)) == [["prior"]] * 3
    of_label = node_features(words, (OF_LABEL,))[1]
    assert [name.partition(":")[0] for name in of_label] == [
        "PTYPE", "NTYPE", "PW_CTYPE", "NW_CTYPE", "PCTYPE", "CNTYPE", "PCNTYPE",
    ]  # fmt: skip
    assert of_label[2].startswith("PW_CTYPE:Herr ")
    moves = edge_features(words, (OF_LABELS,))
    assert moves[0] == []
    assert [name.partition(":")[0] for name in moves[1]] == ["move", "TYPES", "TPS2", "TNS1"]
    assert edge_features(words, (PRIOR,)) == [[], ["move"], ["move"]]


def test_each_variant_is_trained_and_measured() -> None:
    of = generated_set("generated", 8, seed=1, split="train")
    texts = [
        AnnotatedText(
            note.note_id, note.text, tuple(LabelledSpan(s.start, s.end, s.label) for s in gold if s.label == "PER")
        )
        for note, gold in zip(of.notes, of.gold, strict=True)
    ]
    settings = load_training().crf
    small = settings.model_copy(
        update={
            "labels": ["PER"],
            "features": [
                FeatureSettings(family="word", window=[-1, 0, 1]),
                FeatureSettings(family="stanford_shape", window=[0]),
            ],
            "curve": settings.curve.model_copy(update={"iterations": 15}),
        }
    )
    tests = {"own": texts[:6], "other": texts[6:]}
    found = list(type_sequence_models(small, WordKnowledge(None, None, None), sequences_of(texts[:6]), tests))
    assert [trained.name for trained in found] == [*VARIANTS]
    assert all(trained.scores["other"].micro.gold == found[0].scores["other"].micro.gold > 0 for trained in found)
    assert all(trained.scores["own"].micro.f(1) > 0.8 for trained in found)
