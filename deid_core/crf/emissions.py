"""What words and pairs of words add to the scores of labels, added up in numba: for word types, and for all tokens.

Plain arrays in and out. `EmissionCache` (type_rows.py) and `CrfTagger` (tagger.py) are what calls this; nothing here
checks an index, so the caller has to; `misfit` does it for what comes from outside.

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
    bounds          int64 (sequences + 1,)            where in `rows` each sequence starts, and the last one ends
    emissions       float64 (tokens, lanes)           what each token's window adds to each label, 0 beyond them
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
    """Writes what is not 0 of a table, row by row, with room for all, and where each row's ends."""
    count = 0
    for row in range(len(table)):
        for number in table[row]:
            if number != 0:
                numbers[count] = number
                count += 1
        ends[row] = count


@jit("void(i4[:,::1], i8[::1], i8[::1], i4[::1], f8[::1], f8[:,::1])")
def add_values(table: _Array, words: _Array, starts: _Array, cells: _Array, weights: _Array, scores: _Array) -> None:
    """Adds up the scores of words from their values.

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
    """Writes scores in units of which a score of 1 has `in_one`, a power of 2; whether all are whole and fit."""
    for row in range(len(scores)):
        for at in range(scores.shape[1]):
            value = scores[row, at] * in_one
            if not -_GREATEST <= value <= _GREATEST or value != np.rint(value):
                return False
            units[row, at] = np.int32(value)
    return True


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
