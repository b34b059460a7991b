"""Arrays for compiled code: strings as code points, and arrays that grow by doubling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt


class StringPool:
    """Strings as code points in one array, for compiled code.

    codes: uint32; string n is codes[bounds[n]:bounds[n + 1]]. bounds: int64. Both may be longer than what is in use.
    """

    def __init__(self) -> None:
        self.codes: npt.NDArray[np.uint32] = np.zeros(256, np.uint32)
        self.bounds: npt.NDArray[np.int64] = np.zeros(64, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def extend(self, strings: Iterable[str]) -> None:
        """Append strings."""
        strings = list(strings)
        if not strings:
            return
        start, count = self._count, self._count + len(strings)
        codes = code_points("".join(strings))
        bounds = with_room(self.bounds, count + 1)
        ends = bounds[start] + np.cumsum([len(string) for string in strings])
        self.codes = with_room(self.codes, int(ends[-1]))
        self.codes[bounds[start] : ends[-1]] = codes
        bounds[start + 1 : count + 1] = ends
        # Last, so that a failure leaves the pool unchanged.
        self.bounds, self._count = bounds, count


def code_points(text: str) -> npt.NDArray[np.uint32]:
    """Return the text's code points, uint32 (len(text),)."""
    # The fastest way, which takes lone surrogates as well. The array of an empty text has one character.
    return np.array([text]).view(np.uint32)[: len(text)]


def characters_beyond(text: str, last: int) -> str:
    """Return the distinct characters of a text beyond a code point: a few, where an expression would scan thousands."""
    codes = code_points(text)
    return "".join(map(chr, set(codes[codes > last].tolist())))


def bounds_of(strings: Sequence[Sized]) -> npt.NDArray[np.int64]:
    """Return the start of each string in the code points of all strings joined, and the end of the last one."""
    return np.fromiter(accumulate(map(len, strings), initial=0), np.int64, len(strings) + 1)


def with_room(array: npt.NDArray[Any], needed: int) -> npt.NDArray[Any]:
    """Return the array, or a copy at least twice as long, filled up with 0, that has room for `needed` rows."""
    if needed <= len(array):
        return array
    longer = np.zeros((max(needed, 2 * len(array)), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
