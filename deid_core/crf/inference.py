"""Viterbi and forward-backward in numba: from emissions to labels and their marginal probabilities.

Plain arrays in and out; nothing is allocated in proportion to a sequence. Both use the same emissions (emissions.py).
`CrfTagger` calls the kernels, which check no index.

The number of labels is padded to `lanes`, a multiple of LANES, so that the inner loops compile to vector instructions.
No path leads to or from a padding label, and its probability is 0. Both are compiled separately for each number of
lanes: the compiler unrolls inner loops of known length, which halves their time.

    emissions       float64 (tokens, lanes)           scores of each label at each token, 0 for padding
    bounds          int64 (sequences + 1,)            start of each sequence, and the end of the last
    transitions     float64 (lanes, lanes)            from row to column, -inf for padding
    count           int                               number of the model's labels

Ties are broken as in CRFsuite (crf1d_context.c): the lower label wins, at each token and at the last one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import inlined, jit

_Array = npt.NDArray[Any]

LANES = 8
"""The float64 values in a vector register of 512 bits; the loops take this many rows of a matrix at once."""
_UNDERFLOW = 1e-300
"""The reciprocal of a much smaller number overflows."""


def lanes_for(labels: int) -> int:
    """Return the number of labels, rounded up to whole vector registers."""
    return -(-labels // LANES) * LANES


@cache
def viterbi_for(lanes: int) -> Callable[[_Array, _Array, _Array, _Array, _Array, _Array, int], None]:
    """Return `viterbi` for this number of lanes."""

    @jit("void(f8[:,::1], i8[::1], f8[:,::1], i1[::1], f8[:,::1], f8[:,::1], i8)")
    def viterbi(
        emissions: _Array,
        bounds: _Array,
        scores: _Array,
        labels: _Array,
        transitions: _Array,
        transitions_back: _Array,
        count: int,
    ) -> None:
        """Set the most probable labels of each sequence.

        scores: float64 (tokens, lanes), scratch: the best path to each label at each token. There are no back
        pointers; the predecessor is searched again on the one path that is taken. transitions_back: the transitions
        from column to row.
        """
        for sequence in range(len(bounds) - 1):
            first, end = bounds[sequence], bounds[sequence + 1]
            for at in range(end - first):
                if at == 0:
                    scores[at] = emissions[first]
                else:
                    _greatest_from(scores[at - 1], transitions, scores[at], lanes)
                    for j in range(lanes):
                        scores[at, j] += emissions[first + at, j]
            if end > first:
                last = scores[end - first - 1]
                label = 0
                for j in range(1, count):
                    if last[j] > last[label]:
                        label = j
                labels[end - 1] = label
            for at in range(end - first - 2, -1, -1):
                before, step = scores[at], transitions_back[labels[first + at + 1]]
                label, greatest = 0, before[0] + step[0]
                for i in range(1, lanes):
                    score = before[i] + step[i]
                    label = i if score > greatest else label
                    greatest = max(greatest, score)
                labels[first + at] = label

    return viterbi


@cache
def forward_backward_for(lanes: int) -> Callable[[_Array, _Array, _Array, _Array, _Array, _Array, int], None]:
    """Return `forward_backward` for this number of lanes."""

    @jit("void(f8[:,::1], i8[::1], f8[:,::1], f8[:,::1], f8[:,::1], f8[:,::1], i8)")
    def forward_backward(
        weights: _Array,
        bounds: _Array,
        marginals: _Array,
        backward: _Array,
        steps: _Array,
        steps_back: _Array,
        count: int,
    ) -> None:
        """Set marginals, float64 (tokens, lanes): the probability of each label at each token, given the sequence.

        weights: exponentials of the emissions; steps: of the transitions; steps_back: the same from column to row.
        `marginals` holds the forward weights until the end; backward: float64 (tokens, lanes), scratch. Both ways are
        scaled to the sum 1 at every token (Rabiner 1989, section V.A), so nothing overflows, however long the sequence.
        One loop computes both directions: each step depends on the one before, and the processor overlaps the two.
        """
        following = np.empty(lanes)
        for sequence in range(len(bounds) - 1):
            first, end = bounds[sequence], bounds[sequence + 1]
            for at in range(first, end):
                there = end - 1 - (at - first)
                if at == first:
                    marginals[at] = weights[at]
                    backward[there] = 1.0
                else:
                    _sum_from(marginals[at - 1], steps, marginals[at], lanes)
                    # `following`: emission and backward weight of the next token.
                    for j in range(lanes):
                        following[j] = weights[there + 1, j] * backward[there + 1, j]
                        marginals[at, j] *= weights[at, j]
                    _sum_from(following, steps_back, backward[there], lanes)
                _normalise(marginals[at], count, lanes)
                _normalise(backward[there], count, lanes)
        for at in range(len(marginals)):
            for j in range(lanes):
                marginals[at, j] *= backward[at, j]
            _normalise(marginals[at], count, lanes)

    return forward_backward


@jit("void(f8[:,::1], i8)")
def subtract_maximum(emissions: _Array, count: int) -> None:
    """Subtract the maximum from each token's emissions, so that their exponentials do not overflow.

    The normalisation cancels this factor. Emissions of padding labels become -inf.
    """
    for at in range(len(emissions)):
        scores = emissions[at]
        greatest = scores[0]
        for j in range(1, count):
            greatest = max(greatest, scores[j])
        for j in range(count):
            scores[j] -= greatest
        for j in range(count, len(scores)):
            scores[j] = -np.inf


@inlined
def _greatest_from(before: _Array, transitions: _Array, now: _Array, lanes: int) -> None:
    """Set `now` to the maximum over `before` plus the transitions to each label."""
    now[:] = -np.inf
    for i in range(0, lanes, LANES):
        # Eight rows at once, so that `now` is written once for all of them.
        a, b, c, d = before[i], before[i + 1], before[i + 2], before[i + 3]
        e, f, g, h = before[i + 4], before[i + 5], before[i + 6], before[i + 7]
        of_a, of_b, of_c, of_d = transitions[i], transitions[i + 1], transitions[i + 2], transitions[i + 3]
        of_e, of_f, of_g, of_h = transitions[i + 4], transitions[i + 5], transitions[i + 6], transitions[i + 7]
        for j in range(lanes):
            abcd = max(max(a + of_a[j], b + of_b[j]), max(c + of_c[j], d + of_d[j]))
            efgh = max(max(e + of_e[j], f + of_f[j]), max(g + of_g[j], h + of_h[j]))
            now[j] = max(now[j], max(abcd, efgh))


@inlined
def _sum_from(before: _Array, steps: _Array, now: _Array, lanes: int) -> None:
    """Set `now` to the product of the row `before` and the matrix `steps`."""
    now[:] = 0.0
    for i in range(0, lanes, LANES):
        a, b, c, d = before[i], before[i + 1], before[i + 2], before[i + 3]
        e, f, g, h = before[i + 4], before[i + 5], before[i + 6], before[i + 7]
        of_a, of_b, of_c, of_d = steps[i], steps[i + 1], steps[i + 2], steps[i + 3]
        of_e, of_f, of_g, of_h = steps[i + 4], steps[i + 5], steps[i + 6], steps[i + 7]
        for j in range(lanes):
            abcd = (a * of_a[j] + b * of_b[j]) + (c * of_c[j] + d * of_d[j])
            efgh = (e * of_e[j] + f * of_f[j]) + (g * of_g[j] + h * of_h[j])
            now[j] = (now[j] + abcd) + efgh


@inlined
def _normalise(weights: _Array, count: int, lanes: int) -> None:
    """Scale weights to the sum 1; if all underflowed, all labels get the same weight."""
    # Four sums, so that an addition need not wait for the one before.
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for j in range(0, lanes, 4):
        a += weights[j]
        b += weights[j + 1]
        c += weights[j + 2]
        d += weights[j + 3]
    total = (a + b) + (c + d)
    if total > _UNDERFLOW:
        factor = 1.0 / total
        for j in range(lanes):
            weights[j] *= factor
    else:
        for j in range(count):
            weights[j] = 1.0 / count
