"""The step of the engine that gives spans their finer type, once all that is removed is settled.

Recognisers know the type where a rule says it ("geb.", "Dr."); the learned decision tells no types apart. Here each
type of a span's class gets a probability twice: from what stands around the span, then also from what that said of
the other places of the name (seed 004's iterative training, with facts in place of its features). The text that is
removed and its label stay as they are; so do recogniser, rule and score, which say why it is removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.core.spans import Span
from deid_core.ensemble.subtype.features import GROUPS, NO_GROUP, SLOTS, TYPES, Facts, Symbols, facts
from deid_core.ensemble.subtype.model import SubtypeModel
from deid_core.ensemble.subtype.repeats import MARKS, MOST_FORMS, PARTS, repeats
from deid_core.ensemble.word_form import word_forms
from deid_core.text.document import Document
from deid_core.text.token_ranges import overlapping_tokens
from deid_core.text.vocabulary import Vocabulary

_BOUNDS = np.cumsum([0, *map(len, GROUPS)])
"""Where each group's columns begin, and where all end."""
_Array = npt.NDArray[Any]


class SubtypeClassifier:
    """Gives types to the spans of documents of one vocabulary.

    Raises ConfigurationError if the model is damaged, or of another version of this code.
    """

    def __init__(self, model: SubtypeModel, vocabulary: Vocabulary) -> None:
        model.check(SLOTS, TYPES, PARTS * len(TYPES) + MARKS)
        self._model = model
        self._reader = SpanReader(Symbols(model.number_of, vocabulary), vocabulary)

    def decide(self, document: Document, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The spans, each with the type of its class that is likeliest."""
        typed, model = list(spans), self._model
        chosen, of_spans, groups, forms = self._reader.read(document, spans)
        first = probabilities(sums(of_spans, model.table, model.weights), groups)
        second = probabilities(repeats(first, groups, forms) @ model.second_weights, groups)
        for at, best in zip(chosen.tolist(), second.argmax(1).tolist(), strict=True):
            if spans[at].type is not TYPES[best]:
                typed[at] = spans[at]._replace(type=TYPES[best])
        return tuple(typed)


class SpanReader:
    """Reads what the types of spans are weighed by, in documents of one vocabulary."""

    def __init__(self, symbols: Symbols, vocabulary: Vocabulary) -> None:
        self._symbols = symbols
        self._forms = word_forms(vocabulary)

    def read(self, document: Document, spans: Sequence[Span]) -> tuple[_Array, Facts, _Array, _Array]:
        """The numbers of the spans whose types have others beside them, and their facts, groups and forms.

        int64 (chosen,), see Facts, int32 (chosen,), see `repeats`.
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
        return chosen, facts(document, places, touched, kinds, chosen, self._symbols), kinds[chosen, 0], forms


def sums(of_spans: Facts, table: _Array, weights: _Array) -> _Array:
    """The weights of each span's facts, summed; float64 (spans, types). table, weights: see SubtypeModel."""
    scores = np.zeros((len(of_spans.bounds) - 1, weights.shape[1]))
    _sum(*of_spans, table, weights, scores)
    return scores


def probabilities(scores: _Array, groups: _Array) -> _Array:
    """Of each span's types, 0 for those of other groups; both float64 (spans, types)."""
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
