"""OWL-QN: L-BFGS for a smooth function plus an L1 norm, which makes most weights of a model zero.

Follows liblbfgs, which CRFsuite uses, without its early stopping. The same function, start and settings give the same
weights on one kind of processor; on another, numpy may round sums in another order. Source: Andrew and Gao 2007,
Scalable training of L1-regularized log-linear models; Nocedal and Wright 2006, algorithms 7.4 and 3.1.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float64]

_MEMORY = 6
"""Number of steps whose curvature is kept; CRFsuite's default."""
_DECREASE = 1e-4
"""Armijo condition: the share of the decrease predicted by the slope that a step must reach."""
_MIN_STEP = 2.0**-20
"""Of the full step. If no longer step lowers the function, the minimum is reached."""
_LEAST_CURVATURE = 1e-10


@dataclass(frozen=True, slots=True)
class Progress:
    """State after a step: its number, from 1, the value with the norm, and the number of weights that are not zero."""

    step: int
    value: float
    weights: int


def minimise(
    function: Callable[[Weights], tuple[float, Weights]],
    start: Weights,
    *,
    c1: float,
    steps: int,
    progress: Callable[[Progress], object] = lambda progress: None,
) -> Weights:
    """Return the weights after this number of steps from `start`, or earlier if no step lowers the function.

    function: returns value and gradient at given weights, without the L1 norm. c1: weight of the L1 norm.
    """
    weights = start
    smooth, gradient = function(weights)
    value = smooth + c1 * float(np.abs(weights).sum())
    memory: deque[tuple[Weights, Weights]] = deque(maxlen=_MEMORY)
    for step in range(1, steps + 1):
        slope = _pseudo_gradient(weights, gradient, c1)
        if not slope.any():
            return weights
        direction = _direction(slope, memory)
        if c1:
            direction[direction * slope >= 0] = 0.0
        # No weight crosses zero in a step: the norm is linear only within an orthant.
        orthant = np.where(weights != 0, np.sign(weights), -np.sign(slope))
        length = 1.0 if memory else 1.0 / max(float(np.linalg.norm(slope)), _LEAST_CURVATURE)
        shortest = length * _MIN_STEP
        while length > shortest:
            there = weights + length * direction
            if c1:
                there[there * orthant <= 0] = 0.0
            smooth, gradient_there = function(there)
            value_there = smooth + c1 * float(np.abs(there).sum())
            if value_there <= value + _DECREASE * float(slope @ (there - weights)):
                break
            length /= 2
        else:
            return weights
        moved, change = there - weights, gradient_there - gradient
        if float(moved @ change) > _LEAST_CURVATURE:
            memory.append((moved, change))
        weights, gradient, value = there, gradient_there, value_there
        progress(Progress(step, value, int(np.count_nonzero(weights))))
    return weights


def _pseudo_gradient(weights: Weights, gradient: Weights, c1: float) -> Weights:
    """Return the gradient including the norm; at zero the one-sided slope that descends, 0 if none does."""
    down, up = gradient - c1, gradient + c1
    at_zero = np.where(up < 0, up, np.where(down > 0, down, 0.0))
    return np.where(weights > 0, up, np.where(weights < 0, down, at_zero))


def _direction(slope: Weights, memory: deque[tuple[Weights, Weights]]) -> Weights:
    """Return the quasi-Newton descent direction (two-loop recursion)."""
    direction = -slope
    if not memory:
        return direction
    factors: list[float] = []
    for moved, change in reversed(memory):
        factors.append(float(moved @ direction) / float(moved @ change))
        direction -= factors[-1] * change
    moved, change = memory[-1]
    direction *= float(moved @ change) / float(change @ change)
    for (moved, change), factor in zip(memory, reversed(factors), strict=True):
        direction += (factor - float(change @ direction) / float(moved @ change)) * moved
    return direction
