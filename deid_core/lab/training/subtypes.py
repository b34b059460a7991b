"""Trains the finer types: two multinomial logistic regressions for each group of types.

The first weighs the facts around a span, the second what the first said of the span and of the other places of its
name. So that the second does not trust the first more than it deserves, it learns from letters that the first was not
trained on (Wolpert 1992): the letters are parted into folds by their order. The spans are those that the pipeline
finds, with the types of the marks that they lie on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from deid_core.core.labels import PhiType
from deid_core.core.spans import GoldSpan, Span
from deid_core.ensemble.subtype.classifier import SpanReader, probabilities, sums
from deid_core.ensemble.subtype.features import GROUP_OF, GROUPS, SLOTS, TYPES, Facts, Symbols
from deid_core.ensemble.subtype.model import SubtypeModel
from deid_core.ensemble.subtype.repeats import repeats
from deid_core.lab.corpora.letters import AnnotatedLetter
from deid_core.lab.evaluate.markdown import markdown_table
from deid_core.lab.training.settings import SubtypeTrainingSettings
from deid_core.pipeline.engine import Engine
from deid_core.text.vocabulary import Vocabulary

_SMALLEST = 0.02
"""Rows of weights that are all smaller are left out."""
_MOST_ROUNDS = 300
_TOLD = 12
"""Facts of a type that the card names."""
_Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class _Example:
    """A letter's spans of types that have others beside them; types: columns of TYPES, -1 where no mark says it."""

    facts: Facts
    groups: _Array
    forms: _Array
    types: _Array


class _Numbering(dict[str, int]):
    """Numbers symbols as they come, from 1."""

    def __missing__(self, symbol: str) -> int:
        number = self[symbol] = len(self) + 1
        return number


def train_subtypes(
    settings: SubtypeTrainingSettings, engine: Engine, letters: Iterable[AnnotatedLetter]
) -> tuple[SubtypeModel, str]:
    """The model and its card; engine: of a pipeline that gives no finer types."""
    numbering = _Numbering()
    examples = _examples(engine, letters, numbering.__getitem__)
    inputs, types = [], []
    for fold in range(settings.folds):
        rows, weights = _first(settings, [e for n, e in enumerate(examples) if n % settings.folds != fold])
        table = _table(rows, len(numbering))
        for example in examples[fold :: settings.folds]:
            first = probabilities(sums(example.facts, table, weights), example.groups)
            inputs.append(repeats(first, example.groups, example.forms))
            types.append(example.types)
    again = _second(settings, np.concatenate(inputs), np.concatenate(types))
    rows, weights = _first(settings, examples)
    known = sorted(set(rows[:, 1].tolist()))
    symbols = {number: symbol for symbol, number in numbering.items()}
    renumbered = {number: at for at, number in enumerate(known, 1)}
    rows[:, 1] = [renumbered[number] for number in rows[:, 1].tolist()]
    names = [symbols[number] for number in known]
    model = SubtypeModel.of(settings.model, SLOTS, TYPES, names, rows, weights[1:], again)
    return model, _card(settings, examples, names, rows, weights[1:])


def _examples(engine: Engine, letters: Iterable[AnnotatedLetter], number_of: Callable[[str], int]) -> list[_Example]:
    examples: list[_Example] = []
    vocabulary: Vocabulary | None = None
    for letter in letters:
        document = engine.document(letter.note)
        if document.vocabulary is not vocabulary:
            vocabulary = document.vocabulary
            reader = SpanReader(Symbols(number_of, vocabulary), vocabulary)
        spans = engine.spans(document)
        chosen, found, groups, forms = reader.read(document, spans)
        if len(chosen):
            types = _types([spans[n] for n in chosen.tolist()], letter.gold)
            examples.append(_Example(found, groups, forms, np.array(types)))
    return examples


def _types(spans: Sequence[Span], gold: Sequence[GoldSpan]) -> list[int]:
    """Of each span the type of the mark of its group that it shares most characters with, -1 if there is none."""
    types = []
    for span in spans:
        shared = [
            (min(span.end, mark.end) - max(span.start, mark.start), TYPES.index(mark.type))
            for mark in gold
            if GROUP_OF.get(mark.type) == GROUP_OF[span.type]
        ]
        most, phi = max(shared, default=(0, -1))
        types.append(phi if most > 0 else -1)
    return types


def _first(settings: SubtypeTrainingSettings, examples: Sequence[_Example]) -> tuple[_Array, _Array]:
    """Rows (slot and symbol) and, below a row of zeros, their weights."""
    span_of, slots, symbols, begin = [], [], [], 0
    for example in examples:
        sizes = np.diff(example.facts.bounds)
        span_of.append(np.repeat(np.arange(begin, begin + len(sizes)), sizes))
        slots.append(example.facts.slots)
        symbols.append(example.facts.symbols)
        begin += len(sizes)
    facts_of = np.column_stack([np.concatenate(slots), np.concatenate(symbols)])
    rows, columns, counts = np.unique(facts_of, axis=0, return_inverse=True, return_counts=True)
    often = counts >= settings.min_count
    numbers = np.cumsum(often) - 1
    used = often[columns]
    matrix = csr_matrix(
        (np.ones(int(used.sum())), (np.concatenate(span_of)[used], numbers[columns[used]])), (begin, int(often.sum()))
    )
    weights = _fitted(matrix, np.concatenate([e.types for e in examples]), settings.c)
    strong = np.abs(weights).max(1) >= _SMALLEST
    return rows[often][strong].astype(np.int64), np.concatenate([np.zeros((1, len(TYPES))), weights[strong]])


def _second(settings: SubtypeTrainingSettings, inputs: _Array, types: _Array) -> _Array:
    return _fitted(csr_matrix(inputs), types, settings.second_c)


def _fitted(matrix: csr_matrix, types: _Array, c: float) -> _Array:
    """Weights (features, types): of each group one regression without a constant, 0 for types that do not occur."""
    weights = np.zeros((matrix.shape[1], len(TYPES)))
    groups = np.array([GROUP_OF[phi] for phi in TYPES])
    for group in range(len(GROUPS)):
        of = np.flatnonzero((types >= 0) & (groups[types] == group))
        if len(set(types[of].tolist())) <= 1:
            continue
        fitted = LogisticRegression(C=c, max_iter=_MOST_ROUNDS, fit_intercept=False).fit(matrix[of], types[of])
        found = fitted.coef_
        if len(found) == 1:
            found = np.concatenate([-found, found]) / 2
        weights[:, fitted.classes_] = found.T
    return weights


def _table(rows: _Array, symbols: int) -> _Array:
    table = np.zeros((len(SLOTS), symbols + 1), np.int32)
    table[rows[:, 0], rows[:, 1]] = np.arange(1, len(rows) + 1)
    return table


def _card(
    settings: SubtypeTrainingSettings,
    examples: Sequence[_Example],
    symbols: Sequence[str],
    rows: _Array,
    weights: _Array,
) -> str:
    counts = np.bincount(np.concatenate([e.types[e.types >= 0] for e in examples]), minlength=len(TYPES))
    told = []
    for at, phi in enumerate(TYPES):
        best = np.argsort(-weights[:, at], kind="stable")[:_TOLD]
        said = [
            f"{SLOTS[rows[row, 0]]} {symbols[rows[row, 1] - 1]!r} {weights[row, at]:.1f}"
            for row in best.tolist()
            if weights[row, at] > 0
        ]
        told.append((str(PhiType(phi)), f"{counts[at]:,}", ", ".join(said).replace("|", "\\|")))
    parts = [
        f"# Model {settings.model}",
        "Two logistic regressions for each group of types that the learned decision does not tell apart "
        "(deid_core/finer_type). It was trained on letters written for this project, in which nobody is, and is wrong "
        "at times; what is removed does not depend on it.",
        "## Made with",
        f"`deid train types` with conf/training.yaml: {len(examples)} letters (corpora {', '.join(settings.letters)}), "
        f"spans of pipeline `{settings.pipeline}`; facts that occur {settings.min_count} times and more, C "
        f"{settings.c:g}, C of the second regression {settings.second_c:g}, which learned from {settings.folds} folds. "
        f"Weights are multiples of 2^-10; {len(weights):,} facts are weighed.",
        "## What speaks most for each type",
        markdown_table([("type", "spans", "facts and weights of the first regression"), *told]),
        "How often the types are right, by letter set: tests/benchmarks/quality.md.",
    ]
    return "\n\n".join(parts) + "\n"
