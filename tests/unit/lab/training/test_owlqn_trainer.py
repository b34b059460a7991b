"""The CRF trainer: objective and weights of CRFsuite's own training."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_crf import TEMPLATES, random_labels, random_sequences, shape

from deid_core.crf.crfsuite_file import read_crfsuite
from deid_core.crf.features.templates import PairTemplate, Slot, Template, Templates, window
from deid_core.crf.weights import CrfWeights
from deid_core.lab.training.owlqn_trainer.dataset import AllowedLabels, Examples
from deid_core.lab.training.owlqn_trainer.objective import Objective
from deid_core.lab.training.owlqn_trainer.owlqn import Progress, Weights, minimise
from deid_core.lab.training.owlqn_trainer.token_streams import Stream

NAMES = ("O", "PER", "LOC", "ORG")
MANY = tuple(f"L{n}" for n in range(17))
SEQUENCES = random_sequences(3, 60)
LABELS = random_labels(4, SEQUENCES, NAMES)
SAID = Templates((Template("said", lambda word: (shape(word),), window("said", -1, 0, 1)),))
"""A second stream, parallel to the first."""
C1, C2 = 0.1, 0.2


def known(labels: Sequence[Sequence[str]]) -> list[list[AllowedLabels]]:
    return [[(label,) for label in of_sequence] for of_sequence in labels]


def examples(
    sequences: Sequence[Sequence[str]] = SEQUENCES, labels: Sequence[Sequence[AllowedLabels]] | None = None
) -> Examples:
    words, said = Stream([TEMPLATES]), Stream([SAID])
    for sequence in sequences:
        words.add(sequence)
        said.add(sequence)
    return Examples([words, said], known(LABELS) if labels is None else labels)


OF_LABEL = {"PER": ("PER",), "O": ("O", "LOC"), "LOC": ("LOC", "O", "ORG"), "ORG": ("ORG", "LOC")}
PARTLY_KNOWN: list[list[AllowedLabels]] = [[OF_LABEL[label] for label in of_sequence] for of_sequence in LABELS]


def attributes(sequence: Sequence[str]) -> list[list[str]]:
    both = zip(TEMPLATES.attributes(sequence), SAID.attributes(sequence), strict=True)
    return [words + said for words, said in both]


def weights_of(model: CrfWeights) -> dict[tuple[str, str], float]:
    """Weights by attribute and label, and by label and next label "\n"."""
    states = zip(
        model.state_attributes.tolist(), model.state_labels.tolist(), model.state_weights.tolist(), strict=True
    )
    found = {(model.attributes[attribute], model.labels[label]): weight for attribute, label, weight in states}
    for before, after in np.argwhere(model.transitions).tolist():
        found["\n" + model.labels[before], model.labels[after]] = float(model.transitions[before, after])
    return found


def crfsuite_trained(iterations: int) -> CrfWeights:
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": C1, "c2": C2, "max_iterations": iterations, "epsilon": 1e-9, "delta": 1e-9})
    for sequence, labels in zip(SEQUENCES, LABELS, strict=True):
        trainer.append(attributes(sequence), list(labels))
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(f"{folder}/model")
        return read_crfsuite(Path(folder, "model").read_bytes())


def trained(objective: Objective, steps: int) -> Weights:
    return minimise(objective, objective.start, c1=C1, steps=steps)


def scores_of_paths(
    model: CrfWeights, sequence: Sequence[str], possible: Sequence[AllowedLabels]
) -> npt.NDArray[np.float64]:
    weights, of_words = weights_of(model), attributes(sequence)
    return np.array(
        [
            sum(weights.get((name, label), 0.0) for names, label in zip(of_words, path, strict=True) for name in names)
            + sum(weights.get(("\n" + before, after), 0.0) for before, after in pairwise(path))
            for path in product(*possible)
        ]
    )


def test_a_word_with_several_allowed_labels_may_have_any_of_them() -> None:
    """The likelihood is the share that the possible paths have of all."""
    sequences, labels = [s[:4] for s in SEQUENCES[:12]], [s[:4] for s in PARTLY_KNOWN[:12]]
    objective = Objective(examples(sequences, labels), 0.0)
    weights = np.random.default_rng(6).normal(size=len(objective.start))
    model = objective.model(weights)
    expected = 0.0
    for sequence, possible in zip(sequences, labels, strict=True):
        anything = scores_of_paths(model, sequence, [model.labels] * len(sequence))
        expected += np.logaddexp.reduce(anything) - np.logaddexp.reduce(scores_of_paths(model, sequence, possible))
    assert objective(weights)[0] == pytest.approx(expected)


def test_training_finds_the_weights_of_crfsuite() -> None:
    objective = Objective(examples(), C2)
    ours, theirs = weights_of(objective.model(trained(objective, 400))), weights_of(crfsuite_trained(400))
    assert len(theirs) > 100
    pairs = {*ours, *theirs}
    assert max(abs(ours.get(pair, 0.0) - theirs.get(pair, 0.0)) for pair in pairs) < 0.01


def test_each_step_lowers_the_value_and_the_l1_norm_zeroes_weights() -> None:
    objective, seen = Objective(examples(), C2), list[Progress]()
    minimise(objective, objective.start, c1=10 * C1, steps=30, progress=seen.append)
    assert [progress.step for progress in seen] == list(range(1, 31))
    assert all(one.value > other.value for one, other in pairwise(seen))
    assert 0 < seen[-1].weights < len(objective.start) / 2


@pytest.mark.parametrize(
    "labels",
    [known(LABELS[:6]), PARTLY_KNOWN[:6], *(known(random_labels(4, SEQUENCES[:6], n)) for n in (NAMES[:2], MANY))],
)
def test_the_gradient_matches_finite_differences(labels: list[list[AllowedLabels]]) -> None:
    objective = Objective(examples(SEQUENCES[:6], labels), C2)
    draw = np.random.default_rng(5)
    weights, direction = (draw.normal(size=len(objective.start)) for _ in range(2))
    _, gradient = objective(weights)
    step = 1e-5
    (above, _), (below, _) = objective(weights + step * direction), objective(weights - step * direction)
    assert (above - below) / (2 * step) == pytest.approx(float(gradient @ direction), rel=1e-6)


def test_sequences_may_be_empty_or_single_words() -> None:
    some = [[], ["Herr"], ["Herr", "Meier"], []]
    labels = [["PER"] * len(sequence) for sequence in some]
    labels[2][0] = "O"
    objective = Objective(examples(some, known(labels)), C2)
    value, _ = objective(objective.start)
    assert value == pytest.approx(3 * np.log(2))
    alone = Objective(examples(some[2:3], known(labels[2:3])), C2)
    assert alone(alone.start)[0] == pytest.approx(2 * np.log(2))


WORD = Templates((Template("word", lambda word: (word,), window("word", 0)),))
"""The word alone."""


def single_words(*words: str) -> Stream:
    """Sequences of one word each."""
    stream = Stream([WORD])
    for word in words:
        stream.add([word])
    return stream


def test_of_several_allowed_labels_the_primary_one_counts_as_observed() -> None:
    objective = Objective(Examples([single_words("x")], [[("B", "A")]]), 0.0)
    assert len(objective.start) == 1
    model = objective.model(np.ones(1))
    assert [model.labels[label] for label in model.state_labels] == ["B"]


@pytest.mark.parametrize("distance", [700.0, 712.0, 740.0, 800.0])
def test_the_gradient_is_finite_where_the_value_is(distance: float) -> None:
    """A known label so far below the others that its share is at the end of what a float can hold."""
    objective = Objective(Examples([single_words("x", "y")], [[("A",)], [("B",)]]), 0.0)
    weights = np.where(np.arange(len(objective.start)) == 0, -distance, 0.0)
    value, gradient = objective(weights)
    assert value == np.inf or (value == pytest.approx(distance + np.log(2)) and np.isfinite(gradient).all())


def test_underflow_gives_an_infinite_loss() -> None:
    objective = Objective(examples(), C2)
    weights = objective.start
    weights[-(len(NAMES) ** 2) :] = -800.0  # All transitions.
    value, _ = objective(weights)
    assert value == np.inf


def test_a_second_source_uses_its_own_lists() -> None:
    def listed(known: str) -> Templates:
        return Templates(
            (Template("listed", lambda word: ("yes",) if word == known else (), window("listed", 0)),),
            (PairTemplate("pair", lambda word: word if word == known else "", -1, 0),),
        )

    words = Stream([listed("Ulm"), listed("Köln")])
    words.add(["Ulm", "Ulm", "Köln"], 0)
    words.add(["Ulm", "Köln", "Köln"], 1)
    made = Examples([words], known([["A", "A", "B"], ["C", "A", "A"]]))
    assert made.attributes == ["listed[0]:yes", "pair[-1,0]:Ulm\x1fUlm", "pair[-1,0]:Köln\x1fKöln"]
    objective = Objective(made, 0.0)
    # "yes" is seen beside A alone, whichever list the word is in; so are both pairs.
    states = objective.model(np.ones(len(objective.start)))
    assert {pair for pair in weights_of(states) if not pair[0].startswith("\n")} == {
        (attribute, "A") for attribute in made.attributes
    }


def test_streams_of_other_lengths_are_refused() -> None:
    words = Stream([TEMPLATES])
    words.add(["Herr", "Meier"])
    with pytest.raises(ValueError, match="different lengths"):
        Examples([words], [[("O",)]])


def test_streams_with_equal_attributes_are_refused() -> None:
    streams = [single_words("Herr"), single_words("Herr")]
    with pytest.raises(ValueError, match="same attributes"):
        Examples(streams, [[("O",)]])
    with pytest.raises(ValueError, match="offset twice"):
        Stream([Templates((Template("word", lambda word: (word,), (Slot("word", (1, 1)),)),))])


def test_the_search_stops_at_a_minimum() -> None:
    seen = list[Progress]()
    found = minimise(lambda at: (float(at @ at), 2 * at), np.zeros(3), c1=0.1, steps=50, progress=seen.append)
    assert (found.tolist(), seen) == ([0.0] * 3, [])


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6), st.floats(0, 3))
def test_the_l1_norm_shrinks_each_weight(centre: list[float], c1: float) -> None:
    # Of half the squared distance from a point the minimum is known: the point, drawn to zero by c1.
    point = np.array(centre)

    def distance(weights: Weights) -> tuple[float, Weights]:
        return float((weights - point) @ (weights - point)) / 2, weights - point

    found = minimise(distance, np.zeros(len(point)), c1=c1, steps=200)
    assert found == pytest.approx(np.sign(point) * np.maximum(np.abs(point) - c1, 0), abs=1e-4)


def test_a_prior_is_where_training_begins_and_what_it_is_pulled_to() -> None:
    base = examples()
    objective = Objective(base, C2)
    shipped = objective.model(trained(objective, 40))
    # Other labels: every PER is a LOC now.
    changed = known([["LOC" if label == "PER" else label for label in of_sequence] for of_sequence in LABELS])
    names = shipped.labels
    words, said = Stream([TEMPLATES]), Stream([SAID])
    for sequence in SEQUENCES:
        words.add(sequence)
        said.add(sequence)
    further = Examples([words, said], changed, names)
    distances = []
    for c2 in (1e9, 10.0, 0.1):
        near = Objective(further, c2, shipped)
        value, gradient = near(near.start)
        assert np.isfinite(value) and gradient.any()
        found = weights_of(near.model(minimise(near, near.start, c1=0.0, steps=40)))
        before = weights_of(shipped)
        distances.append(sum((found.get(k, 0.0) - before.get(k, 0.0)) ** 2 for k in found.keys() | before.keys()))
    assert distances[0] < 1e-6 < distances[1] < distances[2]
    with pytest.raises(ValueError, match="other labels"):
        Objective(base, C2, replace(shipped, labels=names[::-1]))


def test_the_gradient_with_a_prior_is_that_of_differences() -> None:
    base = examples()
    plain = Objective(base, C2)
    shipped = plain.model(trained(plain, 10))
    objective = Objective(base, C2, shipped)
    random = np.random.default_rng(5)
    at = random.normal(size=len(objective.start)) * 0.1
    step = random.normal(size=len(at)) * 1e-5
    slope = float(objective(at)[1] @ step)
    assert objective(at + step)[0] - objective(at - step)[0] == pytest.approx(2 * slope, rel=1e-4)


def test_attributes_of_few_sequences_get_no_weights() -> None:
    base = examples()
    counts = base.sequence_counts(base.sequences)
    seen = [{a for word in attributes(sequence) for a in word} for sequence in SEQUENCES]
    expected = np.array([sum(name in of_sequence for of_sequence in seen) for name in base.attributes])
    # More where a value is in the sequence, but never at this position of the window.
    assert (counts >= expected).all()
    pairs = np.array(["," in name.partition(":")[0] for name in base.attributes])
    assert (counts[pairs] == expected[pairs]).all()
    objective = Objective(base, C2, min_sequences=5, chosen=range(20))
    model = objective.model(trained(objective, 5))
    few = {
        name
        for name, count in zip(base.attributes, base.sequence_counts(base.sequences[:20]), strict=True)
        if count < 5
    }
    assert few and not few & {*model.attributes}


def test_weights_of_some_attributes_and_of_the_others() -> None:
    base = examples()
    objective = Objective(base, C2)
    whole = objective.model(trained(objective, 10)).rounded().pruned()
    some = {name for name in whole.attributes if hash(name) % 2 or "word" in name}
    part = whole.only(some)
    assert {*part.attributes} == some
    assert weights_of(part.with_others_of(whole, some).pruned()) == weights_of(whole)
    assert weights_of(part.with_others_of(whole, whole.attributes)) == weights_of(part)
