"""The family `listed`: the gazetteer lists that contain a word, its stem, or the last part of a compound."""

from __future__ import annotations

from collections.abc import Mapping

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
_PLACES = [list_bit(name).bit_length() - 1 + _KINDS * number for number in range(len(_MARKS)) for name in _LISTS]
"""The place of each value's bit; the lowest bits are those of the first mark."""


class GazetteerLists:
    """The lists of words. longest: longer words are truncated to this number of letters."""

    def __init__(self, gazetteer: Gazetteer, longest: int) -> None:
        self._longest = longest
        self._gazetteer = gazetteer

    def __call__(self, word: str) -> tuple[str, ...]:
        """Return the values of one word."""
        bits = self._bits(word)
        return tuple(value for value, place in zip(_VALUES, _PLACES, strict=True) if bits >> place & 1)

    def table(self, known: Mapping[str, int]) -> Table:
        """Return the table of these values' numbers."""
        numbers = np.array([known.get(value, 0) for value in _VALUES], np.int32)
        shifts = np.array(_PLACES, np.int64)

        def table(words: tuple[str, ...]) -> npt.NDArray[np.int32]:
            bits = np.array([self._bits(word) for word in words], np.int64)
            found: npt.NDArray[np.int32] = (bits[:, None] >> shifts & 1).astype(np.int32) * numbers
            return found

        return table

    def _bits(self, word: str) -> int:
        """Return one bit for each value, at its place."""
        lists_of = self._gazetteer.lists_of
        small = word[: self._longest].lower()
        whole = lists_of.get(small, 0) & _BITS
        lengths = [len(ending) for ending in _ENDINGS if small.endswith(ending)]
        stem = 0
        for length in lengths:
            stem |= lists_of.get(small[:-length], 0) if len(small) > length else 0
        stem &= _BITS & ~whole
        if whole | stem:
            return whole | stem << _KINDS
        return self._last_part(small, lengths) << 2 * _KINDS

    def _last_part(self, small: str, endings: list[int]) -> int:
        """Return the lists that contain the longest known last part of the word, with an ending or without."""
        lists_of = self._gazetteer.lists_of
        # The part and the word have the same ending, since endings are shorter than parts.
        stems = [(len(small) - length, len(small) - length - _SHORTEST_PART) for length in endings]
        for start in range(1, len(small) - _SHORTEST_PART + 1):
            bits = lists_of.get(small[start:], 0)
            for end, last in stems:
                if start <= last:
                    bits |= lists_of.get(small[start:end], 0)
            if bits & _WORD_BITS:
                return bits & _WORD_BITS
        return 0
