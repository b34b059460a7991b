"""From nothing said of a token, value by value, to all that is said of it: a table of steps, walked in numba.

A state stands for the values said in their order, 0 for none. A step leads from a state and one value more to the next
state; it is numbered when it is first met, and from then on is one look-up in a hash table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.text.hash_table import fill_hash_table, place_of

_Array = npt.NDArray[Any]


class FeatureSetInterner:
    """The states met so far; a state's number is its place in `said`, where the values are that lead to it."""

    def __init__(self) -> None:
        self.said: list[tuple[int, ...]] = [()]
        # State and value of a step, 0 where the table is empty, and where it leads.
        self._keys = np.zeros(1024, np.int64)
        self._targets = np.zeros(1024, np.int32)

    def walk(self, values: npt.NDArray[np.int64], ranges: npt.NDArray[np.int64], tokens: int) -> npt.NDArray[np.int32]:
        """The state of each token; int32, shape (tokens,).

        values: what each range says of its first token; of its others it says the value behind that one. ranges:
        (ranges, 2), first token and the one behind the last.
        """
        states = np.zeros(tokens, np.int32)
        # The range and token from which to go on.
        at = np.array([0, ranges[0, 0] if len(ranges) else 0], np.int64)
        while not _walk(values, ranges, states, at, self._keys, self._targets):
            number, token = at.tolist()
            self._add(int(states[token]), int(values[number] + (token > ranges[number, 0])))
        return states

    def _add(self, state: int, value: int) -> None:
        """Adds a step; one that fails, as for want of memory, leaves the table as it was."""
        added = len(self.said)
        said = (*self.said[state], value)
        step, place = np.array([_key(state, value)], np.int64), np.empty(1, np.int64)
        keys, targets = self._keys, self._targets
        # At most half full: so a search is short, and ends.
        if 2 * added > len(keys):
            keys, targets = _twice_as_long(keys, targets)
        self.said.append(said)
        fill_hash_table(step, keys, place)
        targets[place[0]] = added
        self._keys, self._targets = keys, targets


def _twice_as_long(keys: _Array, targets: _Array) -> tuple[_Array, _Array]:
    """A hash table with the same steps and twice the room."""
    full = np.flatnonzero(keys)
    places = np.empty(len(full), np.int64)
    more_keys, more_targets = np.zeros(2 * len(keys), np.int64), np.zeros(2 * len(keys), np.int32)
    fill_hash_table(keys[full], more_keys, places)
    more_targets[places] = targets[full]
    return more_keys, more_targets


def _key(state: int, value: int) -> int:
    return state << 32 | (value + 1)


@jit("b1(i8[::1], i8[:,::1], i4[::1], i8[::1], i8[::1], i4[::1])")
def _walk(values: _Array, ranges: _Array, states: _Array, at: _Array, keys: _Array, targets: _Array) -> bool:
    """Goes on from range at[0] and token at[1], until all is done, or to a step that the table does not have."""
    token = at[1]
    for number in range(at[0], len(ranges)):
        first = ranges[number, 0]
        if number != at[0]:
            token = first
        while token < ranges[number, 1]:
            key = (np.int64(states[token]) << 32) | (values[number] + (token > first) + 1)
            place = place_of(key, len(keys))
            while keys[place] != key:
                if keys[place] == 0:
                    at[0], at[1] = number, token
                    return False
                place = (place + 1) & (len(keys) - 1)
            states[token] = targets[place]
            token += 1
    return True
