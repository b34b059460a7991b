"""The loops over tokens, in numba: scores of a word type, emissions, Viterbi, forward-backward, pairs of words.

Plain arrays in and out, nothing allocated in proportion to a sequence. Emissions are added up once and serve Viterbi
and forward-backward. `CrfTagger` (tagger.py) is what calls this; nothing here checks an index, so the caller has to.

Where labels are decoded, their number is rounded up to a multiple of LANES, so that the inner loops leave no rest and
compile to vector instructions. No path leads to or from the labels beyond the model's, and their probability is 0.

What the arrays of a model and a vocabulary are called here (row 0 is that of the word outside a sequence):

    rows            int32 (tokens,)                   the row of each token's word type
    scores          (rows, places, lanes)             what a word adds to the token for which it stands at an offset
    unit            float                             what a 1 in `scores` and `pair_scores`, int32 or float64, means
    offsets         int32 (offsets,)                  positions of the window, ascending
    places          int32 (offsets,)                  where in a row the scores of an offset are
    sides           int32 (rows, groups, 2)           number of a word's value as left and as right part of a pair, or 0
    distances       int32 (groups,)                   how far behind the left part the right one stands
    lefts           int32 (pair templates,)           where from a token the left part stands, one group after the other
    uses            int32 (groups + 1,)               where in `lefts` each group starts, and the last one ends
    keys            int64 (capacity,)                 hash table: left number and right number, 0 where empty
    first_scores    int32 (capacity,)                 the first row of scores of the pair in the same place of the table
    pair_scores     (rows of scores, lanes)           what a pair adds, a row for each template of its group
    transitions     float64 (lanes, lanes)            from row to column, -inf beyond the model's labels
    bounds          int64 (sequences + 1,)            where in `rows` each sequence starts, and the last one ends
    emissions       float64 (tokens, lanes)           what each token's window adds to each label, 0 beyond them

Ties are broken as in CRFsuite (crf1d_context.c): the lower label, for each token and for the last one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.jit import inlined, jit

_Array = npt.NDArray[Any]

_MIX = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio: Knuth's multiplicative hash, The Art of Computer Programming 3, section 6.4."""
LANES = 8
"""Float64 values of a vector register of 512 bits; a multiple of 4, so many rows of a matrix the loops take at once."""
_UNDERFLOW = 1e-300
"""The reciprocal of much less is no number any more."""


def lanes_for(labels: int) -> int:
    """So many labels, rounded up."""
    return -(-labels // LANES) * LANES


@inlined
def place_of(key: Any, capacity: int) -> Any:
    """Where a key's search in a hash table begins; capacity is a power of 2."""
    mixed = np.uint64(key) * np.uint64(_MIX)
    return np.int64((mixed >> np.uint64(32)) & np.uint64(capacity - 1))


@jit("void(i8[::1], i8[::1], i8[::1])")
def fill_hash_table(found: _Array, keys: _Array, places: _Array) -> None:
    """Puts the keys `found`, distinct and not 0, into the empty table `keys`; `places` gets the place of each."""
    for number in range(len(found)):
        place = place_of(found[number], len(keys))
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


@jit("i8(i4[::1], i8[::1], i8)")
def misfit(types: _Array, bounds: _Array, known: int) -> int:
    """1 if not all types are below `known` and none is below 0, 2 if bounds do not ascend from 0 to the end, else 0."""
    for number in types:
        if not 0 <= number < known:
            return 1
    if len(bounds) == 0 or bounds[0] != 0 or bounds[-1] != len(types):
        return 2
    for sequence in range(len(bounds) - 1):
        if bounds[sequence + 1] < bounds[sequence]:
            return 2
    return 0


def _emit(
    types: _Array,
    bounds: _Array,
    emissions: _Array,
    rows: _Array,
    scores: _Array,
    unit: float,
    offsets: _Array,
    places: _Array,
    sides: _Array,
    distances: _Array,
    lefts: _Array,
    uses: _Array,
    keys: _Array,
    first_scores: _Array,
    pair_scores: _Array,
) -> None:
    """Adds to the emissions of all sequences: for each token the sum over its window and over its pairs.

    A word's row is read once, from front to back, and added to all tokens in whose window the word stands: rows lie
    anywhere in memory, the emissions of neighbours beside each other.
    """
    lanes = scores.shape[2]
    for sequence in range(len(bounds) - 1):
        first, end = bounds[sequence], bounds[sequence + 1]
        for there in range(first, end):
            row = rows[types[there]]
            for o in range(len(offsets)):
                at, place = there - offsets[o], places[o]
                if first <= at < end:
                    for j in range(lanes):
                        emissions[at, j] += unit * scores[row, place, j]
        for o in range(len(offsets)):  # what stands outside the sequence is row 0
            place = places[o]
            for at in range(first, min(first - offsets[o], end)):
                for j in range(lanes):
                    emissions[at, j] += unit * scores[0, place, j]
            for at in range(max(end - offsets[o], first), end):
                for j in range(lanes):
                    emissions[at, j] += unit * scores[0, place, j]
        for g in range(len(distances)):
            of_group = lefts[uses[g] : uses[g + 1]]
            # The left part from where it bears on the first token to where it bears on the last one.
            for there in range(first + min(of_group), end + max(of_group)):
                left = sides[rows[types[there]] if first <= there < end else 0, g, 0]
                if left == 0:
                    continue
                behind = there + distances[g]
                right = sides[rows[types[behind]] if first <= behind < end else 0, g, 1]
                if right == 0:
                    continue
                key = (np.int64(left) << 32) | np.int64(right)
                place = place_of(key, len(keys))
                while keys[place] != 0:
                    if keys[place] == key:
                        for n in range(len(of_group)):
                            at, row = there - of_group[n], first_scores[place] + n
                            if first <= at < end:
                                for j in range(lanes):
                                    emissions[at, j] += unit * pair_scores[row, j]
                        break
                    place = (place + 1) & (len(keys) - 1)


_EMIT = "void(i4[::1], i8[::1], f8[:,::1], i4[::1], {0}[:,:,::1], f8, i4[::1], i4[::1], i4[:,:,::1], "
_EMIT += "i4[::1], i4[::1], i4[::1], i8[::1], i4[::1], {0}[:,::1])"
emit_whole = jit(_EMIT.format("i4"))(_emit)
"""For scores that are whole numbers; `emit_floats` for those that are not."""
emit_floats = jit(_EMIT.format("f8"))(_emit)


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
    """Sets the most probable labels of each sequence.

    scores: float64 (longest sequence, lanes), scratch: of the best path to each label at each token. On the way there
    only the greatest score counts; which label it comes from is asked again for the one path that is taken.
    transitions_back: the same from column to row. count: of the model's labels.
    """
    number = len(transitions)
    for sequence in range(len(bounds) - 1):
        first, end = bounds[sequence], bounds[sequence + 1]
        for at in range(end - first):
            now, emission = scores[at], emissions[first + at]
            if at == 0:
                now[:] = emission
                continue
            before = scores[at - 1]
            now[:] = -np.inf
            for i in range(0, number, 4):
                a, b, c, d = before[i], before[i + 1], before[i + 2], before[i + 3]
                of_a, of_b, of_c, of_d = transitions[i], transitions[i + 1], transitions[i + 2], transitions[i + 3]
                for j in range(number):
                    ab = max(a + of_a[j], b + of_b[j])
                    cd = max(c + of_c[j], d + of_d[j])
                    now[j] = max(now[j], max(ab, cd))
            for j in range(number):
                now[j] += emission[j]
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
            for i in range(1, number):
                score = before[i] + step[i]
                label = i if score > greatest else label
                greatest = max(greatest, score)
            labels[first + at] = label


@jit("void(f8[:,::1], i8)")
def below_greatest(emissions: _Array, count: int) -> None:
    """Subtracts from each token's emissions the greatest, a factor that the normalisation takes out again.

    So their exponentials do not overflow. Those beyond the model's labels become -inf.
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
def _normalise(weights: _Array, count: int) -> None:
    """Scales weights to the sum 1; if all underflowed, nothing is known and all labels are the same."""
    # Four sums, since each addition would have to wait for the one before.
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for j in range(0, len(weights), 4):
        a += weights[j]
        b += weights[j + 1]
        c += weights[j + 2]
        d += weights[j + 3]
    total = (a + b) + (c + d)
    if total > _UNDERFLOW:
        factor = 1.0 / total
        for j in range(len(weights)):
            weights[j] *= factor
    else:
        for j in range(count):
            weights[j] = 1.0 / count


@inlined
def _step(before: _Array, steps: _Array, now: _Array) -> None:
    """Sets `now` to the product of the row `before` and the matrix `steps`."""
    now[:] = 0.0
    for i in range(0, len(steps), 4):
        a, b, c, d = before[i], before[i + 1], before[i + 2], before[i + 3]
        of_a, of_b, of_c, of_d = steps[i], steps[i + 1], steps[i + 2], steps[i + 3]
        for j in range(len(steps)):
            now[j] += (a * of_a[j] + b * of_b[j]) + (c * of_c[j] + d * of_d[j])


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
    """Sets marginals, float64 (tokens, lanes): the probability of each label at each token, given the sequence.

    weights: exponentials of the emissions; steps: of the transitions; steps_back: the same from column to row.
    `marginals` holds the forward weights until the end; backward: float64 (tokens, lanes), scratch. Both ways are
    scaled to the sum 1 at every token (Rabiner 1989, section V.A), so nothing overflows, however long the sequence.
    They are gone in one loop: each step waits for the one before, and the processor has the other way to do meanwhile.
    """
    following = np.empty(len(steps))
    for sequence in range(len(bounds) - 1):
        first, end = bounds[sequence], bounds[sequence + 1]
        for at in range(first, end):
            there = end - 1 - (at - first)
            if at == first:
                marginals[at] = weights[at]
                backward[there] = 1.0
            else:
                _step(marginals[at - 1], steps, marginals[at])
                # `following` is what comes behind: emission and backward weight of the next token.
                for j in range(len(steps)):
                    following[j] = weights[there + 1, j] * backward[there + 1, j]
                    marginals[at, j] *= weights[at, j]
                _step(following, steps_back, backward[there])
            _normalise(marginals[at], count)
            _normalise(backward[there], count)
    for at in range(len(marginals)):
        for j in range(len(steps)):
            marginals[at, j] *= backward[at, j]
        _normalise(marginals[at], count)
