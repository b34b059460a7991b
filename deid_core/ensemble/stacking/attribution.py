"""What recognisers know of a learned decision's entities, and which detections it does not believe, in numba.

One loop over the detections, as arrays: most of them are of no use to any entity, or one of several that say the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit

_Array = npt.NDArray[Any]
NONE = -1
"""Of an entity that no recogniser knows, and the label of a type that is of no class."""


@jit(
    "void(i4[::1], i4[::1], i8[:,::1], i8[::1], f8[::1], i4[:,::1], i4[::1], i4[::1], i1[::1], i4[::1], i4[::1], "
    "i4[::1], b1[::1], b1[::1])"
)
def weigh(
    starts: _Array,
    ends: _Array,
    touched: _Array,
    kinds: _Array,
    scores: _Array,
    knowledge: _Array,
    surely_outside: _Array,
    run_of: _Array,
    labels: _Array,
    run_starts: _Array,
    run_ends: _Array,
    known: _Array,
    is_exact: _Array,
    kept: _Array,
) -> None:
    """Sets `kept`, of each detection; and of each run `known`, its surest detection, and whether that is it `is_exact`.

    starts, ends, touched, kinds, scores: of the detections, see evidence.DetectionArrays. knowledge: (kinds, 4), of
    each kind the label of its class or NONE, whether its type is finer than the class, its place in the order of
    kinds, and whether it is always kept. surely_outside, run_of, labels: see token_labels.LabelRuns; run_starts,
    run_ends: places in the text.

    Of detections of a run's class that touch it, first counts which is the run just so, then which knows the finer
    type, then which is surer; behind that the order of detections, so that no tie is left to chance.
    """
    known[:] = NONE
    is_exact[:] = False
    for number in range(len(starts)):
        first, behind, kind = touched[number, 0], touched[number, 1], kinds[number]
        outside = first < behind and surely_outside[behind] - surely_outside[first] == behind - first
        kept[number] = not outside or knowledge[kind, 3] != 0
        label = knowledge[kind, 0]
        if not kept[number] or label == NONE:
            continue
        before = NONE
        for token in range(first, behind):
            run = run_of[token]
            if run == before or run < 0 or labels[run] != label:
                continue
            before = run
            is_it = starts[number] == run_starts[run] and ends[number] == run_ends[run]
            best = known[run]
            if best != NONE:
                # The first difference decides.
                better = np.int64(is_it) - np.int64(is_exact[run])
                if better == 0:
                    better = knowledge[kind, 1] - knowledge[kinds[best], 1]
                if better == 0:
                    better = np.int64(scores[number] > scores[best]) - np.int64(scores[number] < scores[best])
                if better == 0:
                    better = starts[number] - starts[best]
                if better == 0:
                    better = ends[number] - ends[best]
                if better == 0:
                    better = knowledge[kind, 2] - knowledge[kinds[best], 2]
                if better <= 0:
                    continue
            known[run], is_exact[run] = number, is_it
