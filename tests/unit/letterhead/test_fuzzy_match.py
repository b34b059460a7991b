"""Spelling variants: exactly the seed's formula, whatever rapidfuzz does inside."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deid_core.letterhead.fuzzy_match import closest, ratios

words = st.lists(st.text(alphabet="aeimnrsüß", min_size=1, max_size=9), max_size=8)


def levenshtein(a: str, b: str) -> int:
    """Wagner and Fischer's table, plainly."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)))
    return row[-1]


@given(words, words, st.sampled_from([0.333, 0.2, 0.5, 0.9]))
def test_equals_the_plain_formula(terms: list[str], texts: list[str], max_ratio: float) -> None:
    table = ratios(terms, texts, max_ratio)
    assert table.shape == (len(terms), len(texts))
    for i, n in enumerate(terms):
        for j, w in enumerate(texts):
            r = levenshtein(n, w) / min(len(n), len(w))
            assert table[i, j] == r if r < max_ratio else np.isinf(table[i, j])


@given(words, words)
def test_closest_is_the_best_of_the_table(terms: list[str], texts: list[str]) -> None:
    best, ratio = closest(terms, texts, 0.333)
    for j, w in enumerate(texts):
        plain = [levenshtein(n, w) / min(len(n), len(w)) for n in terms]
        if plain and min(plain) < 0.333:
            assert best[j] == plain.index(min(plain))
            assert ratio[j] == min(plain)
        else:
            assert best[j] == -1
            assert np.isinf(ratio[j])


def test_the_seeds_threshold_is_strict() -> None:
    # Three letters with one wrong: 1/3 is not below 0.333, so short words must be equal.
    assert closest(["Ott"], ["Otto", "Ott", "Utt"], 0.333)[0].tolist() == [-1, 0, -1]
    # Müller and Mueller: d = 2 over 6 letters is 0.3333, not a variant by the seed's own formula.
    assert closest(["Müller"], ["Mueller", "Müllers", "Mülller", "Mühle"], 0.333)[0].tolist() == [-1, 0, 0, -1]
