"""Recogniser `crf`: names and places by their form and their context (seed 000, section 4.2).

A note is one sequence, line breaks included; the tagger gives each token its label. A label is what an entity is
("PER"), or has a prefix that says where the entity begins ("B-PER", "I-PER"). Adjacent tokens whose labels are equal
but for the prefix form one entity, which ends at the latest with its line or cell. The score is the probability of the
entity's label at its least certain token: the sum of the marginals with B- and I- there. So a score can be compared
with a threshold and does not fall with the length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.crf.compiled_crf import CompiledCrf
from deid_core.crf.entities_from_labels import OUTSIDE, find_entities
from deid_core.crf.tagger import CrfTagger
from deid_core.recognisers.settings import CrfSettings
from deid_core.text.document import Document
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_TYPES = {"PER": PhiType.PERSON, "LOC": PhiType.PLACE, "ORG": PhiType.ORGANISATION}
_SCORE_DIGITS = 4
"""Decimals of a score: the last bits of an exponential depend on the machine, and audit rows must not."""


class CrfRecogniser:
    """Finds entities of a model's labels; see the module.

    Raises ConfigurationError if the settings name a label that the model does not have.
    """

    kind = "crf"

    def __init__(self, settings: CrfSettings, crf: CompiledCrf, vocabulary: Vocabulary) -> None:
        entity_labels = [label.removeprefix("B-").removeprefix("I-") for label in crf.labels]
        if missing := [label for label in settings.labels if label not in entity_labels]:
            known = ", ".join(sorted(set(entity_labels)))
            raise ConfigurationError(
                f"crf: labels: model {settings.model!r} has no {', '.join(missing)}; it has: {known}"
            )
        # For each entity label the label, type and rule of its detections.
        self._results = [(label_of(_TYPES[name]), _TYPES[name], f"{self.kind}.{name}") for name in settings.labels]
        # Without a threshold no probability is enough.
        self._threshold = math.inf if settings.threshold is None else settings.threshold
        self._tagger = CrfTagger(crf, vocabulary)
        # For each label of the model: 1 + the index of its entity label in the settings, or OUTSIDE.
        places: dict[str, int] = {label: place for place, label in enumerate(settings.labels, start=1)}
        self._entity_label_of = np.array([places.get(name, OUTSIDE) for name in entity_labels], np.int8)
        self._begins = np.array([label.startswith("B-") for label in crf.labels])
        self._names = TypeFeature(vocabulary, lambda word: any(map(str.isalnum, word)), bool)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """Return a detection for each entity; `rule` is "crf." and the model's label without prefix, e.g. "crf.PER"."""
        types, numbers = document.sequence
        labels, marginals = self._tagger.tag_with_marginals(types, np.array([0, len(types)], np.int64))
        tokens, size = document.tokens, len(types)
        start_tokens, end_tokens = np.empty(size, np.int32), np.empty(size, np.int32)
        entity_labels, scores = np.empty(size, np.int8), np.empty(size)
        promotable = self._names.gather(tokens.types)
        count = find_entities(
            labels, marginals, numbers, promotable, self._entity_label_of, self._begins, self._threshold,
            start_tokens, end_tokens, entity_labels, scores,
        )  # fmt: skip
        starts, ends = tokens.starts[start_tokens[:count]].tolist(), tokens.ends[end_tokens[:count] - 1].tolist()
        results = [self._results[number - 1] for number in entity_labels[:count].tolist()]
        return [
            Detection(start, end, label, phi, self.kind, rule, round(min(score, 1.0), _SCORE_DIGITS))
            for start, end, (label, phi, rule), score in zip(
                starts, ends, results, scores[:count].tolist(), strict=True
            )
        ]
