"""Tables from words to the numbers of their feature values, for many words at once.

A family may implement `BatchValues`; others are computed word by word. A table gives the numbers
of each word in columns. Two models that look up the same words one after another share what does not depend on the
model: each function of words keeps its last result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from deid_core.core.array_cache import Arrays, strings_of, strings_to_array
from deid_core.crf.features.templates import BatchValues, FirstValue, Table, Values
from deid_core.text.arrays import bounds_of, code_points

_MOST_BITS = 62

_Ints = npt.NDArray[np.int32]


def value_table(values: Values, known: Mapping[str, int]) -> Table:
    """Return the table of values with these numbers, all above 0."""
    return values.table(known) if isinstance(values, BatchValues) else _word_by_word(values, known)


def numbered_arrays(name: str, values: Sequence[Mapping[str, int]]) -> Arrays:
    """Return the numbers of values as arrays, named after `name`; `numbered_values` reads them."""
    return {
        f"{name}s": strings_to_array(value for known in values for value in known),
        f"{name}_numbers": np.array([number for known in values for number in known.values()], np.int32),
        f"{name}_bounds": bounds_of(values),
    }


def numbered_values(name: str, arrays: Arrays) -> list[dict[str, int]]:
    """Return the values of `numbered_arrays`."""
    values, numbers = strings_of(arrays[f"{name}s"]), arrays[f"{name}_numbers"].tolist()
    return [
        dict(zip(values[start:end], numbers[start:end], strict=True))
        for start, end in pairwise(arrays[f"{name}_bounds"].tolist())
    ]


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
        # Most words have no value. None has the number 0, so `filter` drops only unknown values.
        rows = [list(filter(None, map(get, of_word))) if of_word else () for of_word in _values_of(values, words)]
        found = np.zeros((len(rows), max(map(len, rows), default=0)), np.int32)
        for row, numbers in enumerate(rows):
            if numbers:
                found[row, : len(numbers)] = numbers
        return found

    return table


@lru_cache(4)
def _values_of(values: Values, words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the values of each word. Two models share them if their family is the same function."""
    return [values(word) for word in words]


def pack_edge_ngrams(known: Mapping[str, int], limit: int) -> Arrays | None:
    """Return the arrays `letters`, `keys` and `numbers` of ngrams.edge_ngram_numbers for these n-grams.

    They have up to `limit` letters, at the beginning ("<…") or end ("…>") of words. Return None if they have too many
    distinct letters to be packed into an integer.
    """
    from deid_core.text.hash_table import fill_hash_table

    ngrams, lengths, sides, numbers_of = _edge_ngrams(known, limit)
    used = np.arange(limit) < lengths[:, None]
    letters = np.unique(ngrams[used])
    bits = len(letters).bit_length()
    if bits * limit + 1 > _MOST_BITS:
        return None
    numbered = np.zeros(int(letters.max(initial=0)) + 1, np.int32)
    numbered[letters] = np.arange(1, len(letters) + 1)
    packed = np.zeros(len(ngrams), np.int64)
    for at in range(limit):
        longer = used[:, at]
        packed[longer] = packed[longer] << bits | numbered[ngrams[longer, at]]
    keys, places = np.zeros(1 << (2 * len(ngrams)).bit_length(), np.int64), np.zeros(len(ngrams), np.int64)
    fill_hash_table(packed << 1 | sides, keys, places)
    numbers = np.zeros(len(keys), np.int32)
    numbers[places] = numbers_of
    return {"letters": numbered, "keys": keys, "numbers": numbers}


def edge_ngram_table(packed: Arrays, limit: int, normal: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Table:
    """Return the table of packed n-grams at the beginnings and ends of normalised words."""
    from deid_core.crf.features.ngrams import edge_ngram_numbers

    letters, keys, numbers = packed["letters"], packed["keys"], packed["numbers"]
    bits = int(letters.max(initial=0)).bit_length()

    def table(words: tuple[str, ...]) -> _Ints:
        codes, bounds = _codes(normal(words))
        found = np.zeros((len(words), 2 * limit), np.int32)
        edge_ngram_numbers(codes, bounds, letters, bits, keys, numbers, found)
        return found

    return table


def single_value_table(packed: Arrays, of_words: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Table:
    """Return the table, with one column, of the values of `string_table`, one for each word."""
    from deid_core.text.string_table import numbers_of

    places, pool, pool_bounds, numbers = (packed[name] for name in ("table", "codes", "bounds", "numbers"))

    def table(words: tuple[str, ...]) -> _Ints:
        codes, bounds = _codes(of_words(words))
        found = np.empty(len(words), np.int32)
        numbers_of(codes, bounds, places, pool, pool_bounds, numbers, found)
        return found.reshape(-1, 1)

    return table


def _edge_ngrams(
    known: Mapping[str, int], limit: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return letters, length, side (0 beginning, 1 end) and number of each n-gram that has 1 to `limit` letters.

    letters: (n-grams, limit), read from the edge of the word inwards, anything beyond the n-gram's length. "<>" is the
    end of "<" and the beginning of ">".
    """
    values = [*filter(None, known)]
    codes, bounds = code_points("".join(values)), bounds_of(values)
    numbers = np.array([known[value] for value in values], np.int64)
    begins, ends = codes[bounds[:-1]] == ord("<"), codes[bounds[1:] - 1] == ord(">")
    sides = np.repeat(np.array([0, 1]), [np.count_nonzero(begins), np.count_nonzero(ends)])
    firsts = np.concatenate((bounds[:-1][begins] + 1, bounds[1:][ends] - 2))
    lengths = np.diff(bounds) - 1
    lengths, numbers = (np.concatenate((of_values[begins], of_values[ends])) for of_values in (lengths, numbers))
    kept = (lengths > 0) & (lengths <= limit)
    at = firsts[kept, None] + (1 - 2 * sides[kept, None]) * np.arange(limit)
    letters = codes[np.clip(at, 0, len(codes) - 1)] if len(codes) else np.zeros(at.shape, np.uint32)
    return letters, lengths[kept], sides[kept], numbers[kept]


@lru_cache(2)
def _codes(words: tuple[str, ...]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    return code_points("".join(words)), bounds_of(words)
