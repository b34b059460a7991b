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
from deid_core.sequence.note_sequence import NO_TOKEN, sequence_types
from deid_core.sequence.tagger import CrfTagger, above_threshold
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary

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

    def recognise(self, document: Document) -> Iterable[Detection]:
        """A detection for each entity; `rule` is "crf." and the model's class, e.g. "crf.PER"."""
        types, numbers = sequence_types(document.text, document.tokens)
        bounds = np.array([0, len(types)], np.int64)
        labels = self._tagger.tag(types, bounds)
        if self._threshold is None and not self._class_of[labels].any():
            return []
        marginals = self._tagger.marginals(types, bounds)
        if self._threshold is not None:
            labels = above_threshold(labels, marginals, self._class_of != _OUTSIDE, self._threshold)
        firsts, lasts, classes = self._entities(labels, numbers)
        starts, ends = document.tokens.starts[numbers[firsts]], document.tokens.ends[numbers[lasts]]
        return [
            self._detection(int(start), int(end), number, self._score(marginals[first : last + 1], number))
            for start, end, number, first, last in zip(
                starts, ends, classes.tolist(), firsts.tolist(), lasts.tolist(), strict=True
            )
        ]

    def _entities(
        self, labels: npt.NDArray[np.int8], numbers: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.int8]]:
        """First and last place and class of each entity in the sequence; a line break belongs to none."""
        classes = np.where(numbers == NO_TOKEN, _OUTSIDE, self._class_of[labels])
        changes = np.diff(classes, prepend=_OUTSIDE) != 0
        firsts = np.flatnonzero((classes != _OUTSIDE) & (changes | self._begins[labels]))
        # An entity ends before the next place that changes class or begins one, or with the sequence.
        bounds = np.append(np.flatnonzero(changes | self._begins[labels]), len(classes))
        lasts = bounds[np.searchsorted(bounds, firsts, side="right")] - 1
        return firsts, lasts, classes[firsts]

    def _score(self, marginals: npt.NDArray[np.float64], number: int) -> float:
        of_class = marginals[:, self._class_of == number].sum(axis=1)
        return round(min(float(of_class.min()), 1.0), _SCORE_DIGITS)

    def _detection(self, start: int, end: int, number: int, score: float) -> Detection:
        name = self._classes[number - 1]
        phi = _TYPES[name]
        return Detection(start, end, label_of(phi), phi, self.kind, f"{self.kind}.{name}", score)
