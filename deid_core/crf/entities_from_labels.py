"""Entities in labelled sequences, in numba: joins neighbouring tokens of one label and takes their lowest probability.

For recogniser `crf`; the stacking model's entities are made by ensemble/stacking/thresholds.py.

One loop keeps only the entities, since most tokens are outside; array operations over all tokens would cost more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit

_Array = npt.NDArray[Any]
OUTSIDE = 0
"""The entity label of tokens outside every entity."""


@jit("i8(i1[::1], f8[:,:], i4[::1], b1[::1], i1[::1], b1[::1], f8, i4[::1], i4[::1], i1[::1], f8[::1])")
def find_entities(
    labels: _Array,
    marginals: _Array,
    token_of: _Array,
    promotable: _Array,
    entity_label_of: _Array,
    begins: _Array,
    threshold: float,
    start_tokens: _Array,
    end_tokens: _Array,
    entity_labels: _Array,
    scores: _Array,
) -> int:
    """Fill start_tokens, end_tokens, entity_labels and scores of the entities, and return their number.

    labels, marginals: of each position of the sequence; token_of: its token, negative for a line break.
    entity_label_of, begins: of each label that without B- or I-, as a number, and whether it begins an entity. A token
    outside, or with a label that is not wanted, is promoted to its most probable entity label if that reaches the
    threshold and the token is `promotable`. It then joins neighbours of that label. An entity's score is the lowest
    probability of its label.
    """
    sums = np.zeros(entity_label_of.max() + 1)
    count, before, was_promoted = 0, OUTSIDE, False
    for at in range(len(labels)):
        token, label = token_of[at], labels[at]
        found, promoted = OUTSIDE, False
        if token >= 0:
            found = entity_label_of[label]
            if found != OUTSIDE or promotable[token]:
                sums[:] = 0.0
                for other in range(len(entity_label_of)):
                    sums[entity_label_of[other]] += marginals[at, other]
                if found == OUTSIDE and len(sums) > 1:
                    best = 1
                    for other in range(2, len(sums)):
                        if sums[other] > sums[best]:
                            best = other
                    if sums[best] >= threshold:
                        found, promoted = best, True
        if found != OUTSIDE:
            if found != before or (begins[label] and not promoted and not was_promoted):
                start_tokens[count], entity_labels[count], scores[count] = token, found, sums[found]
                count += 1
            end_tokens[count - 1] = token + 1
            scores[count - 1] = min(scores[count - 1], sums[found])
        before, was_promoted = found, promoted
    return count
