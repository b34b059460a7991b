"""The family `listed`: the gazetteer lists that contain a word, its stem, or the last part of a compound.

A compound all of whose parts are listed words has a value of its own: "Zehennagelspange" is hardly a name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from deid_core.crf.features.templates import Table
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.kinds import ListKind, list_bit

_LISTS = (
    "first_name",
    "surname",
    "town",
    "street",
    "region",
    "country",
    "profession",
    "common_word",
    "clinic_word",
    "medical_word",
    "eponym",
)
_WORD_LISTS = ("profession", "common_word", "clinic_word", "medical_word")
"""Lists whose words are searched as the last part of compounds, which no list has completely."""
_BITS, _WORD_BITS = (sum(map(list_bit, names)) for names in (_LISTS, _WORD_LISTS))
_SHORTEST_PART = 4
_ENDINGS = ("s", "es", "n", "en", "e")
_MARKS = ("", "~", "+")
"""Suffix of the value: the list contains the whole word, the word without an ending, or its last part."""
_VALUES = [name + mark for mark in _MARKS for name in _LISTS]
_KINDS = len(ListKind)
_COMPOUND = "compound"
_PLACES = [list_bit(name).bit_length() - 1 + _KINDS * number for number in range(len(_MARKS)) for name in _LISTS]
"""The place of each value's bit; the lowest bits are those of the first mark."""
_VALUES.append(_COMPOUND)
_PLACES.append(len(_MARKS) * _KINDS)
_JOINTS = ("", "s", "n", "en", "es", "er", "e", "ns", "-")
"""Letters between the parts of a compound."""
_SHORTEST_FIRST = 3
_MAX_DEPTH = 3
"""Parts of a compound before its last one."""


@dataclass(frozen=True, slots=True)
class GazetteerLists:
    """The lists of words. longest: longer words are truncated to this number of letters.

    Two models with the same lists have equal objects, so they share the bits of the words read last (`_bits_of`).
    """

    gazetteer: Gazetteer
    longest: int

    def __call__(self, word: str) -> tuple[str, ...]:
        """Return the values of one word."""
        bits = self._bits(word)
        return tuple(value for value, place in zip(_VALUES, _PLACES, strict=True) if bits >> place & 1)

    def table(self, known: Mapping[str, int]) -> Table:
        """Return the table of these values' numbers."""
        numbers = np.array([known.get(value, 0) for value in _VALUES], np.int32)
        shifts = np.array(_PLACES, np.int64)

        def table(words: tuple[str, ...]) -> npt.NDArray[np.int32]:
            bits = _bits_of(self, words)
            found: npt.NDArray[np.int32] = (bits[:, None] >> shifts & 1).astype(np.int32) * numbers
            return found

        return table

    def _bits(self, word: str) -> int:
        """Return one bit for each value, at its place."""
        lists_of = self.gazetteer.lists_of
        small = word[: self.longest].lower()
        whole = lists_of.get(small, 0) & _BITS
        lengths = [len(ending) for ending in _ENDINGS if small.endswith(ending)]
        stem = 0
        for length in lengths:
            stem |= lists_of.get(small[:-length], 0) if len(small) > length else 0
        stem &= _BITS & ~whole
        if whole | stem:
            return whole | stem << _KINDS
        bits, start = self._last_part(small, lengths)
        is_compound = start > 0 and self._is_known(small[:start], _MAX_DEPTH)
        return bits << 2 * _KINDS | is_compound << len(_MARKS) * _KINDS

    def _is_known(self, part: str, depth: int) -> bool:
        """Return whether the beginning of a compound consists of listed words, with joints between them."""
        lists_of = self.gazetteer.lists_of
        stems = [part[: len(part) - len(joint)] for joint in _JOINTS if part.endswith(joint)]
        stems = [stem for stem in stems if len(stem) >= _SHORTEST_FIRST]
        if any(lists_of.get(stem, 0) & _WORD_BITS for stem in stems):
            return True
        if depth > 1:
            for stem in stems:
                _, start = self._last_part(stem, [])
                if start > 0 and self._is_known(stem[:start], depth - 1):
                    return True
        return False

    def _last_part(self, small: str, endings: list[int]) -> tuple[int, int]:
        """Return the lists that contain the longest known last part of the word, with an ending or without, and where
        the part begins; 0 and 0 if there is none.
        """
        lists_of = self.gazetteer.lists_of
        # The part and the word have the same ending, since endings are shorter than parts.
        stems = [(len(small) - length, len(small) - length - _SHORTEST_PART) for length in endings]
        for start in range(1, len(small) - _SHORTEST_PART + 1):
            bits = lists_of.get(small[start:], 0)
            for end, last in stems:
                if start <= last:
                    bits |= lists_of.get(small[start:end], 0)
            if bits & _WORD_BITS:
                return bits & _WORD_BITS, start
        return 0, 0


@lru_cache(1)
def _bits_of(lists: GazetteerLists, words: tuple[str, ...]) -> npt.NDArray[np.int64]:
    """Return the bits of all words. The two models of pipeline `default` ask for the same words (value_tables.py)."""
    return np.array([lists._bits(word) for word in words], np.int64)
