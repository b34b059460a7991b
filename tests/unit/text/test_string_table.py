"""A table from strings to numbers finds what a dictionary finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deid_core.text.arrays import bounds_of, code_points
from deid_core.text.string_table import numbers_of, string_table

WORDS = st.text(alphabet="abÄ\U0001f600", max_size=4)


@given(st.dictionaries(WORDS, st.integers(1, 1 << 30), max_size=40), st.lists(WORDS, max_size=40))
def test_strings_have_the_numbers_of_the_dictionary(known: dict[str, int], words: list[str]) -> None:
    words = [*words, *known]
    arrays = string_table(known)
    found = np.full(len(words), -1, np.int32)
    codes, bounds = code_points("".join(words)), bounds_of(words)
    numbers_of(codes, bounds, arrays["table"], arrays["codes"], arrays["bounds"], arrays["numbers"], found)
    assert found.tolist() == [known.get(word, 0) for word in words]
