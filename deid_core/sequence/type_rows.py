"""What each word type of a vocabulary adds to the scores of a compiled CRF, computed once a type.

A score is kept in units of the grid of weights (crfsuite_file.py), as a whole number of 32 bits: half of what a float
takes, and just as exact. Where a model's weights are not on the grid, or a word has more than 32 bits of it, all
scores are floats.

Types: 0 is the word outside the sequence (EDGE), 1 the line break (LINE), then the vocabulary's word types in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from deid_core.sequence.compiled import CompiledCrf
from deid_core.sequence.crfsuite_file import GRID_BITS
from deid_core.sequence.emissions import add_values
from deid_core.sequence.features import EDGE, LINE
from deid_core.tokens import Vocabulary
from deid_core.word_types import with_room

EDGE_TYPE, LINE_TYPE, FIRST_TYPE = 0, 1, 2
"""The types of EDGE and LINE, and of the vocabulary's first word type."""
_WORDS_AT_ONCE = 8192
_GREATEST = np.iinfo(np.int32).max

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int32]
_Scores = npt.NDArray[np.int32] | npt.NDArray[np.float64]


class TypeRows:
    """What each word type of a vocabulary adds to scores, computed once a type; grows with the vocabulary.

    Words with the same values have one row together: of numbers, whose digits no value tells apart, there are many.
    rows: int32 (types,), the row of each. sides: int32 (rows, groups of pairs, 2). scores: (rows, places, lanes), and
    pair_scores: (pairs, lanes), in multiples of `unit`, int32 or float64. All may be longer than their use.
    """

    def __init__(self, crf: CompiledCrf, vocabulary: Vocabulary) -> None:
        self._crf = crf
        self._vocabulary = vocabulary
        self._filled = 0
        self._known: dict[tuple[int, ...], int] = {}
        self.rows: _Ints = np.zeros(1024, np.int32)
        self._shape = int(crf.places.max(initial=-1)) + 1, crf.lanes
        self.unit = 2.0**-GRID_BITS
        self.scores: _Scores = np.zeros((256, *self._shape), np.int32)
        pair_scores = _in_units(crf.pairs.scores)
        self.pair_scores: _Scores = crf.pairs.scores if pair_scores is None else pair_scores
        self.sides: _Ints = np.zeros((256, len(crf.pairs.sides), 2), np.int32)
        if pair_scores is None:
            self._to_floats()
        self._append([EDGE, LINE])

    def __len__(self) -> int:
        return self._filled

    def extend(self) -> None:
        """Computes the rows of all word types that came since the last call."""
        words = self._vocabulary.words
        while self._filled < len(words) + FIRST_TYPE:
            first = self._filled - FIRST_TYPE
            self._append(words[first : first + _WORDS_AT_ONCE])

    def _append(self, words: Sequence[str]) -> None:
        crf, first_row = self._crf, len(self._known)
        values, sides = _known_values(crf, words), _known_sides(crf, words)
        numbers: list[int] = []
        ends: list[int] = []
        of_pairs: list[tuple[int, ...]] = []
        rows = []
        for of_word, of_pair in zip(values, sides, strict=True):
            key = (len(of_word), *of_word, *of_pair)
            row = self._known.setdefault(key, len(self._known))
            if row == first_row + len(ends):
                numbers += of_word
                ends.append(len(numbers))
                of_pairs.append(of_pair)
            rows.append(row)
        self.rows = with_room(self.rows, self._filled + len(words))
        self.rows[self._filled : self._filled + len(words)] = rows
        self._filled += len(words)
        end = len(self._known)
        self.scores, self.sides = with_room(self.scores, end), with_room(self.sides, end)
        self._set_scores(first_row, np.array(numbers, np.int32), np.array(ends, np.int64))
        if crf.pairs.sides and of_pairs:
            self.sides[first_row:end] = np.array(of_pairs, np.int32).reshape(len(ends), len(crf.pairs.sides), 2)

    def _set_scores(self, first_row: int, numbers: _Ints, ends: npt.NDArray[np.int64]) -> None:
        """The rows of words from the numbers of their values and where each word's end."""
        crf = self._crf
        added = np.zeros((len(ends), self._shape[0] * self._shape[1]))
        add_values(numbers, ends, crf.starts, crf.cells, crf.weights, added)
        scores: _Scores = added.reshape(-1, *self._shape)
        if not self.is_float:
            whole = _in_units(added)
            if whole is None:
                self._to_floats()
            else:
                scores = whole.reshape(scores.shape)
        self.scores[first_row : first_row + len(ends)] = scores

    @property
    def is_float(self) -> bool:
        """Whether scores are floats."""
        return self.scores.dtype == np.float64

    def _to_floats(self) -> None:
        self.scores = np.asarray(self.scores * self.unit, np.float64)
        self.pair_scores, self.unit = self._crf.pairs.scores, 1.0


def _in_units(scores: _Floats) -> _Ints | None:
    """The scores in units of the grid, if they are whole numbers of 32 bits."""
    units = np.ldexp(scores, GRID_BITS)
    fit = np.abs(units).max(initial=0) <= _GREATEST and np.array_equal(np.rint(units), units)
    return units.astype(np.int32) if fit else None


def _known_sides(crf: CompiledCrf, words: Sequence[str]) -> list[tuple[int, ...]]:
    """For each word and group of pairs the number of its value as left and as right part, 0 where it is not known."""
    of_words = {value: [value(word) for word in words] for value in {value for value, _, _ in crf.pairs.sides}}
    columns = [
        [numbers_of.get(part, 0) for part in of_words[value]]
        for value, *known in crf.pairs.sides
        for numbers_of in known
    ]
    return list(zip(*columns, strict=True)) if columns else [()] * len(words)


def _known_values(crf: CompiledCrf, words: Iterable[str]) -> list[list[int]]:
    """For each word the numbers of its values that the model knows."""
    lookups = [(values, known.get) for values, known in crf.values]
    # No value has the number 0, so `filter` drops only what the model does not know.
    return [[n for values, get in lookups for n in filter(None, map(get, values(word)))] for word in words]
