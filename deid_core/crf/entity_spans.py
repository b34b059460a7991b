"""Entities in labelled sequences, in numba: where runs of one class begin and end, and how sure they are.

Of what is read here every token is looked at, and most of it is nothing: a loop that keeps only the entities does less
than a step for each question.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit

_Array = npt.NDArray[Any]
OUTSIDE = 0
"""The class of what is no entity."""


@jit("i8(i1[::1], f8[:,:], i4[::1], b1[::1], i1[::1], b1[::1], f8, i4[::1], i4[::1], i1[::1], f8[::1])")
def class_runs(
    labels: _Array,
    marginals: _Array,
    numbers: _Array,
    raisable: _Array,
    class_of: _Array,
    begins: _Array,
    threshold: float,
    firsts: _Array,
    lasts: _Array,
    classes: _Array,
    scores: _Array,
) -> int:
    """Runs of one class in a note's sequence: how many; their first and last tokens, classes and least probabilities.

    labels, marginals: of the sequence; numbers: of its tokens, negative for what is none. class_of, begins: of each
    label its class, and whether it begins an entity. A token outside of all classes is raised to its most probable
    one if that reaches the threshold and the token is `raisable`; it then belongs to its neighbours of that class.
    """
    sums = np.zeros(class_of.max() + 1)
    count, before, was_raised = 0, OUTSIDE, False
    for at in range(len(labels)):
        token, label = numbers[at], labels[at]
        found, raised = OUTSIDE, False
        if token >= 0:
            found = class_of[label]
            if found != OUTSIDE or raisable[token]:
                sums[:] = 0.0
                for other in range(len(class_of)):
                    sums[class_of[other]] += marginals[at, other]
                if found == OUTSIDE and len(sums) > 1:
                    best = 1
                    for other in range(2, len(sums)):
                        if sums[other] > sums[best]:
                            best = other
                    if sums[best] >= threshold:
                        found, raised = best, True
        if found != OUTSIDE:
            if found != before or (begins[label] and not raised and not was_raised):
                firsts[count], classes[count], scores[count] = token, found, sums[found]
                count += 1
            lasts[count - 1] = token
            scores[count - 1] = min(scores[count - 1], sums[found])
        before, was_raised = found, raised
    return count
