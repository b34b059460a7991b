"""The family `listed`: which kinds of list have a word, with an ending or as the last part of a compound too."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from deid_core.crf.features.templates import Table
from deid_core.lexicon.gazetteer.automaton import Gazetteer

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
"""Those whose words are the last parts of compounds, of which no list has all."""
_WORD_BITS = sum(1 << _LISTS.index(name) for name in _WORD_LISTS)
_SHORTEST_PART = 4
_ENDINGS = ("s", "es", "n", "en", "e")
_MARKS = ("", "~", "+")
"""Of a list that has the whole word, the word without an ending, its last part."""


class Listed:
    """The values of words by these lists; of a longer word than `longest` letters only these count."""

    def __init__(self, gazetteer: Gazetteer, longest: int) -> None:
        self._longest = longest
        self._lists_of: dict[str, int] = {}
        for number, name in enumerate(_LISTS):
            for entry in map(str.lower, gazetteer.words(name)):
                self._lists_of[entry] = self._lists_of.get(entry, 0) | 1 << number

    def __call__(self, word: str) -> tuple[str, ...]:
        """The values of one word."""
        bits = self._bits(word)
        names = (
            (name + mark, number)
            for mark in _MARKS
            for number, name in enumerate(_LISTS, len(_LISTS) * _MARKS.index(mark))
        )
        return tuple(value for value, number in names if bits >> number & 1)

    def table(self, known: Mapping[str, int]) -> Table:
        """The table of these values' numbers."""
        numbers = np.array([known.get(name + mark, 0) for mark in _MARKS for name in _LISTS], np.int32)
        shifts = np.arange(len(numbers))

        def table(words: tuple[str, ...]) -> npt.NDArray[np.int32]:
            bits = np.array([self._bits(word) for word in words], np.int64)
            return (bits[:, None] >> shifts & 1).astype(np.int32) * numbers

        return table

    def _bits(self, word: str) -> int:
        """A bit for each mark and list, of the first mark the lowest."""
        small = word[: self._longest].lower()
        whole = self._lists_of.get(small, 0)
        lengths = [len(ending) for ending in _ENDINGS if small.endswith(ending)]
        stem = 0
        for length in lengths:
            stem |= self._lists_of.get(small[:-length], 0) if len(small) > length else 0
        stem &= ~whole
        if whole | stem:
            return whole | stem << len(_LISTS)
        return self._last_part(small, lengths) << 2 * len(_LISTS)

    def _last_part(self, small: str, endings: list[int]) -> int:
        """The lists of words that have the longest last part that one has, with an ending or without."""
        lists_of = self._lists_of
        # An ending of the part is one of the word: it is shorter than the shortest part.
        stems = [(len(small) - length, len(small) - length - _SHORTEST_PART) for length in endings]
        for start in range(1, len(small) - _SHORTEST_PART + 1):
            bits = lists_of.get(small[start:], 0)
            for end, last in stems:
                if start <= last:
                    bits |= lists_of.get(small[start:end], 0)
            if bits & _WORD_BITS:
                return bits & _WORD_BITS
        return 0
