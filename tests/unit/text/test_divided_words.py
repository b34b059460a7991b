"""A word that a line end divides: its parts are read as one word whatever the hyphen, the blanks and the indent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.text.divided_words import BETWEEN_PARTS, HYPHENS, LINE_HYPHEN

HYPHEN = st.sampled_from(HYPHENS)
BLANKS = st.text(" \t\u00a0\r", max_size=4)
PARTS = st.text("abcÄß1.", min_size=1, max_size=6)


@given(PARTS, HYPHEN, BLANKS, BLANKS, PARTS)
def test_one_line_end_after_a_hyphen_divides_a_word(
    first: str, hyphen: str, blanks: str, indent: str, second: str
) -> None:
    text = f"{first}{hyphen}{blanks}\n{indent}{second}"
    after = len(text) - len(second)
    found = LINE_HYPHEN.search(text)
    assert found and found.span() == (len(first), after)
    assert BETWEEN_PARTS.fullmatch(text, len(first), after)
    assert BETWEEN_PARTS.fullmatch(text, len(first) + 1, after)


@pytest.mark.parametrize("between", ["", " ", "-", "\u00ad", "\n", " \n  ", " -\n", "-\n\n", "-\n \n", "--\n", "-\n-"])
def test_what_else_is_between_two_words_divides_none(between: str) -> None:
    assert not BETWEEN_PARTS.fullmatch(f"Muster{between}Beispiel", len("Muster"), len("Muster") + len(between))
