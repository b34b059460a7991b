"""Spelling variants: exactly the seed's formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.letterhead.fuzzy_match import closest
from deid_core.letterhead.fuzzy_match_kernel import closest_terms, letter_bits
from deid_core.text.arrays import StringPool

WORDS = st.text("abcdeü-ß", min_size=1, max_size=12)
RATIOS = st.sampled_from([0.2, 0.333, 1 / 3, 0.5, 0.9, 1.0])


def levenshtein(a: str, b: str) -> int:
    """Return the distance by the table of Wagner and Fischer."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)))
    return row[-1]


def best_of_all_pairs(terms: list[str], word: str, max_ratio: float) -> tuple[int, float]:
    table = [levenshtein(term, word) / min(len(term), len(word)) for term in terms]
    if table and min(table) < max_ratio:
        return table.index(min(table)), min(table)
    return -1, np.inf


@given(st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=8), RATIOS)
def test_closest_is_the_best_of_all_pairs(terms: list[str], words: list[str], max_ratio: float) -> None:
    found, ratios = closest(terms, words, max_ratio)
    expected = [best_of_all_pairs(terms, word, max_ratio) for word in words]
    assert list(zip(found.tolist(), ratios.tolist(), strict=True)) == expected


@given(st.lists(WORDS, min_size=1, max_size=12), st.lists(WORDS, min_size=1, max_size=8), RATIOS)
def test_an_exact_word_must_be_the_term_and_a_repeated_word_has_its_result(
    words: list[str], terms: list[str], max_ratio: float
) -> None:
    pieces, wanted = StringPool(), StringPool()
    pieces.extend(words)
    wanted.extend(terms)
    types = np.array([*range(len(words)), 0], np.int32)
    hits, found, ratios = np.empty(len(types), np.int32), np.empty(len(types), np.int32), np.zeros(len(types))
    letters, seen = np.zeros(len(words), np.uint64), np.zeros(len(words), np.int32)
    letter_bits(pieces.codes, pieces.bounds, 0, letters)
    exact = np.full(len(words), True)
    count = closest_terms(
        types, np.arange(len(words) + 1), pieces.bounds, pieces.codes, letters, exact,
        wanted.bounds[: len(terms) + 1], wanted.codes, max_ratio, seen, hits, found, ratios,
    )  # fmt: skip
    expected = [terms.index(word) if word in terms else -1 for word in words]
    assert found.tolist() == [*expected, expected[0]]
    assert hits[:count].tolist() == np.flatnonzero(found >= 0).tolist()
    assert not ratios[found >= 0].any()
    assert not seen.any()


@pytest.mark.parametrize(
    ("term", "words", "expected"),
    [
        # One wrong letter of three: 1/3 is not below 0.333, so short words must be equal.
        ("Ott", ["Otto", "Ott", "Utt"], [-1, 0, -1]),
        # d = 2 over 6 letters is 0.3333: Mueller is no variant of Müller by the seed's formula.
        ("Müller", ["Mueller", "Müllers", "Mülller", "Mühle"], [-1, 0, 0, -1]),
    ],
)
def test_the_seeds_threshold_is_strict(term: str, words: list[str], expected: list[int]) -> None:
    assert closest([term], words, 0.333)[0].tolist() == expected
