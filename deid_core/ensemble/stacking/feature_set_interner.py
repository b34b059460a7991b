"""Interns the set of detections that cover each token, in numba.

A transition table maps (set, new detection) to the id of the larger set. A set is numbered when it is first met. From
then on each detection of a token costs one look-up in a hash table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit
from deid_core.text.hash_table import fill_hash_table, place_of

_Array = npt.NDArray[Any]


class FeatureSetInterner:
    """The feature sets met so far; the id of a set is its place in `sets`. Id 0 is the empty set."""

    def __init__(self) -> None:
        self.sets: list[tuple[int, ...]] = [()]
        # Hash table of transitions: set id and added feature (0 where the table is empty), and the resulting set id.
        self._keys = np.zeros(1024, np.int64)
        self._targets = np.zeros(1024, np.int32)

    def intern(
        self, features: npt.NDArray[np.int64], ranges: npt.NDArray[np.int64], tokens: int
    ) -> npt.NDArray[np.int32]:
        """Return the id of each token's feature set; int32 (tokens,).

        features: of each range the feature of its first token; its other tokens get this number plus 1. ranges:
        (ranges, 2), start_token and end_token, half-open.
        """
        ids = np.zeros(tokens, np.int32)
        # The range and token at which to continue.
        position = np.array([0, ranges[0, 0] if len(ranges) else 0], np.int64)
        while not _intern(features, ranges, ids, position, self._keys, self._targets):
            number, token = position.tolist()
            self._add(int(ids[token]), int(features[number] + (token > ranges[number, 0])))
        return ids

    def _add(self, set_id: int, feature: int) -> None:
        """Add a transition; if it fails, as for lack of memory, the table stays as it was."""
        added = len(self.sets)
        larger = (*self.sets[set_id], feature)
        key, place = np.array([_key(set_id, feature)], np.int64), np.empty(1, np.int64)
        keys, targets = self._keys, self._targets
        # At most half full, so that a search is short and ends.
        if 2 * added > len(keys):
            keys, targets = _doubled(keys, targets)
        self.sets.append(larger)
        fill_hash_table(key, keys, place)
        targets[place[0]] = added
        self._keys, self._targets = keys, targets


def _doubled(keys: _Array, targets: _Array) -> tuple[_Array, _Array]:
    """Return a hash table with the same transitions and twice the capacity."""
    used = np.flatnonzero(keys)
    places = np.empty(len(used), np.int64)
    more_keys, more_targets = np.zeros(2 * len(keys), np.int64), np.zeros(2 * len(keys), np.int32)
    fill_hash_table(keys[used], more_keys, places)
    more_targets[places] = targets[used]
    return more_keys, more_targets


def _key(set_id: int, feature: int) -> int:
    return set_id << 32 | (feature + 1)


@jit("b1(i8[::1], i8[:,::1], i4[::1], i8[::1], i8[::1], i4[::1])")
def _intern(features: _Array, ranges: _Array, ids: _Array, position: _Array, keys: _Array, targets: _Array) -> bool:
    """Continue at range position[0] and token position[1]; return False at a transition that the table lacks."""
    token = position[1]
    for number in range(position[0], len(ranges)):
        start_token = ranges[number, 0]
        if number != position[0]:
            token = start_token
        while token < ranges[number, 1]:
            key = (np.int64(ids[token]) << 32) | (features[number] + (token > start_token) + 1)
            place = place_of(key, len(keys))
            while keys[place] != key:
                if keys[place] == 0:
                    position[0], position[1] = number, token
                    return False
                place = (place + 1) & (len(keys) - 1)
            ids[token] = targets[place]
            token += 1
    return True
