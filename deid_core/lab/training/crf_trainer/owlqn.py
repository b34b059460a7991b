"""OWL-QN: L-BFGS for a smooth function with an L1 norm beside it, which makes most of a model's weights zero.

As liblbfgs does it, which CRFsuite is trained with, but without its tests for an early end: with an L1 norm the same
function, start and numbers lead to the same weights, but for the order in which sums are rounded (numpy's, which may
differ from one kind of processor to another). Source: Andrew and Gao 2007, Scalable training of L1-regularized
log-linear models; Nocedal and Wright 2006, algorithms 7.4 and 3.1.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float64]

_MEMORY = 6
"""Steps of which the curvature is remembered; CRFsuite's default."""
_DECREASE = 1e-4
"""The part of the slope's promise that a step has to keep."""
_SHORTEST = 2.0**-20
"""Of the full step; where none of these lowers the function, there is nothing left to gain."""
_LEAST_CURVATURE = 1e-10


@dataclass(frozen=True, slots=True)
class Progress:
    """What one step came to: its number, from 1, the function with the norm, and how many weights are not zero."""

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
    """The weights after so many steps from `start`, or fewer if none lowers the function any more.

    function: its value and gradient at some weights, without the L1 norm, whose weight is c1.
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
        # A step never crosses zero: within an orthant the norm is linear.
        orthant = np.where(weights != 0, np.sign(weights), -np.sign(slope))
        length = 1.0 if memory else 1.0 / max(float(np.linalg.norm(slope)), _LEAST_CURVATURE)
        shortest = length * _SHORTEST
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
    """The gradient with that of the norm; at zero the one-sided slope that goes down, 0 if neither does."""
    down, up = gradient - c1, gradient + c1
    at_zero = np.where(up < 0, up, np.where(down > 0, down, 0.0))
    return np.where(weights > 0, up, np.where(weights < 0, down, at_zero))


def _direction(slope: Weights, memory: deque[tuple[Weights, Weights]]) -> Weights:
    """Downhill, stretched by the curvature that the last steps met."""
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
