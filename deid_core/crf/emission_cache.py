"""The emission scores of each word type of a vocabulary, computed once.

Scores are 32-bit integers in units of the weights' grid (weights.py): half the size of floats, and exact. If the
weights are not on the grid, or the scores of a word exceed 32 bits, all scores are floats.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.crf.compiled_crf import CompiledCrf
from deid_core.crf.emissions import add_values, drop_zeros, in_whole_units
from deid_core.crf.weights import GRID_BITS
from deid_core.crf.word_type_rows import WordTypeRows
from deid_core.text.arrays import with_room
from deid_core.text.tokens import EDGE, LINE
from deid_core.text.vocabulary import Vocabulary

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int32]
_Scores = npt.NDArray[np.int32] | npt.NDArray[np.float64]


class EmissionCache(WordTypeRows):
    """The emission scores of each word type of a vocabulary; grows with the vocabulary.

    Words with the same feature values share a row. sides: int32 (rows, groups of pairs, 2). scores: (rows, columns,
    lanes), and pair_scores: (pairs, lanes), in multiples of `unit`, int32 or float64. Arrays may have spare capacity.
    """

    def __init__(self, crf: CompiledCrf, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self._crf = crf
        self._shape = int(crf.columns.max(initial=-1)) + 1, crf.lanes
        pair_scores = _in_units(crf.pairs.scores)
        self.pair_scores: _Scores = crf.pairs.scores if pair_scores is None else pair_scores
        self.unit = 1.0 if pair_scores is None else 2.0**-GRID_BITS
        self.scores: _Scores = np.zeros((256, *self._shape), self.pair_scores.dtype)
        self.sides: _Ints = np.zeros((256, len(crf.pairs.distances), 2), np.int32)
        self._append((EDGE, LINE))

    def _append(self, words: tuple[str, ...]) -> None:
        values, sides = _known_values(self._crf, words), _known_sides(self._crf, words)

        def add(added: slice, firsts: npt.NDArray[np.int64]) -> None:
            scores, pair_scores, unit = self._with_scores(added, values, firsts)
            all_sides = with_room(self.sides, added.stop)
            all_sides[added] = sides[firsts].reshape(len(firsts), *all_sides.shape[1:])
            self.sides, self.scores, self.pair_scores, self.unit = all_sides, scores, pair_scores, unit

        self._share_rows(_keys(values, sides), add)

    def _with_scores(self, added: slice, values: _Ints, words: npt.NDArray[np.int64]) -> tuple[_Scores, _Scores, float]:
        """Return `scores` extended by the rows of these words, the pair scores and the unit."""
        crf = self._crf
        sums = np.zeros((len(words), self._shape[0] * self._shape[1]))
        add_values(values, words, crf.starts, crf.cells, crf.weights, sums)
        whole = None if self.is_float else _in_units(sums)
        scores, pair_scores, unit = self.scores, self.pair_scores, self.unit
        if whole is None and not self.is_float:
            scores, pair_scores, unit = np.asarray(scores * unit, np.float64), crf.pairs.scores, 1.0
        scores = with_room(scores, added.stop)
        scores[added] = (sums if whole is None else whole).reshape(-1, *self._shape)
        return scores, pair_scores, unit

    @property
    def is_float(self) -> bool:
        """Whether scores are floats."""
        return self.scores.dtype == np.float64


def _in_units(scores: _Floats) -> _Ints | None:
    """Return the scores in units of the grid, None if they are not 32-bit integers."""
    units = np.empty(scores.shape, np.int32)
    return units if in_whole_units(scores, 2.0**GRID_BITS, units) else None


def _known_sides(crf: CompiledCrf, words: tuple[str, ...]) -> _Ints:
    """Return for each word and group of pairs the number of its value as left and as right part, 0 if it is unknown."""
    return _side_by_side([table(words) for table in crf.pairs.tables], len(words))


def _known_values(crf: CompiledCrf, words: tuple[str, ...]) -> _Ints:
    """Return for each word the numbers of its values that the model knows, and zeros."""
    return _side_by_side([table(words) for table in crf.tables], len(words))


def _side_by_side(tables: list[_Ints], words: int) -> _Ints:
    return np.concatenate(tables, axis=1) if tables else np.zeros((words, 0), np.int32)


def _keys(values: _Ints, sides: _Ints) -> Iterator[bytes]:
    """Yield for each word a key that is equal for words with equal values only."""
    numbers, ends = np.empty(values.size, np.int32), np.empty(len(values), np.int64)
    drop_zeros(values, numbers, ends)
    of_values, of_sides = numbers.tobytes(), sides.tobytes()
    size, width = numbers.itemsize, sides.itemsize * sides.shape[1]
    first = 0
    for word, end in enumerate(ends.tolist()):
        # All sides have the same length, so the boundary between values and sides is unambiguous.
        yield of_values[size * first : size * end] + of_sides[width * word : width * (word + 1)]
        first = end
