"""The loops of training in numba: scores of word types, forward-backward through all sequences, gradient.

No index is checked here; objective.py makes them. The number of labels is rounded up to `lanes` as in inference
(crf/inference.py), and each number of lanes is compiled separately, so that the inner loops become vector instructions.

    rows          float64 (rows, lanes)       score that a row (a word type's column, or a pair) adds to each label
    types         int32 (streams, positions)  for each stream, the first row of the word type at a position
    views         int64 (views, 3)            stream, offset, column: a position reads one row for each view
    fixed         int32 (positions, any)      further rows of a position, -1 for none
    sequences     int64 (sequences, 2)        start and end position
    sets          int8 (positions,)           number of the set of labels that a position may have
    allowed       float64 (sets, lanes)       1 for the labels of a set, 0 for others
    primary       int64 (sets,)               the label of each set that counts as observed
    transitions   float64 (lanes, lanes)      from row to column
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import inlined, jit

_Array = npt.NDArray[Any]

_MIN_SUM = 2.0**-1022
"""Smallest sum whose inverse is finite."""
COUNT, GRADIENT = 0, 1
"""Modes of a pass: count observed labels, or compute loss and gradient."""


@inlined
def _add(target: _Array, values: _Array) -> None:
    for lane in range(len(values)):
        target[lane] += values[lane]


@jit("void(i8[::1], i4[::1], i8[::1], i8, i8, i8, f8[:,::1], f8[:,::1])", nogil=True)
def add_rows(
    starts: _Array, values: _Array, columns: _Array, width: int, start: int, end: int, weights: _Array, rows: _Array
) -> None:
    """Add the weights of a slot's values to the rows of types [start, end), which have `width` rows each."""
    for number in range(start, end):
        for at in range(starts[number], starts[number + 1]):
            for column in columns:
                _add(rows[number * width + column], weights[values[at]])


@jit("void(i8[::1], i4[::1], i8[::1], i8, f8[:,::1], f8[:,::1])", nogil=True)
def add_gradient(starts: _Array, values: _Array, columns: _Array, width: int, gradient: _Array, rows: _Array) -> None:
    """Add the rows of all types to the gradient of the slot's values: the reverse of `add_rows`."""
    for number in range(len(starts) - 1):
        for at in range(starts[number], starts[number + 1]):
            for column in columns:
                _add(gradient[values[at]], rows[number * width + column])


@inlined
def _emit(at: int, types: _Array, views: _Array, fixed: _Array, rows: _Array, scores: _Array, lanes: int) -> None:
    """Set the scores of a position to the sum of its rows."""
    for lane in range(lanes):
        scores[lane] = 0.0
    for view in range(len(views)):
        row = types[views[view, 0], at + views[view, 1]] + views[view, 2]
        for lane in range(lanes):
            scores[lane] += rows[row, lane]
    for column in range(fixed.shape[1]):
        if fixed[at, column] >= 0:
            for lane in range(lanes):
                scores[lane] += rows[fixed[at, column], lane]


@inlined
def _collect(at: int, types: _Array, views: _Array, fixed: _Array, rows: _Array, values: _Array, lanes: int) -> None:
    """Add values to all rows of a position: the reverse of `_emit`."""
    for view in range(len(views)):
        row = types[views[view, 0], at + views[view, 1]] + views[view, 2]
        for lane in range(lanes):
            rows[row, lane] += values[lane]
    for column in range(fixed.shape[1]):
        if fixed[at, column] >= 0:
            for lane in range(lanes):
                rows[fixed[at, column], lane] += values[lane]


@inlined
def _paths(
    weights: _Array, length: int, count: int, lanes: int, steps: _Array, steps_back: _Array, forward: _Array,
    backward: _Array, scale: _Array, onward: _Array,
) -> float:  # fmt: skip
    """Run forward-backward over a sequence; return the logarithm of the sum over its paths, -inf on underflow.

    Each position of `forward` is scaled to a sum of 1, so its product with `backward` is the probability of each label.
    """
    logarithm = 0.0
    for at in range(length):
        for lane in range(lanes):
            onward[lane] = 1.0 if at == 0 else 0.0
        if at:
            for before in range(count):
                part = forward[at - 1, before]
                for lane in range(lanes):
                    onward[lane] += part * steps[before, lane]
        total = 0.0
        for lane in range(lanes):
            onward[lane] *= weights[at, lane]
            total += onward[lane]
        logarithm += np.log(total) if total >= _MIN_SUM else -np.inf
        scale[at] = 1.0 / total if total >= _MIN_SUM else 0.0
        for lane in range(lanes):
            forward[at, lane] = onward[lane] * scale[at]
    for at in range(length - 1, -1, -1):
        for lane in range(lanes):
            backward[at, lane] = 1.0 if at == length - 1 else 0.0
        if at < length - 1:
            for after in range(count):
                part = weights[at + 1, after] * backward[at + 1, after] * scale[at + 1]
                for lane in range(lanes):
                    backward[at, lane] += part * steps_back[after, lane]
    return logarithm


@cache
def compiled_pass(lanes: int) -> Callable[..., float]:
    """Return `run_pass` compiled for this number of lanes."""

    @jit(
        "f8(i8, i8, i8[:,::1], i1[::1], f8[:,::1], i8[::1], i4[:,::1], i8[:,::1], i4[:,::1], f8[:,::1], f8[:,::1], "
        "f8[:,::1], f8[:,::1])",
        nogil=True,
    )
    def run_pass(
        mode: int,
        count: int,
        sequences: _Array,
        sets: _Array,
        allowed: _Array,
        primary: _Array,
        types: _Array,
        views: _Array,
        fixed: _Array,
        rows: _Array,
        transitions: _Array,
        row_sums: _Array,
        transition_sums: _Array,
    ) -> float:
        """Return the negative log-likelihood of the allowed labels, 0 in mode COUNT. count: number of labels.

        Both modes add to row_sums and transition_sums. COUNT adds how often the primary labels occur at rows and follow
        each other. GRADIENT adds the expected counts of all paths less those of the allowed paths. If the probability
        of the allowed paths underflows, the loss is infinite and the sums are meaningless.
        """
        longest = 0
        for sequence in range(len(sequences)):
            longest = max(longest, sequences[sequence, 1] - sequences[sequence, 0])
        weights, forward, backward = np.empty((longest, lanes)), np.empty((longest, lanes)), np.empty((longest, lanes))
        difference = np.empty((longest, lanes))
        steps = np.exp(transitions)
        steps_back = np.ascontiguousarray(steps.T)
        scale, onward, expected = np.empty(longest), np.empty(lanes), np.zeros((lanes, lanes))
        loss = 0.0
        for sequence in range(len(sequences)):
            start, length = sequences[sequence, 0], sequences[sequence, 1] - sequences[sequence, 0]
            if mode == COUNT:
                for at in range(length):
                    for lane in range(lanes):
                        onward[lane] = 0.0
                    onward[primary[sets[start + at]]] = 1.0
                    _collect(start + at, types, views, fixed, row_sums, onward, lanes)
                    if at:
                        transition_sums[primary[sets[start + at - 1]], primary[sets[start + at]]] += 1.0
                continue
            # Lanes without a label stay 0.
            for at in range(length):
                here = weights[at]
                _emit(start + at, types, views, fixed, rows, here, lanes)
                greatest = here[0]
                for lane in range(1, count):
                    greatest = max(greatest, here[lane])
                for lane in range(lanes):
                    here[lane] = np.exp(here[lane] - greatest) if lane < count else 0.0
                    difference[at, lane] = 0.0
            # All paths less the allowed ones.
            for sign in (1.0, -1.0):
                if sign < 0.0:
                    for at in range(length):
                        for lane in range(lanes):
                            weights[at, lane] *= allowed[sets[start + at], lane]
                loss += sign * _paths(
                    weights, length, count, lanes, steps, steps_back, forward, backward, scale, onward
                )
                for at in range(length):
                    for lane in range(lanes):
                        difference[at, lane] += sign * forward[at, lane] * backward[at, lane]
                    if at < length - 1:
                        for lane in range(lanes):
                            onward[lane] = weights[at + 1, lane] * backward[at + 1, lane] * scale[at + 1]
                        for before in range(count):
                            part = sign * forward[at, before]
                            for lane in range(lanes):
                                expected[before, lane] += part * onward[lane]
            if not np.isfinite(loss):
                return np.inf
            for at in range(length):
                _collect(start + at, types, views, fixed, row_sums, difference[at], lanes)
        for before in range(lanes):
            for after in range(lanes):
                transition_sums[before, after] += expected[before, after] * steps[before, after]
        return loss

    return run_pass
