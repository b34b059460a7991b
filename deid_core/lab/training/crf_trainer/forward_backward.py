"""The loops of training, in numba: rows of types, forward and backward through all sequences, the gradient.

Nothing here checks an index; objective.py makes them. The number of labels is rounded up to `lanes` as for tagging
(sequence/decode.py), and each number of lanes is compiled by itself: so the inner loops become vector instructions.

    rows          float64 (rows, lanes)       what a place of a type's row, or a pair, adds to the score of each label
    types         int32 (streams, positions)  of each stream the first row of the type that stands there
    views         int64 (views, 3)            stream, offset, place: what a position looks at is a row of each view
    fixed         int32 (positions, any)      further rows of a position, -1 where there is none
    sequences     int64 (sequences, 2)        the first position of each, and the one behind its last
    sets          int8 (positions,)           which set of labels a position may have: what is learned
    allowed       float64 (sets, lanes)       of each set, 1 for its labels, 0 for others
    usual         int64 (sets,)               the label of each set that is counted as seen
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

_LEAST = 2.0**-1022
"""Of sums whose inverse a float can hold."""
OBSERVE, LEARN = 0, 1
"""What a pass is for: how often labels are seen, or the gradient."""


@inlined
def _add(to: _Array, what: _Array) -> None:
    for lane in range(len(what)):
        to[lane] += what[lane]


@jit("void(i8[::1], i4[::1], i8[::1], i8, i8, i8, f8[:,::1], f8[:,::1])", nogil=True)
def add_rows(
    starts: _Array, values: _Array, places: _Array, width: int, first: int, end: int, weights: _Array, rows: _Array
) -> None:
    """Adds the weights of a slot's values to the rows of types `first` to `end`, which have `width` rows each."""
    for number in range(first, end):
        for at in range(starts[number], starts[number + 1]):
            for place in places:
                _add(rows[number * width + place], weights[values[at]])


@jit("void(i8[::1], i4[::1], i8[::1], i8, f8[:,::1], f8[:,::1])", nogil=True)
def add_gradient(starts: _Array, values: _Array, places: _Array, width: int, gradient: _Array, rows: _Array) -> None:
    """The way back: adds the rows of all types to the gradient of the slot's values."""
    for number in range(len(starts) - 1):
        for at in range(starts[number], starts[number + 1]):
            for place in places:
                _add(gradient[values[at]], rows[number * width + place])


@inlined
def _emit(at: int, types: _Array, views: _Array, fixed: _Array, rows: _Array, scores: _Array, lanes: int) -> None:
    """Sets the scores of a position to the sum of its rows."""
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
def _collect(at: int, types: _Array, views: _Array, fixed: _Array, rows: _Array, what: _Array, lanes: int) -> None:
    """The way back: adds to all rows of a position."""
    for view in range(len(views)):
        row = types[views[view, 0], at + views[view, 1]] + views[view, 2]
        for lane in range(lanes):
            rows[row, lane] += what[lane]
    for column in range(fixed.shape[1]):
        if fixed[at, column] >= 0:
            for lane in range(lanes):
                rows[fixed[at, column], lane] += what[lane]


@inlined
def _paths(
    weights: _Array, length: int, count: int, lanes: int, steps: _Array, steps_back: _Array, forward: _Array,
    backward: _Array, scale: _Array, onward: _Array,
) -> float:  # fmt: skip
    """Forward and backward through a sequence: the logarithm of the sum over its paths, -inf if no float can hold it.

    forward: each position scaled to a sum of 1, so that its product with `backward` is the probability of each label.
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
        logarithm += np.log(total) if total >= _LEAST else -np.inf
        scale[at] = 1.0 / total if total >= _LEAST else 0.0
        for lane in range(lanes):
            forward[at, lane] = onward[lane] * scale[at]
    for at in range(length - 1, -1, -1):
        for lane in range(lanes):
            backward[at, lane] = 1.0 if at == length - 1 else 0.0
        if at < length - 1:
            for behind in range(count):
                part = weights[at + 1, behind] * backward[at + 1, behind] * scale[at + 1]
                for lane in range(lanes):
                    backward[at, lane] += part * steps_back[behind, lane]
    return logarithm


@cache
def pass_for(lanes: int) -> Callable[..., float]:
    """`go_through` for so many lanes."""

    @jit(
        "f8(i8, i8, i8[:,::1], i1[::1], f8[:,::1], i8[::1], i4[:,::1], i8[:,::1], i4[:,::1], f8[:,::1], f8[:,::1], "
        "f8[:,::1], f8[:,::1])",
        nogil=True,
    )
    def go_through(
        what: int,
        count: int,
        sequences: _Array,
        sets: _Array,
        allowed: _Array,
        usual: _Array,
        types: _Array,
        views: _Array,
        fixed: _Array,
        rows: _Array,
        transitions: _Array,
        of_rows: _Array,
        of_transitions: _Array,
    ) -> float:
        """The negative log-likelihood of the allowed labels of sequences, 0 where labels are only observed.

        OBSERVE adds how often the usual labels stand at rows and follow each other to of_rows and of_transitions, LEARN
        how much more often the model expects labels there than among the paths that are allowed. Infinite, with sums
        of no meaning, where no float can hold how unlikely those are. count: of the labels.
        """
        longest = 0
        for sequence in range(len(sequences)):
            longest = max(longest, sequences[sequence, 1] - sequences[sequence, 0])
        weights, forward, backward = np.empty((longest, lanes)), np.empty((longest, lanes)), np.empty((longest, lanes))
        surplus = np.empty((longest, lanes))
        steps = np.exp(transitions)
        steps_back = np.ascontiguousarray(steps.T)
        scale, onward, expected = np.empty(longest), np.empty(lanes), np.zeros((lanes, lanes))
        loss = 0.0
        for sequence in range(len(sequences)):
            first, length = sequences[sequence, 0], sequences[sequence, 1] - sequences[sequence, 0]
            if what == OBSERVE:
                for at in range(length):
                    for lane in range(lanes):
                        onward[lane] = 0.0
                    onward[usual[sets[first + at]]] = 1.0
                    _collect(first + at, types, views, fixed, of_rows, onward, lanes)
                    if at:
                        of_transitions[usual[sets[first + at - 1]], usual[sets[first + at]]] += 1.0
                continue
            # What lies beyond the labels stays 0.
            for at in range(length):
                here = weights[at]
                _emit(first + at, types, views, fixed, rows, here, lanes)
                greatest = here[0]
                for lane in range(1, count):
                    greatest = max(greatest, here[lane])
                for lane in range(lanes):
                    here[lane] = np.exp(here[lane] - greatest) if lane < count else 0.0
                    surplus[at, lane] = 0.0
            # All paths less those that are allowed.
            for sign in (1.0, -1.0):
                if sign < 0.0:
                    for at in range(length):
                        for lane in range(lanes):
                            weights[at, lane] *= allowed[sets[first + at], lane]
                loss += sign * _paths(
                    weights, length, count, lanes, steps, steps_back, forward, backward, scale, onward
                )
                for at in range(length):
                    for lane in range(lanes):
                        surplus[at, lane] += sign * forward[at, lane] * backward[at, lane]
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
                _collect(first + at, types, views, fixed, of_rows, surplus[at], lanes)
        for before in range(lanes):
            for behind in range(lanes):
                of_transitions[before, behind] += expected[before, behind] * steps[before, behind]
        return loss

    return go_through
