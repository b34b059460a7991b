"""Recogniser `crf`: names and places by what they look like and what stands around them (seed 000, section 4.2).

A note is one sequence, line breaks and all; the tagger gives each token its label. Labels are classes alone ("PER")
or with a prefix that says where an entity begins ("B-PER", "I-PER"); neighbours of one class are one entity, and an
entity ends with its line or cell. Its score is the probability of its class at its least sure token: the sum of the
class's marginals there. So a score can be compared with the threshold, and does not fall with the entity's length.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from deid_core.config import CrfSettings
from deid_core.errors import ConfigurationError
from deid_core.labels import PhiType, label_of
from deid_core.recognise.base import Document
from deid_core.sequence.compiled import CompiledCrf
from deid_core.sequence.note_sequence import NO_TOKEN
from deid_core.sequence.tagger import CrfTagger
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary
from deid_core.word_types import TypeColumn

_TYPES = {"PER": PhiType.PERSON, "LOC": PhiType.PLACE, "ORG": PhiType.ORGANISATION}
_OUTSIDE = 0
_SCORE_DIGITS = 4
"""Of a score: the last bits of an exponential depend on the machine, and audit rows should not."""


class CrfRecogniser:
    """Entities of a model's classes; see the module.

    Raises ConfigurationError if the settings name a class that the model does not have.
    """

    kind = "crf"

    def __init__(self, settings: CrfSettings, crf: CompiledCrf, vocabulary: Vocabulary) -> None:
        classes = [label.removeprefix("B-").removeprefix("I-") for label in crf.labels]
        if missing := [label for label in settings.labels if label not in classes]:
            known = ", ".join(sorted(set(classes)))
            raise ConfigurationError(
                f"crf: labels: model {settings.model!r} has no {', '.join(missing)}; it has: {known}"
            )
        self._classes = tuple(settings.labels)
        self._threshold = settings.threshold
        self._tagger = CrfTagger(crf, vocabulary)
        # For each label of the model: 1 + the place of its class among the settings', or _OUTSIDE.
        places: dict[str, int] = {label: place for place, label in enumerate(settings.labels, start=1)}
        self._class_of = np.array([places.get(name, _OUTSIDE) for name in classes], np.int8)
        self._begins = np.array([label.startswith("B-") for label in crf.labels])
        # (labels, classes): what sums the marginals of labels to those of the settings' classes.
        self._of_class = np.equal.outer(self._class_of, np.arange(1, len(settings.labels) + 1)).astype(float)
        self._names = TypeColumn(vocabulary, lambda word: any(map(str.isalnum, word)), bool)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """A detection for each entity; `rule` is "crf." and the model's class, e.g. "crf.PER"."""
        types, numbers = document.sequence
        bounds = np.array([0, len(types)], np.int64)
        labels, marginals = self._tagger.tag_with_marginals(types, bounds)
        is_token = numbers != NO_TOKEN
        classes = np.where(is_token, self._class_of[labels], _OUTSIDE).astype(np.int8)
        if not len(classes) or (self._threshold is None and not classes.any()):
            return []
        probabilities = marginals @ self._of_class
        begins = self._begins[labels]
        if self._threshold is not None:
            raised = (classes == _OUTSIDE) & is_token & (probabilities.max(axis=1) >= self._threshold)
            raised[is_token] &= self._names.gather(document.tokens.types)
            classes[raised] = probabilities.argmax(axis=1)[raised] + 1
            # A raised token belongs to its neighbours of the same class.
            begins &= ~np.roll(raised, 1) & ~raised
        places = _runs(classes, begins)
        # Of each token the probability of its class; of an entity that of its least sure token.
        own = probabilities[np.arange(len(classes)), np.maximum(classes, 1) - 1]
        is_entity = classes[places[:-1]] != _OUTSIDE
        firsts, lasts = places[:-1][is_entity], places[1:][is_entity] - 1
        columns = (
            document.tokens.starts[numbers[firsts]],
            document.tokens.ends[numbers[lasts]],
            classes[firsts],
            np.minimum.reduceat(own, places[:-1])[is_entity],
        )
        return [self._detection(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    def _detection(self, start: int, end: int, number: int, probability: float) -> Detection:
        name = self._classes[number - 1]
        phi = _TYPES[name]
        score = round(min(probability, 1.0), _SCORE_DIGITS)
        return Detection(start, end, label_of(phi), phi, self.kind, f"{self.kind}.{name}", score)


def _runs(classes: npt.NDArray[np.int8], begins: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Where runs of one class that no token begins anew start in the sequence, and its end; not for an empty one."""
    starts = begins & (classes != _OUTSIDE)
    starts[0] = True
    starts[1:] |= classes[1:] != classes[:-1]
    return np.append(np.flatnonzero(starts), len(classes))
