"""The subtype classifier: gives each span the most probable type of its group (stacking/type_groups.py).

Recognisers know the type if a rule determines it ("geb.", "Dr."); the stacking model does not distinguish types. Two
classifiers follow each other. The first uses the features of the span; the second also uses the probabilities that the
first gave to other occurrences of the name (seed 004's iterative training). Rules for the patient's full name
(patient_name.py) come last. Range, label, recogniser, rule and score of a span do not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.core.labels import PhiType
from deid_core.core.spans import Span
from deid_core.ensemble.subtype.patient_name import patients_names
from deid_core.ensemble.subtype.repeat_features import MARKS, MOST_FORMS, PARTS, repeats
from deid_core.ensemble.subtype.subtype_features import (
    GROUPS,
    NO_GROUP,
    SLOTS,
    TYPES,
    SubtypeFeatures,
    Symbols,
    subtype_features,
)
from deid_core.ensemble.subtype.subtype_model import SubtypeModel
from deid_core.ensemble.word_form import word_forms
from deid_core.text.document import Document
from deid_core.text.token_ranges import overlapping_tokens
from deid_core.text.vocabulary import Vocabulary

_BOUNDS = np.cumsum([0, *map(len, GROUPS)])
"""The first column of each group, and the number of columns."""
_Array = npt.NDArray[Any]


class SubtypeClassifier:
    """Classifies the spans of documents of one vocabulary.

    Raises ConfigurationError if the model is damaged, or was trained with other features.
    """

    def __init__(self, model: SubtypeModel, vocabulary: Vocabulary) -> None:
        model.check(SLOTS, TYPES, PARTS * len(TYPES) + MARKS)
        self._model = model
        self._reader = SpanReader(Symbols(model.number_of, vocabulary), vocabulary)

    def decide(self, document: Document, spans: Sequence[Span]) -> tuple[Span, ...]:
        """Return the spans, each with the most probable type of its group."""
        typed, model = list(spans), self._model
        chosen, of_spans, groups, forms = self._reader.read(document, spans)
        first = probabilities(sums(of_spans, model.table, model.weights), groups)
        second = probabilities(repeats(first, groups, forms) @ model.second_weights, groups)
        for at, best in zip(chosen.tolist(), second.argmax(1).tolist(), strict=True):
            if spans[at].type is not TYPES[best]:
                typed[at] = spans[at]._replace(type=TYPES[best])
        for at in list(patients_names(document.text, typed)):
            typed[at] = typed[at]._replace(type=PhiType.PATIENT)
        return tuple(typed)


class SpanReader:
    """Extracts the features of spans in documents of one vocabulary."""

    def __init__(self, symbols: Symbols, vocabulary: Vocabulary) -> None:
        self._symbols = symbols
        self._forms = word_forms(vocabulary)

    def read(self, document: Document, spans: Sequence[Span]) -> tuple[_Array, SubtypeFeatures, _Array, _Array]:
        """Return the numbers of the spans to classify, and their features, groups and word forms.

        int64 (chosen,), see SubtypeFeatures, int32 (chosen,), and see `repeats`.
        """
        types = document.tokens.types
        places = np.array([span[:2] for span in spans], np.int32).reshape(-1, 2)
        touched = overlapping_tokens(document, places[:, 0], places[:, 1])
        kinds = self._symbols.kinds(spans).reshape(-1, 3)
        chosen = np.flatnonzero(kinds[:, 0] != NO_GROUP)
        words = touched[chosen, :1] + np.arange(MOST_FORMS)
        inside = words < touched[chosen, 1:]
        forms = np.zeros(words.shape, np.uint32)
        forms[inside] = self._forms.gather(types[words[inside]])
        return (
            chosen,
            subtype_features(document, places, touched, kinds, chosen, self._symbols),
            kinds[chosen, 0],
            forms,
        )


def sums(of_spans: SubtypeFeatures, table: _Array, weights: _Array) -> _Array:
    """Return the sum of each span's feature weights; float64 (spans, types). table, weights: see SubtypeModel."""
    scores = np.zeros((len(of_spans.bounds) - 1, weights.shape[1]))
    _sum(*of_spans, table, weights, scores)
    return scores


def probabilities(scores: _Array, groups: _Array) -> _Array:
    """Return the softmax over the types of each span's group, 0 for other types; both float64 (spans, types)."""
    result = np.zeros(scores.shape)
    _normalise(scores, groups, _BOUNDS, result)
    return result


@jit("void(i8[::1], i4[::1], i4[::1], i4[:,::1], f8[:,::1], f8[:,::1])")
def _sum(bounds: _Array, slots: _Array, symbols: _Array, table: _Array, weights: _Array, scores: _Array) -> None:
    for span in range(len(scores)):
        for at in range(bounds[span], bounds[span + 1]):
            row = table[slots[at], symbols[at]]
            if row:
                for n in range(weights.shape[1]):
                    scores[span, n] += weights[row, n]


@jit("void(f8[:,::1], i4[::1], i8[::1], f8[:,::1])")
def _normalise(scores: _Array, groups: _Array, bounds: _Array, result: _Array) -> None:
    for span in range(len(scores)):
        begin, end = bounds[groups[span]], bounds[groups[span] + 1]
        highest, total = scores[span, begin:end].max(), 0.0
        for n in range(begin, end):
            result[span, n] = np.exp(scores[span, n] - highest)
            total += result[span, n]
        for n in range(begin, end):
            result[span, n] /= total
