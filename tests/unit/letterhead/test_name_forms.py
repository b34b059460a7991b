"""Forms of search terms: the compiled search finds what comparing every pair finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deid_core.letterhead.fuzzy_match import closest
from deid_core.letterhead.fuzzy_match_kernel import closest_terms, letter_bits
from deid_core.text.arrays import StringPool

_WORDS = st.text("abcdeü-", min_size=1, max_size=12)


@given(
    words=st.lists(_WORDS, min_size=1, max_size=12),
    terms=st.lists(_WORDS, min_size=1, max_size=8),
    max_ratio=st.sampled_from([0.2, 0.333, 1 / 3, 0.5, 1.0]),
    exact=st.booleans(),
)
def test_the_closest_term_is_that_of_all_pairs(
    words: list[str], terms: list[str], max_ratio: float, exact: bool
) -> None:
    pieces, wanted = StringPool(), StringPool()
    pieces.extend(words)
    wanted.extend(terms)
    types = np.array([*range(len(words)), 0], np.int32)  # The first word stands twice.
    hits, found, ratios = np.empty(len(types), np.int32), np.empty(len(types), np.int32), np.zeros(len(types))
    letters = np.zeros(len(words), np.uint64)
    letter_bits(pieces.codes, pieces.bounds, 0, letters)
    seen = np.zeros(len(words), np.int32)
    bounds = np.arange(len(words) + 1)  # One piece a word type.
    count = closest_terms(
        types,
        bounds,
        pieces.bounds,
        pieces.codes,
        letters,
        np.full(len(words), exact),
        wanted.bounds[: len(terms) + 1],
        wanted.codes,
        max_ratio,
        seen,
        hits,
        found,
        ratios,
    )
    expected, expected_ratios = closest(terms, words, max_ratio)
    if exact:
        expected[expected_ratios > 0] = -1
    assert found.tolist() == [*expected, expected[0]]
    assert hits[:count].tolist() == np.flatnonzero(found >= 0).tolist()
    assert ratios[found >= 0].tolist() == [expected_ratios[t] for t in types[found >= 0]]
    assert not seen.any()
