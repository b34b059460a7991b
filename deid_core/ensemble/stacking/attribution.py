"""Attributes each entity to the detection that describes it best, and selects the detections to drop, in numba.

One loop over the detections, as arrays: most of them match no entity, or are one of several with the same range.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit

_Array = npt.NDArray[Any]
NONE = -1
"""The detection of an entity that no recogniser found, and the label of a type that has no group."""


@jit(
    "void(i4[::1], i4[::1], i8[:,::1], i8[::1], f8[::1], i4[:,::1], i4[::1], i4[::1], i1[::1], i4[::1], i4[::1], "
    "i4[::1], b1[::1], b1[::1])"
)
def attribute_entities(
    starts: _Array,
    ends: _Array,
    touched: _Array,
    kinds: _Array,
    scores: _Array,
    kind_table: _Array,
    outside_counts: _Array,
    entity_of: _Array,
    entity_labels: _Array,
    entity_starts: _Array,
    entity_ends: _Array,
    source: _Array,
    is_exact: _Array,
    is_kept: _Array,
) -> None:
    """Set for each entity its detection (`source`) and whether the two match exactly, and for each detection `is_kept`.

    starts, ends, touched, kinds, scores: the detections (detection_features.DetectionArrays). kind_table: int32 (kinds,
    4), for each kind of detection the label of its type group or NONE, whether its type is more specific than the first
    of the group, its rank among kinds, and whether it is always kept. outside_counts, entity_of, entity_labels: see
    thresholds.EntityArrays. entity_starts, entity_ends: the characters of each entity.

    A detection is dropped if each of its tokens is outside with a probability above `drop_above`. Among detections of
    the entity's type group that overlap it, prefer an exact match, then one with a specific subtype, then the higher
    score. Of what is still equal the later start counts, then the later end, then the higher rank, then the first
    detection.
    """
    source[:] = NONE
    is_exact[:] = False
    for number in range(len(starts)):
        start_token, end_token, kind = touched[number, 0], touched[number, 1], kinds[number]
        outside = outside_counts[end_token] - outside_counts[start_token]
        is_outside = start_token < end_token and outside == end_token - start_token
        is_kept[number] = not is_outside or kind_table[kind, 3] != 0
        label = kind_table[kind, 0]
        if not is_kept[number] or label == NONE:
            continue
        previous = NONE
        for token in range(start_token, end_token):
            entity = entity_of[token]
            if entity == previous or entity < 0 or entity_labels[entity] != label:
                continue
            previous = entity
            matches = starts[number] == entity_starts[entity] and ends[number] == entity_ends[entity]
            best = source[entity]
            if best != NONE:
                # The first difference decides.
                better = np.int64(matches) - np.int64(is_exact[entity])
                if better == 0:
                    better = kind_table[kind, 1] - kind_table[kinds[best], 1]
                if better == 0:
                    better = np.int64(scores[number] > scores[best]) - np.int64(scores[number] < scores[best])
                if better == 0:
                    better = starts[number] - starts[best]
                if better == 0:
                    better = ends[number] - ends[best]
                if better == 0:
                    better = kind_table[kind, 2] - kind_table[kinds[best], 2]
                if better <= 0:
                    continue
            source[entity], is_exact[entity] = number, matches
