"""Emissions in numba: sums the scores of labels over words and pairs of words, for word types and for tokens.

Plain arrays in and out, called by `EmissionCache` and `CrfTagger`. The kernels check no index; `sequence_problem` does
that for arrays from outside.

The arrays of a model and a vocabulary (row 0 is that of the word outside a sequence):

    rows            int32 (tokens,)                   the row of each token's word type
    scores          (rows, columns, lanes)            scores of a word at an offset from the token
    unit            float                             the value of 1 in `scores` and `pair_scores`, int32 or float64
    offsets         int32 (offsets,)                  positions of the window, ascending
    columns         int32 (offsets,)                  the column of an offset's scores in a row
    sides           int32 (rows, groups, 2)           number of a word's value as left and as right part of a pair, or 0
    distances       int32 (groups,)                   tokens from the left part to the right one
    lefts           int32 (pair templates,)           offset of the left part, one group after another
    uses            int32 (groups + 1,)               start of each group in `lefts`, and the end
    keys            int64 (capacity,)                 hash table: left number and right number, 0 where empty
    first_scores    int32 (capacity,)                 first row of scores of the pair at the same place
    pair_scores     (rows of scores, lanes)           scores of a pair, one row per template of its group
    bounds          int64 (sequences + 1,)            start of each sequence, and the end of the last
    emissions       float64 (tokens, lanes)           scores of each label at each token, 0 for padding
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.text.hash_table import place_of

_Array = npt.NDArray[Any]

_GREATEST = 2**31 - 1


@jit("void(i4[:,::1], i4[::1], i8[::1])")
def drop_zeros(table: _Array, numbers: _Array, ends: _Array) -> None:
    """Write the nonzero entries of a table, row by row, and the end of each row."""
    count = 0
    for row in range(len(table)):
        for number in table[row]:
            if number != 0:
                numbers[count] = number
                count += 1
        ends[row] = count


@jit("void(i4[:,::1], i8[::1], i8[::1], i4[::1], f8[::1], f8[:,::1])")
def add_values(table: _Array, words: _Array, starts: _Array, cells: _Array, weights: _Array, scores: _Array) -> None:
    """Sum the scores of words from their feature values.

    table: int32 (all words, any), the numbers of values, 0 for none; words: rows of it, int64.
    Value n adds weights[i] to cell cells[i] for starts[n] <= i < starts[n + 1]. scores: (words, cells), added to.
    """
    for word in range(len(words)):
        for number in table[words[word]]:
            if number != 0:
                for i in range(starts[number], starts[number + 1]):
                    scores[word, cells[i]] += weights[i]


@jit("b1(f8[:,::1], f8, i4[:,::1])")
def in_whole_units(scores: _Array, in_one: float, units: _Array) -> bool:
    """Write scores in units, `in_one` (a power of 2) to a score of 1; return whether all are integers that fit."""
    for row in range(len(scores)):
        for at in range(scores.shape[1]):
            value = scores[row, at] * in_one
            if not -_GREATEST <= value <= _GREATEST or value != np.rint(value):
                return False
            units[row, at] = np.int32(value)
    return True


@jit("i8(i4[::1], i8[::1], i8)")
def sequence_problem(types: _Array, bounds: _Array, known: int) -> int:
    """Return 1 if a type is not in 0 to `known` - 1, 2 if bounds do not ascend from 0 to the end, else 0."""
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
    columns: _Array,
    sides: _Array,
    distances: _Array,
    lefts: _Array,
    uses: _Array,
    keys: _Array,
    first_scores: _Array,
    pair_scores: _Array,
) -> None:
    """Add to the emissions of all sequences: for each token the sum over its window and over its pairs.

    A word's row is read once and added to all tokens in whose window the word is: rows are scattered in memory, the
    emissions of neighbours are adjacent.
    """
    lanes = scores.shape[2]
    for sequence in range(len(bounds) - 1):
        start, end = bounds[sequence], bounds[sequence + 1]
        for there in range(start, end):
            row = rows[types[there]]
            for o in range(len(offsets)):
                at, column = there - offsets[o], columns[o]
                if start <= at < end:
                    for j in range(lanes):
                        emissions[at, j] += unit * scores[row, column, j]
        for o in range(len(offsets)):  # words outside the sequence have row 0
            column = columns[o]
            for at in range(start, min(start - offsets[o], end)):
                for j in range(lanes):
                    emissions[at, j] += unit * scores[0, column, j]
            for at in range(max(end - offsets[o], start), end):
                for j in range(lanes):
                    emissions[at, j] += unit * scores[0, column, j]
        for g in range(len(distances)):
            of_group = lefts[uses[g] : uses[g + 1]]
            # All positions of the left part that affect a token of the sequence.
            for there in range(start + min(of_group), end + max(of_group)):
                left = sides[rows[types[there]] if start <= there < end else 0, g, 0]
                if left == 0:
                    continue
                right_at = there + distances[g]
                right = sides[rows[types[right_at]] if start <= right_at < end else 0, g, 1]
                if right == 0:
                    continue
                key = (np.int64(left) << 32) | np.int64(right)
                place = place_of(key, len(keys))
                while keys[place] != 0:
                    if keys[place] == key:
                        for n in range(len(of_group)):
                            at, row = there - of_group[n], first_scores[place] + n
                            if start <= at < end:
                                for j in range(lanes):
                                    emissions[at, j] += unit * pair_scores[row, j]
                        break
                    place = (place + 1) & (len(keys) - 1)


_EMIT = "void(i4[::1], i8[::1], f8[:,::1], i4[::1], {0}[:,:,::1], f8, i4[::1], i4[::1], i4[:,:,::1], "
_EMIT += "i4[::1], i4[::1], i4[::1], i8[::1], i4[::1], {0}[:,::1])"
emit_whole = jit(_EMIT.format("i4"))(_emit)
"""For integer scores; `emit_floats` is for floats."""
emit_floats = jit(_EMIT.format("f8"))(_emit)
