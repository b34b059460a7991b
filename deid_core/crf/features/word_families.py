"""Feature families that are computed for many words at once: words, affixes, shapes, clusters, name-likeness.

Emission rows (emission_cache.py) and CRFsuite's attributes come from the same functions; see value_tables.py.
The caches of size 1 share the last batch of words between families and between two models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from deid_core.core.array_cache import Arrays
from deid_core.crf.features.char_ngram_scorer import CharNgramScorer
from deid_core.crf.features.clusters import UNKNOWN, Clusters
from deid_core.crf.features.templates import Table
from deid_core.crf.features.value_tables import (
    column,
    edge_ngram_table,
    pack_edge_ngrams,
    single_value_table,
    value_table,
)
from deid_core.crf.features.word_shapes import character_classes, short_of, stanford_of
from deid_core.text.tokens import EDGE

MAX_LETTERS = 64
"""Longer words are truncated."""
_PATH_BITS = (4, 6, 8, 10)
_THRESHOLDS = (-3.0, -1.5, -0.5, 0.5, 1.5, 3.0)
_STEPS = np.array(_THRESHOLDS, np.float32)
_MANY = 1000
"""So many values of a model are looked up in arrays, fewer in a dictionary."""
_DIGITS = str.maketrans("123456789", "000000000")

_Words = tuple[str, ...]
_Ints = npt.NDArray[np.int32]


@lru_cache(1)
def normal(words: _Words) -> _Words:
    """Return the words, truncated, with all digits as 0."""
    return tuple([word[:MAX_LETTERS].translate(_DIGITS) for word in words])


@lru_cache(1)
def normal_lower(words: _Words) -> _Words:
    """Return the same in small letters."""
    return tuple([word.lower() for word in normal(words)])


@lru_cache(1)
def _classes(words: _Words) -> _Words:
    return tuple([character_classes(word[:MAX_LETTERS]) for word in words])


@lru_cache(1)
def stanford_shapes(words: _Words) -> _Words:
    """Return the words' shapes chris2 (word_shapes.py)."""
    return tuple(map(stanford_of, _classes(words)))


@lru_cache(1)
def short_shapes(words: _Words) -> _Words:
    """Return the words' short shapes (word_shapes.py)."""
    return tuple(map(short_of, _classes(words)))


@dataclass(frozen=True, slots=True, eq=False)
class SingleValue:
    """One value per word; a position outside the sequence has a value only if `edge`."""

    of_words: Callable[[_Words], _Words]
    edge: bool = False

    def __call__(self, word: str) -> _Words:
        """Return the values of one word."""
        return self.of_words((word,)) if self.edge or word != EDGE else ()

    def table(self, known: Mapping[str, int]) -> Table:
        """Return the table of these values' numbers."""

        def table(words: _Words) -> _Ints:
            found = column([known.get(value, 0) for value in self.of_words(words)])
            return found if self.edge else _none_outside(words, found)

        return table

    def packed(self, known: Mapping[str, int]) -> Arrays | None:
        """Return the arrays of `packed_table` for these values' numbers, None if they are few."""
        if len(known) < _MANY:
            return None
        from deid_core.text.string_table import string_table

        return string_table(known)

    def packed_table(self, packed: Arrays) -> Table:
        """Return the table of packed values."""
        look_up = single_value_table(packed, self.of_words)
        return look_up if self.edge else lambda words: _none_outside(words, look_up(words))


@dataclass(frozen=True, slots=True, eq=False)
class EdgeNgrams:
    """N-grams of up to `limit` letters at the beginning ("<") and the end (">") of normalised words."""

    limit: int
    of_words: Callable[[_Words], _Words]

    def __call__(self, word: str) -> _Words:
        """Return the values of one word."""
        (word,) = self.of_words((word,))
        sizes = range(1, min(self.limit, len(word)) + 1)
        return (*[f"<{word[:size]}" for size in sizes], *[f"{word[-size:]}>" for size in sizes])

    def table(self, known: Mapping[str, int]) -> Table:
        """Return the table of these values' numbers."""
        packed = self.packed(known)
        # The second one for alphabets that need too many bits, such as those of syllables.
        return value_table(self.__call__, known) if packed is None else self.packed_table(packed)

    def packed(self, known: Mapping[str, int]) -> Arrays | None:
        """Return the arrays of `packed_table` for these values' numbers, None if they cannot be packed."""
        return pack_edge_ngrams(known, self.limit)

    def packed_table(self, packed: Arrays) -> Table:
        """Return the table of packed values."""
        return edge_ngram_table(packed, self.limit, self.of_words)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterValues:
    """Values of the path of the word's cluster. of_path: from a path to its values, called once per path."""

    clusters: Clusters
    of_path: Callable[[int], _Words]

    def __call__(self, word: str) -> _Words:
        """Return the values of one word."""
        return self.of_path(self.clusters.path(word)) if word != EDGE else ()

    def table(self, known: Mapping[str, int]) -> Table:
        """Return the table of these values' numbers."""
        paths = [*self.clusters.paths.tolist(), UNKNOWN]
        numbers = value_table(lambda path: self.of_path(int(path)), known)(tuple(map(str, paths)))
        # A column even if the model knows none of the paths: a pair needs one.
        numbers = numbers if numbers.shape[1] else np.zeros((len(paths), 1), np.int32)
        return lambda words: _none_outside(words, numbers[_places(self.clusters, words)])


@lru_cache(1)
def _places(clusters: Clusters, words: _Words) -> npt.NDArray[np.int64]:
    return clusters.places(words)


def path_beginnings(path: int) -> _Words:
    """Return prefixes of a path in the tree of clusters, and the whole path."""
    if path == UNKNOWN:
        return ("?",)
    return (*[f"{bits}:{path & ((1 << bits) - 1)}" for bits in _PATH_BITS], str(path))


def path_bits(bits: int) -> Callable[[int], _Words]:
    """Return a function from a path to its first bits."""
    mask = (1 << bits) - 1
    return lambda path: ("?",) if path == UNKNOWN else (str(path & mask),)


@dataclass(frozen=True, slots=True, eq=False)
class LikenessSteps:
    """For each class of name-likeness all thresholds that the word's log odds exceed."""

    likeness: CharNgramScorer

    def __call__(self, word: str) -> _Words:
        """Return the values of one word."""
        scores = self.likeness.scores(word)
        if scores is None:
            return ()
        counts = _STEPS.searchsorted(scores).tolist()
        return tuple(
            value for name, count in zip(self.likeness.classes, counts, strict=True) for value in _steps(name)[:count]
        )

    def table(self, known: Mapping[str, int]) -> Table:
        """Return the table of these values' numbers."""
        numbers = np.array(
            [[known.get(value, 0) for value in _steps(name)] for name in self.likeness.classes], np.int32
        )

        return lambda words: (_passed(self.likeness, words) * numbers).reshape(len(words), numbers.size)


def _steps(name: str) -> list[str]:
    return [f"{name}>{threshold:g}" for threshold in _THRESHOLDS]


@dataclass(frozen=True, slots=True, eq=False)
class BestClass:
    """The class of name-likeness with the highest log odds, followed by "?" if they are negative."""

    likeness: CharNgramScorer

    def __call__(self, word: str) -> _Words:
        """Return the values of one word."""
        scores = self.likeness.scores(word)
        if scores is None:
            return ()
        best = int(scores.argmax())
        return (self.likeness.classes[best] + ("" if scores[best] > 0 else "?"),)

    def table(self, known: Mapping[str, int]) -> Table:
        """Return the table of these values' numbers."""
        classes = self.likeness.classes
        numbers = column([*[known.get(name + mark, 0) for name in classes for mark in ("?", "")], 0])

        return lambda words: numbers[_best(self.likeness, words)]


@lru_cache(1)
def _scores(likeness: CharNgramScorer, words: _Words) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    return likeness.many_scores(words)


@lru_cache(1)
def _passed(likeness: CharNgramScorer, words: _Words) -> npt.NDArray[np.bool_]:
    """Return for each word, class and threshold whether the log odds exceed it; bool (words, classes, thresholds)."""
    scores, lettered = _scores(likeness, words)
    return (scores[:, :, None] > _STEPS) & lettered[:, None, None]


@lru_cache(1)
def _best(likeness: CharNgramScorer, words: _Words) -> npt.NDArray[np.int64]:
    """Return for each word twice the number of its best class, plus 1 if its log odds are positive; -1 for no word."""
    scores, lettered = _scores(likeness, words)
    return np.where(lettered, 2 * scores.argmax(axis=1) + (scores.max(axis=1) > 0), -1)


def _none_outside(words: _Words, numbers: _Ints) -> _Ints:
    if EDGE not in words:
        return numbers
    return np.where(np.array([word != EDGE for word in words], np.bool_)[:, None], numbers, np.int32(0))
