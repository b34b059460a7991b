"""Arrays that compiled code reads: strings as code points, and arrays that grow.

An array that grows is longer than what it holds and doubles when it is full, so that growing costs little.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


class StringPool:
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
