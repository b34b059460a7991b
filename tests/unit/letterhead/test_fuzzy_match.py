"""Spelling variants: exactly the seed's formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.letterhead.fuzzy_match import WordPieces, closest

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
    pieces = WordPieces()
    pieces.extend([(word,) for word in words], [True] * len(words))
    for _ in range(2):
        hits, found, ratios = pieces.closest(np.array([*range(len(words)), 0], np.int32), terms, max_ratio)
        expected = [(at, terms.index(word)) for at, word in enumerate([*words, words[0]]) if word in terms]
        assert list(zip(hits.tolist(), found.tolist(), strict=True)) == expected
        assert not ratios.any()


@given(st.lists(st.lists(WORDS, max_size=3), max_size=8), st.lists(WORDS, min_size=1, max_size=8), RATIOS)
def test_a_word_is_as_close_as_the_closest_of_its_pieces(
    pieces_of: list[list[str]], terms: list[str], max_ratio: float
) -> None:
    """Also where its words came in two steps."""
    pieces = WordPieces()
    for part in (pieces_of[:3], pieces_of[3:]):
        pieces.extend(part, [False] * sum(map(len, part)))
    assert len(pieces) == len(pieces_of)
    hits, _, ratios = pieces.closest(np.arange(len(pieces_of), dtype=np.int32), terms, max_ratio)
    best = [min((best_of_all_pairs(terms, piece, max_ratio)[1] for piece in of), default=np.inf) for of in pieces_of]
    assert hits.tolist() == [at for at, ratio in enumerate(best) if ratio < np.inf]
    assert ratios.tolist() == [ratio for ratio in best if ratio < np.inf]


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
