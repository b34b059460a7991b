"""Tables from words to the numbers of their feature values, for many words at once.

A family may implement `BatchValues`; others are computed word by word. A table gives the numbers
of each word in columns. Two models that look up the same words one after another share what does not depend on the
model: each function of words keeps its last result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from deid_core.crf.features.templates import BatchValues, FirstValue, Table, Values
from deid_core.text.arrays import bounds_of, code_points

_MOST_BITS = 62

_Ints = npt.NDArray[np.int32]


def value_table(values: Values, known: Mapping[str, int]) -> Table:
    """Return the table of values with these numbers, all above 0."""
    return values.table(known) if isinstance(values, BatchValues) else _word_by_word(values, known)


def single_table(value: Callable[[str], str], known: Mapping[str, int]) -> Table:
    """Return the table, with one column, of a function that gives one value per word."""
    if isinstance(value, FirstValue) and isinstance(value.values, BatchValues):
        return value.values.table(known)
    return lambda words: column([known.get(value(word), 0) for word in words])


def column(numbers: list[int]) -> _Ints:
    """Return the numbers as a table's only column."""
    return np.array(numbers, np.int32).reshape(-1, 1)


def _word_by_word(values: Values, known: Mapping[str, int]) -> Table:
    get = known.get

    def table(words: tuple[str, ...]) -> _Ints:
        # No value has the number 0, so `filter` drops only unknown values.
        rows = [list(filter(None, map(get, values(word)))) for word in words]
        found = np.zeros((len(rows), max(map(len, rows), default=0)), np.int32)
        for row, numbers in zip(found, rows, strict=True):
            row[: len(numbers)] = numbers
        return found

    return table


def edge_ngram_table(
    known: Mapping[str, int], limit: int, normal: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> Table | None:
    """Return the table of n-grams of up to `limit` letters at the beginning ("<…") and end ("…>") of normalised words.

    Return None if the n-grams have too many distinct letters to be packed into an integer.
    """
    from deid_core.crf.features.ngrams import edge_ngram_numbers

    # Each is read from the edge of the word inwards; "<>" is the end of "<" and the beginning of ">".
    ngrams = [(value[1:], 0, number) for value, number in known.items() if value[:1] == "<"]
    ngrams += [(value[-2::-1], 1, number) for value, number in known.items() if value[-1:] == ">"]
    ngrams = [ngram for ngram in ngrams if 0 < len(ngram[0]) <= limit]
    letters = np.unique(code_points("".join(text for text, _, _ in ngrams)))
    bits = len(letters).bit_length()
    if bits * limit + 1 > _MOST_BITS:
        return None
    numbered = np.zeros(int(letters.max(initial=0)) + 1, np.int32)
    numbered[letters] = np.arange(1, len(letters) + 1)
    keys, places = _packed(ngrams, numbered, bits)
    numbers = np.zeros(len(keys), np.int32)
    numbers[places] = [number for _, _, number in ngrams]

    def table(words: tuple[str, ...]) -> _Ints:
        codes, bounds = _codes(normal(words))
        found = np.zeros((len(words), 2 * limit), np.int32)
        edge_ngram_numbers(codes, bounds, numbered, bits, keys, numbers, found)
        return found

    return table


def _packed(
    ngrams: list[tuple[str, int, int]], numbered: _Ints, bits: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return a hash table of packed n-grams, and the place of each in it; see `edge_ngram_numbers`."""
    from deid_core.text.hash_table import fill_hash_table

    packed = np.zeros(len(ngrams), np.int64)
    lengths = np.array([len(text) for text, _, _ in ngrams], np.int64)
    for at in range(lengths.max(initial=0)):
        longer = lengths > at
        letters = numbered[code_points("".join(text[at : at + 1] for text, _, _ in ngrams))]
        packed[longer] = packed[longer] << bits | letters
    packed = packed << 1 | np.array([side for _, side, _ in ngrams], np.int64)
    keys, places = np.zeros(1 << (2 * len(ngrams)).bit_length(), np.int64), np.zeros(len(ngrams), np.int64)
    fill_hash_table(packed, keys, places)
    return keys, places


@lru_cache(2)
def _codes(words: tuple[str, ...]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    return code_points("".join(words)), bounds_of(words)
