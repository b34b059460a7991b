"""Adapts the stacking model to the letters of one hospital, on top of the weights that are shipped.

Training goes on from the shipped weights, with a Gaussian prior around them (Chelba and Acero 2004): what the few
letters say nothing of stays as it is, and the letters that the weights were made from are not needed. Features that the
shipped model lacks get weights if at least MIN_LETTERS letters have them: a name of one letter is not in the model.

adaptation_trial.py measures what that gives, and decides.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, label_of
from deid_core.crf.weights import CrfWeights
from deid_core.ensemble import own_lists
from deid_core.ensemble.settings import ListsSettings
from deid_core.ensemble.stacking.type_groups import OUTSIDE, TYPE_GROUPS
from deid_core.lab.corpora.marked_letters import MarkedLetter, MarkedSpan
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.training.owlqn_trainer.dataset import AllowedLabels, Examples
from deid_core.lab.training.owlqn_trainer.objective import Objective
from deid_core.lab.training.owlqn_trainer.owlqn import minimise
from deid_core.lab.training.owlqn_trainer.token_streams import Stream
from deid_core.lab.training.stacking import AnnotatedRange, labelled_sequence, stacking_labels_of
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.recognisers.author import AuthorRecogniser

MIN_LETTERS = 3
"""Letters that must have a feature which the shipped model lacks."""
_C2 = 2.0
"""Weight of the squared difference from the shipped weights."""
_STEPS = 30


class AdaptationExamples:
    """The letters of a hospital as training arrays, with the shipped weights of the attributes that occur in them."""

    def __init__(self, spec: EngineSpec, letters: Sequence[MarkedLetter]) -> None:
        """Raise ConfigurationError if the pipeline has no stacking model."""
        if spec.stacking is None or spec.model is None:
            raise ConfigurationError(f"pipeline {spec.pipeline.name} has no stacking model to adapt")
        whole = spec.stacking.with_word_knowledge_of(spec.model)
        of_words, of_detections = Stream([whole.templates(spec.gazetteer)]), Stream([whole.detection_templates()])
        # What the stacking model does not decide about must not become a feature of it.
        without = {*spec.compiled.unstacked, own_lists.KIND, AuthorRecogniser.kind}
        before = spec.pipeline.model_copy(update={"stacking": None, "subtypes": None, "lists": ListsSettings()})
        engine = Engine(replace(spec, pipeline=before, stacking=None, subtypes=None))
        self._shipped = spec.stacking.weights()
        known = frozenset(self._shipped.labels)
        outside, labels = outside_labels(letters), []
        for letter in letters:
            text = letter.note.text
            annotations = [
                AnnotatedRange(mark.start, mark.end, allowed_labels(mark, text[mark.start : mark.end]))
                for mark in letter.marks
            ]
            sequence = labelled_sequence(letter.note, annotations, outside, engine, 0.0, Draw(""), without)
            of_words.add(sequence.words)
            of_detections.add(sequence.detections)
            labels.append([labels_of_model(allowed, known) for allowed in sequence.labels])
        self._examples = Examples([of_words, of_detections], labels, self._shipped.labels)
        self._prior = self._shipped.only(self._examples.attributes)
        # The layers have a share of the emissions and stay, so what the weights learn has to count for both.
        layers = spec.compiled.stacking.convolution if spec.compiled.stacking else None
        self._factor = 1 / (1 - layers.share) if layers else 1.0

    def adapted(self, numbers: Sequence[int]) -> CrfWeights:
        """Return weights adapted to the letters of these numbers, of the attributes that any of the letters have."""
        objective = Objective(self._examples, _C2, self._prior, chosen=numbers, min_sequences=MIN_LETTERS)
        found = minimise(objective, objective.start, c1=0.0, steps=_STEPS)
        return objective.model(found, self._factor).rounded().pruned()

    def whole(self, weights: CrfWeights) -> CrfWeights:
        """Return adapted weights with the shipped ones of all attributes that the letters do not have."""
        return weights.with_others_of(self._shipped, self._examples.attributes).pruned()


def marked_labels(letters: Sequence[MarkedLetter]) -> frozenset[Label]:
    """Return the labels that are marked anywhere in the letters."""
    return frozenset(mark.label for letter in letters for mark in letter.marks)


def outside_labels(letters: Sequence[MarkedLetter]) -> AllowedLabels:
    """Return the labels that a word without a mark may have.

    A type group whose label is nowhere marked is probably not marked at all: any word may be of it
    (partial_annotation.py).
    """
    marked = marked_labels(letters)
    return (OUTSIDE, *(name for name, types in TYPE_GROUPS.items() if not marked.intersection(map(label_of, types))))


def labels_of_model(allowed: AllowedLabels, known: Collection[str]) -> AllowedLabels:
    """Return the allowed labels that a model knows, else outside.

    A model that was trained on letters without postcodes has no label for them.
    """
    return tuple(label for label in allowed if label in known) or (OUTSIDE,)


def allowed_labels(mark: MarkedSpan, text: str) -> AllowedLabels:
    """Return the labels that a marked word may have: those of its types, outside last. text: of the mark."""
    found = dict.fromkeys(label for phi in mark.types for label in stacking_labels_of(phi, text))
    return tuple(sorted(found, key=OUTSIDE.__eq__))
