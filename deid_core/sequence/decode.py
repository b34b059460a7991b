"""The loops over tokens, in numba: scores of a word type, emissions, Viterbi, forward-backward, pairs of words.

Plain arrays in and out, nothing allocated in proportion to a sequence. Emissions are added up once and serve Viterbi
and forward-backward. `CrfTagger` (tagger.py) is what calls this; nothing here checks an index, so the caller has to.

What the arrays of a model and a vocabulary are called here (row 0 is that of the word outside a sequence):

    rows            int32 (tokens,)                   the row of each token's word type
    scores          float64 (rows, offsets, labels)   what a word adds to the token for which it stands at an offset
    offsets         int32 (offsets,)                  positions of the window, ascending
    sides           int32 (rows, pairs, 2)            number of a word's value as left and as right part of a pair, or 0
    pair_offsets    int32 (pairs, 2)                  where left and right part stand
    keys            int64 (capacity,)                 hash table: left number and right number, 0 where empty
    pair_scores     float64 (capacity, labels)        what the pair in the same place of the table adds
    transitions     float64 (labels, labels)          from row to column
    bounds          int64 (sequences + 1,)            where in `rows` each sequence starts, and the last one ends
    emissions       float64 (tokens, labels)          what each token's window adds to each label

Ties are broken as in CRFsuite (crf1d_context.c): the lower label, for each token and for the last one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.jit import inlined, jit

_Array = npt.NDArray[Any]

_MIX = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio: Knuth's multiplicative hash, The Art of Computer Programming 3, section 6.4."""


@inlined
def _place(key: Any, capacity: int) -> Any:
    """Where a key's search begins; capacity is a power of 2."""
    mixed = np.uint64(key) * np.uint64(_MIX)
    return np.int64((mixed >> np.uint64(32)) & np.uint64(capacity - 1))


@jit("void(i8[::1], i8[::1], i8[::1])")
def fill_hash_table(found: _Array, keys: _Array, places: _Array) -> None:
    """Puts the keys `found`, distinct and not 0, into the empty table `keys`; `places` gets the place of each."""
    for number in range(len(found)):
        place = _place(found[number], len(keys))
        while keys[place] != 0:
            place = (place + 1) & (len(keys) - 1)
        keys[place] = found[number]
        places[number] = place


@jit("void(i4[::1], i8[::1], i8[::1], i4[::1], f8[::1], f8[:,::1])")
def add_values(numbers: _Array, ends: _Array, starts: _Array, cells: _Array, weights: _Array, scores: _Array) -> None:
    """Adds up the scores of words from their values.

    numbers: of the values of all words, one word after the other; ends: int64 (words,), where each word's end.
    Value n adds weights[i] to cell cells[i] for starts[n] <= i < starts[n + 1]. scores: (words, cells), added to.
    """
    first = 0
    for word in range(len(ends)):
        for at in range(first, ends[word]):
            for i in range(starts[numbers[at]], starts[numbers[at] + 1]):
                scores[word, cells[i]] += weights[i]
        first = ends[word]


@jit("void(i4[::1], i8[::1], f8[:,::1], f8[:,:,::1], i4[::1], i4[:,:,::1], i4[:,::1], i8[::1], f8[:,::1])")
def emit(
    rows: _Array,
    bounds: _Array,
    emissions: _Array,
    scores: _Array,
    offsets: _Array,
    sides: _Array,
    pair_offsets: _Array,
    keys: _Array,
    pair_scores: _Array,
) -> None:
    """Sets the emissions of all sequences: of each token the sum over its window and over its pairs.

    A word's row is read once, from front to back, and added to all tokens in whose window the word stands: rows lie
    anywhere in memory, the emissions of neighbours beside each other.
    """
    labels = emissions.shape[1]
    emissions[:] = 0.0
    for sequence in range(len(bounds) - 1):
        first, end = bounds[sequence], bounds[sequence + 1]
        for there in range(first, end):
            row = rows[there]
            for o in range(len(offsets)):
                at = there - offsets[o]
                if first <= at < end:
                    for j in range(labels):
                        emissions[at, j] += scores[row, o, j]
        for o in range(len(offsets)):  # what stands outside the sequence is row 0
            for at in range(first, min(first - offsets[o], end)):
                for j in range(labels):
                    emissions[at, j] += scores[0, o, j]
            for at in range(max(end - offsets[o], first), end):
                for j in range(labels):
                    emissions[at, j] += scores[0, o, j]
        for p in range(len(pair_offsets)):
            for at in range(first, end):
                there = at + pair_offsets[p, 0]
                left = sides[rows[there] if first <= there < end else 0, p, 0]
                if left == 0:
                    continue
                there = at + pair_offsets[p, 1]
                right = sides[rows[there] if first <= there < end else 0, p, 1]
                if right == 0:
                    continue
                key = (np.int64(left) << 32) | np.int64(right)
                place = _place(key, len(keys))
                while keys[place] != 0:
                    if keys[place] == key:
                        for j in range(labels):
                            emissions[at, j] += pair_scores[place, j]
                        break
                    place = (place + 1) & (len(keys) - 1)


@jit("void(f8[:,::1], i8[::1], i1[:,::1], i1[::1], f8[:,::1])")
def viterbi(emissions: _Array, bounds: _Array, back: _Array, labels: _Array, transitions: _Array) -> None:
    """Sets the most probable labels of each sequence; `back`: int8 (longest sequence, labels), scratch."""
    number = len(transitions)
    before, now = np.empty(number), np.empty(number)
    for sequence in range(len(bounds) - 1):
        first, end = bounds[sequence], bounds[sequence + 1]
        for at in range(first, end):
            if at == first:
                now[:] = emissions[at]
                continue
            before, now = now, before
            # Labels that are left stand outside, so that the inner loop runs over neighbours in memory.
            for j in range(number):
                now[j] = before[0] + transitions[0, j]
                back[at - first, j] = 0
            for i in range(1, number):
                for j in range(number):
                    score = before[i] + transitions[i, j]
                    better = score > now[j]
                    now[j] = score if better else now[j]
                    back[at - first, j] = i if better else back[at - first, j]
            for j in range(number):
                now[j] += emissions[at, j]
        if end > first:
            label = 0
            for j in range(1, number):
                if now[j] > now[label]:
                    label = j
            for at in range(end - 1, first - 1, -1):
                labels[at] = label
                label = back[at - first, label]


@inlined
def _exponentiate(scores: _Array) -> None:
    """Replaces scores by their exponentials, the greatest by 1: a factor that the normalisation takes out again."""
    greatest = scores[0]
    for j in range(1, len(scores)):
        greatest = max(greatest, scores[j])
    for j in range(len(scores)):
        scores[j] = math.exp(scores[j] - greatest)


@inlined
def _normalise(weights: _Array) -> None:
    """Scales weights to the sum 1; if all underflowed, nothing is known and all are the same."""
    total = 0.0
    for j in range(len(weights)):
        total += weights[j]
    for j in range(len(weights)):
        weights[j] = weights[j] / total if total > 0.0 else 1.0 / len(weights)


@jit("void(f8[:,::1], i8[::1], f8[:,::1], f8[:,::1])")
def forward_backward(emissions: _Array, bounds: _Array, marginals: _Array, transitions: _Array) -> None:
    """Sets marginals, float64 (tokens, labels): the probability of each label at each token, given the sequence.

    `emissions` are used up: what is left there are their exponentials. `marginals` holds the forward weights until the
    way back turns them into probabilities; both ways are scaled to the sum 1 at every token (Rabiner 1989, section
    V.A), so nothing overflows, however long the sequence.
    """
    number = len(transitions)
    steps = np.exp(transitions - transitions.max())
    # The same from column to row: both inner loops then run over neighbours in memory.
    steps_back = np.ascontiguousarray(steps.T)
    backward, following = np.empty(number), np.empty(number)
    for sequence in range(len(bounds) - 1):
        first, end = bounds[sequence], bounds[sequence + 1]
        for at in range(first, end):
            _exponentiate(emissions[at])
            if at == first:
                marginals[at] = emissions[at]
            else:
                marginals[at] = 0.0
                for i in range(number):
                    weight = marginals[at - 1, i]
                    for j in range(number):
                        marginals[at, j] += weight * steps[i, j]
                for j in range(number):
                    marginals[at, j] *= emissions[at, j]
            _normalise(marginals[at])
        backward[:] = 1.0
        for at in range(end - 1, first - 1, -1):
            if at < end - 1:
                # `following` is what comes behind: emission and backward weight of the next token.
                backward[:] = 0.0
                for j in range(number):
                    weight = following[j]
                    for i in range(number):
                        backward[i] += steps_back[j, i] * weight
                _normalise(backward)
            for j in range(number):
                marginals[at, j] *= backward[j]
                following[j] = emissions[at, j] * backward[j]
            _normalise(marginals[at])
