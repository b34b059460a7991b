"""A table from strings to numbers as arrays, for compiled code: it is mapped from a file, not read into objects.

The strings are code points, one after another: string n is codes[bounds[n]:bounds[n + 1]]. A hash table with linear
probing, at most half full, has 1 + n at the place of string n, 0 where it is empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.text.arrays import bounds_of, code_points
from deid_core.text.tokeniser_kernel import entry_of, insert_strings

_Array = npt.NDArray[Any]


def string_table(numbers: Mapping[str, int]) -> dict[str, _Array]:
    """Return the arrays of strings with their numbers, all above 0; `numbers_of` looks them up."""
    strings = list(numbers)
    codes, bounds = code_points("".join(strings)), bounds_of(strings)
    table = np.zeros(1 << (2 * len(strings)).bit_length(), np.int32)
    insert_strings(table, codes, bounds, 0, len(strings))
    return {"codes": codes, "bounds": bounds, "table": table, "numbers": np.array(list(numbers.values()), np.int32)}


@jit("void(u4[::1], i8[::1], i4[::1], u4[::1], i8[::1], i4[::1], i4[::1])")
def numbers_of(
    codes: _Array, bounds: _Array, table: _Array, pool: _Array, pool_bounds: _Array, numbers: _Array, found: _Array
) -> None:
    """Set `found`, int32 (strings,), to the number of each string (codes, bounds), 0 if the table does not have it."""
    for word in range(len(found)):
        entry = entry_of(codes, bounds[word], bounds[word + 1], table, pool, pool_bounds)
        found[word] = numbers[entry] if entry >= 0 else 0
