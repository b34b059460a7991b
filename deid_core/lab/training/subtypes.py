"""Trains the subtype model: two multinomial logistic regressions for each group of types.

The first regression weighs the features of a span, the second the first one's probabilities for the span and for other
occurrences of its name. The second learns from predictions on letters that the first was not trained on (stacking,
Wolpert 1992), so that it does not trust the first too much: every n-th letter belongs to the same fold. Spans are those
that the pipeline finds; their true types are those of the annotations that they overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from deid_core.ensemble.subtype.classifier import probabilities, sums
from deid_core.ensemble.subtype.repeat_features import repeats
from deid_core.ensemble.subtype.subtype_features import GROUP_OF, GROUPS, SLOTS, TYPES
from deid_core.ensemble.subtype.subtype_model import MODEL_FILE, SubtypeModel
from deid_core.lab.corpora.letters import AnnotatedLetter
from deid_core.lab.training.model_card import SubtypeRecord, model_card
from deid_core.lab.training.settings import SubtypeTrainingSettings
from deid_core.lab.training.subtype_examples import SubtypeExample, subtype_examples
from deid_core.pipeline.engine import Engine

_MIN_WEIGHT = 0.02
"""Features whose weights are all smaller are dropped."""
_MAX_ITERATIONS = 300
_Array = npt.NDArray[Any]


class _Numbering(dict[str, int]):
    """Numbers symbols in order of appearance, from 1."""

    def __missing__(self, symbol: str) -> int:
        number = self[symbol] = len(self) + 1
        return number


def train_subtypes(
    settings: SubtypeTrainingSettings, engine: Engine, letters: Iterable[AnnotatedLetter]
) -> tuple[SubtypeModel, str]:
    """Return the model and its card. engine: of a pipeline without a subtype model."""
    numbering = _Numbering()
    marked = ((letter.note, letter.gold) for letter in letters)
    examples = subtype_examples(engine, marked, numbering.__getitem__)
    inputs, types = [], []
    for fold in range(settings.folds):
        rows, weights = _first(settings, [e for n, e in enumerate(examples) if n % settings.folds != fold])
        table = _table(rows, len(numbering))
        for example in examples[fold :: settings.folds]:
            first = probabilities(sums(example.facts, table, weights), example.groups)
            inputs.append(repeats(first, example.groups, example.forms))
            types.append(example.types)
    second = _second(settings, np.concatenate(inputs), np.concatenate(types))
    rows, weights = _first(settings, examples)
    known = sorted(set(rows[:, 1].tolist()))
    symbols = {number: symbol for symbol, number in numbering.items()}
    renumbered = {number: at for at, number in enumerate(known, 1)}
    rows[:, 1] = [renumbered[number] for number in rows[:, 1].tolist()]
    names = [symbols[number] for number in known]
    model = SubtypeModel.from_arrays(settings.model, SLOTS, TYPES, names, rows, weights[1:], second)
    counts = np.bincount(np.concatenate([e.types[e.types >= 0] for e in examples]), minlength=len(TYPES)).tolist()
    record = SubtypeRecord(
        kind="subtypes",
        name=settings.model,
        pipeline=settings.pipeline,
        letters=settings.letters,
        letter_count=len(examples),
        spans={str(phi): count for phi, count in zip(TYPES, counts, strict=True)},
        min_count=settings.min_count,
        c=settings.c,
        second_c=settings.second_c,
        folds=settings.folds,
    )
    return model, model_card(record, {MODEL_FILE: model.data})


def _first(settings: SubtypeTrainingSettings, examples: Sequence[SubtypeExample]) -> tuple[_Array, _Array]:
    """Return features (slot and symbol), int64 (features, 2), and their weights below a row of zeros."""
    span_of, slots, symbols, start = [], [], [], 0
    for example in examples:
        sizes = np.diff(example.facts.bounds)
        span_of.append(np.repeat(np.arange(start, start + len(sizes)), sizes))
        slots.append(example.facts.slots)
        symbols.append(example.facts.symbols)
        start += len(sizes)
    features = np.column_stack([np.concatenate(slots), np.concatenate(symbols)])
    rows, columns, counts = np.unique(features, axis=0, return_inverse=True, return_counts=True)
    frequent = counts >= settings.min_count
    numbers = np.cumsum(frequent) - 1
    used = frequent[columns]
    matrix = csr_matrix(
        (np.ones(int(used.sum())), (np.concatenate(span_of)[used], numbers[columns[used]])),
        (start, int(frequent.sum())),
    )
    weights = _fitted(matrix, np.concatenate([e.types for e in examples]), settings.c)
    strong = np.abs(weights).max(1) >= _MIN_WEIGHT
    return rows[frequent][strong].astype(np.int64), np.concatenate([np.zeros((1, len(TYPES))), weights[strong]])


def _second(settings: SubtypeTrainingSettings, inputs: _Array, types: _Array) -> _Array:
    return _fitted(csr_matrix(inputs), types, settings.second_c)


def _fitted(matrix: csr_matrix, types: _Array, c: float) -> _Array:
    """Fit one regression without intercept a group; float64 (features, types), 0 for types that do not occur."""
    weights = np.zeros((matrix.shape[1], len(TYPES)))
    groups = np.array([GROUP_OF[phi] for phi in TYPES])
    for group in range(len(GROUPS)):
        spans = np.flatnonzero((types >= 0) & (groups[types] == group))
        if len(set(types[spans].tolist())) <= 1:
            continue
        regression = LogisticRegression(C=c, max_iter=_MAX_ITERATIONS, fit_intercept=False)
        fitted = regression.fit(matrix[spans], types[spans])
        coefficients = fitted.coef_
        # Of two classes scikit-learn gives the weights of the second one only.
        if len(coefficients) == 1:
            coefficients = np.concatenate([-coefficients, coefficients]) / 2
        weights[:, fitted.classes_] = coefficients.T
    return weights


def _table(rows: _Array, symbols: int) -> _Array:
    table = np.zeros((len(SLOTS), symbols + 1), np.int32)
    table[rows[:, 0], rows[:, 1]] = np.arange(1, len(rows) + 1)
    return table
