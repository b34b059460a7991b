"""Tables by word type: what depends on the word alone is computed once a type and gathered for every token."""

from __future__ import annotations

from collections.abc import Callable
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
        return self._values[types]

    def of(self, word: str) -> int:
        """The value of one word, whether the vocabulary has it or not."""
        return self._compute(word)

    def _extend(self, known: int) -> None:
        if known > len(self._values):
            grown = np.zeros(max(known, 2 * len(self._values)), self._values.dtype)
            grown[: self._filled] = self._values[: self._filled]
            self._values = grown
        words = self._vocabulary.words
        for number in range(self._filled, known):
            self._values[number] = self._compute(words[number])
        self._filled = known
