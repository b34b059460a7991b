"""A hash table of integers for compiled loops, with linear probing; key 0 marks an empty slot.

Values are in arrays of the caller, at the slots of their keys. The caller keeps the table at most half full.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import inlined, jit

_Array = npt.NDArray[Any]

_MIX = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio: Knuth's multiplicative hash, The Art of Computer Programming 3, section 6.4."""


@inlined
def place_of(key: Any, capacity: int) -> Any:
    """Return the slot where the search for a key begins; capacity is a power of 2."""
    mixed = np.uint64(key) * np.uint64(_MIX)
    return np.int64((mixed >> np.uint64(32)) & np.uint64(capacity - 1))


@jit("void(i8[::1], i8[::1], i8[::1])")
def fill_hash_table(found: _Array, keys: _Array, places: _Array) -> None:
    """Put the keys `found`, distinct and not 0, into the empty table `keys`; set `places` to their slots."""
    for number in range(len(found)):
        place = place_of(found[number], len(keys))
        while keys[place] != 0:
            place = (place + 1) & (len(keys) - 1)
        keys[place] = found[number]
        places[number] = place
