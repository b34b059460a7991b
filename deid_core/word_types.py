"""Tables by word type: what depends on the word alone is computed once a type and gathered for every token.

Their arrays are longer than what they hold and double when they are full, so that growing costs little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.tokens import Vocabulary


class TypeColumn:
    """A number for each word type, computed once a type and worker and gathered for all tokens of a note.

    compute: from the word to a number that fits dtype; must depend on the word alone.
    """

    def __init__(self, vocabulary: Vocabulary, compute: Callable[[str], int], dtype: npt.DTypeLike = np.uint32) -> None:
        self._vocabulary = vocabulary
        self._compute = compute
        self._values: npt.NDArray[Any] = np.zeros(1024, dtype)
        self._filled = 0

    def gather(self, types: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
        """Values of the types, shape as `types`."""
        known = len(self._vocabulary)
        if known > self._filled:
            self._extend(known)
        # Half the time of an index.
        return self._values.take(types)

    def of(self, word: str) -> int:
        """The value of one word, whether the vocabulary has it or not."""
        return self._compute(word)

    def _extend(self, known: int) -> None:
        self._values = with_room(self._values, known)
        # At once: a value that is set by itself costs as much as many a computation.
        self._values[self._filled : known] = list(map(self._compute, self._vocabulary.words[self._filled : known]))
        self._filled = known


class Pool:
    """Strings as code points, one after the other, for compiled code.

    codes: uint32; string n is codes[bounds[n]:bounds[n + 1]]. bounds: int64. Both may be longer than what is in use.
    """

    def __init__(self) -> None:
        self.codes: npt.NDArray[np.uint32] = np.zeros(256, np.uint32)
        self.bounds: npt.NDArray[np.int64] = np.zeros(64, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def extend(self, strings: Iterable[str]) -> None:
        """Appends strings."""
        strings = list(strings)
        if not strings:
            return
        first, count = self._count, self._count + len(strings)
        codes = code_points("".join(strings))
        bounds = with_room(self.bounds, count + 1)
        ends = bounds[first] + np.cumsum([len(string) for string in strings])
        self.codes = with_room(self.codes, int(ends[-1]))
        self.codes[bounds[first] : ends[-1]] = codes
        bounds[first + 1 : count + 1] = ends
        # Last, so that a step that fails leaves the strings as they were.
        self.bounds, self._count = bounds, count


def code_points(text: str) -> npt.NDArray[np.uint32]:
    """The text's code points, shape (len(text),)."""
    # The quickest way to all of them, lone surrogates too; an empty text has one character there.
    return np.array([text]).view(np.uint32)[: len(text)]


def bounds_of(strings: Sequence[str]) -> npt.NDArray[np.int64]:
    """Where each string begins in `code_points` of all of them joined, and where the last one ends."""
    return np.cumsum([0, *map(len, strings)], dtype=np.int64)


def with_room(array: npt.NDArray[Any], needed: int) -> npt.NDArray[Any]:
    """The array, or one at least twice as long with the same beginning and 0 behind it, for so many values or rows."""
    if needed <= len(array):
        return array
    longer = np.zeros((max(needed, 2 * len(array)), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
