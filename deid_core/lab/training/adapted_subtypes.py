"""Adapts the subtype model to a hospital's letters, as adaptation.py does with the stacking model.

The first regression is trained further, with a Gaussian prior around the shipped weights; features that it lacks get
weights if at least MIN_LETTERS letters have them. The second one, which weighs the first one's probabilities, stays.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.spans import GoldSpan
from deid_core.ensemble.subtype.classifier import probabilities, sums
from deid_core.ensemble.subtype.repeat_features import repeats
from deid_core.ensemble.subtype.subtype_features import SLOTS, TYPES
from deid_core.ensemble.subtype.subtype_model import SubtypeModel
from deid_core.lab.corpora.marked_letters import MarkedLetter
from deid_core.lab.evaluate.bootstrap import Interval, difference_interval
from deid_core.lab.evaluate.scores import Counts, Scored
from deid_core.lab.training.adaptation import MIN_LETTERS
from deid_core.lab.training.adaptation_trial import CONFIDENCE
from deid_core.lab.training.owlqn_trainer.owlqn import Weights, minimise
from deid_core.lab.training.subtype_examples import SubtypeExample, subtype_examples
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec

_C2 = 1.0
"""Weight of the squared difference from the shipped weights."""
_STEPS = 30
_Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class SubtypeTrial:
    """Shares of spans that get their type, cross-validated; the adapted model, and its gain over the shipped one."""

    spans: int
    before: float
    after: float
    gain: Interval
    model: SubtypeModel

    @property
    def is_better(self) -> bool:
        """Whether it is better than the shipped model by more than chance."""
        return self.gain.low > 0


class _Weights:
    """The shipped weights with rows for the features of the examples that they lack.

    table: row of each slot and symbol, int32, 0 for none. base: float64 (rows + 1, types); a row of 0 first.
    """

    def __init__(self, model: SubtypeModel, symbols: Sequence[str], examples: Sequence[SubtypeExample]) -> None:
        self.symbols = symbols
        known = model.table.shape[1]
        self.table = np.zeros((len(SLOTS), len(symbols) + 1), np.int32)
        self.table[:, :known] = model.table
        letters: dict[tuple[int, int], set[int]] = {}
        for example in examples:
            for slot, symbol in set(zip(example.facts.slots.tolist(), example.facts.symbols.tolist(), strict=True)):
                if not self.table[slot, symbol]:
                    letters.setdefault((slot, symbol), set()).add(example.letter)
        self.new = sorted(feature for feature, of in letters.items() if len(of) >= MIN_LETTERS)
        for row, (slot, symbol) in enumerate(self.new, len(model.weights)):
            self.table[slot, symbol] = row
        self.base = np.concatenate([model.weights, np.zeros((len(self.new), len(TYPES)))])

    def fitted(self, examples: Sequence[SubtypeExample]) -> _Array:
        """Return weights for these examples, near the base."""
        rows = np.concatenate([self.table[example.facts.slots, example.facts.symbols] for example in examples])
        sizes = np.concatenate([np.diff(example.facts.bounds) for example in examples])
        groups, types = (np.concatenate([getattr(e, name) for e in examples]) for name in ("groups", "types"))
        span_of = np.repeat(np.arange(len(sizes)), sizes)
        used, places = np.unique(rows, return_inverse=True)
        typed = np.flatnonzero(types >= 0)

        def loss(change: Weights) -> tuple[float, Weights]:
            weights = self.base[used] + change.reshape(len(used), -1)
            scores = np.zeros((len(sizes), len(TYPES)))
            np.add.at(scores, span_of, weights[places])
            difference = probabilities(scores, groups)
            value = -float(np.log(np.maximum(difference[typed, types[typed]], 1e-300)).sum())
            difference[typed, types[typed]] -= 1.0
            difference[types < 0] = 0.0
            gradient = np.zeros_like(weights)
            np.add.at(gradient, places, difference[span_of])
            # The first row stands for all features without weights.
            gradient[used == 0] = 0.0
            return value + _C2 * float(change @ change), gradient.ravel() + 2 * _C2 * change

        found = self.base.copy()
        found[used] += minimise(loss, np.zeros(len(used) * len(TYPES)), c1=0.0, steps=_STEPS).reshape(len(used), -1)
        return found


def adapt_subtypes(
    spec: EngineSpec, letters: Sequence[MarkedLetter], folds: Sequence[Collection[int]]
) -> SubtypeTrial | None:
    """Return the subtype model of a spec, adapted to letters, and how good it is for letters of folds left out.

    None if the pipeline has no such model, or no type can be told from the marks. folds: numbers of letters.
    """
    model = spec.subtypes
    gold = [
        [GoldSpan(m.start, m.end, m.label, m.types[0]) for m in letter.marks if len(m.types) == 1] for letter in letters
    ]
    if model is None or not any(mark.type in TYPES for marks in gold for mark in marks):
        return None
    numbering = dict(model.numbered_symbols)
    engine = Engine(replace(spec, pipeline=spec.pipeline.model_copy(update={"subtypes": None}), subtypes=None))
    notes = [(letter.note, marks) for letter, marks in zip(letters, gold, strict=True)]
    examples = subtype_examples(engine, notes, lambda symbol: numbering.setdefault(symbol, len(numbering) + 1))
    rights = np.zeros((len(letters), 2, 2), np.int64)
    for fold in folds:
        weights = _Weights(model, list(numbering), [e for e in examples if e.letter not in fold])
        fitted = weights.fitted([e for e in examples if e.letter not in fold])
        for example in examples:
            if example.letter in fold:
                for number, of in enumerate((weights.base, fitted)):
                    rights[example.letter, number] = _right(example, weights.table, of, model)
    counts = rights.sum(0)
    if not counts[0, 1]:
        return None
    whole = _Weights(model, list(numbering), examples)
    return SubtypeTrial(
        int(counts[0, 1]),
        float(_share(counts[0])),
        float(_share(counts[1])),
        difference_interval(rights[:, 1], rights[:, 0], _share, confidence=CONFIDENCE),
        model.with_weights(whole.symbols, whole.new, whole.fitted(examples)[1:]),
    )


def _right(example: SubtypeExample, table: _Array, weights: _Array, model: SubtypeModel) -> tuple[int, int]:
    """Return how many spans of a letter get their type, and how many have one."""
    first = probabilities(sums(example.facts, table, weights), example.groups)
    second = probabilities(repeats(first, example.groups, example.forms) @ model.second_weights, example.groups)
    typed = example.types >= 0
    return int((second.argmax(1) == example.types)[typed].sum()), int(typed.sum())


def _share(counts: Counts) -> Scored:
    return np.asarray(counts[..., 0] / np.maximum(counts[..., 1], 1), np.float64)
