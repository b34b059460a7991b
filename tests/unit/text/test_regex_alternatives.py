"""Alternatives of an expression match together what the expression matches."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from deid_core.text.regex_alternatives import alternatives_of, asks_for_form, beginning_of, folded, words_of
from deid_core.text.regex_set import FLAGS


@pytest.mark.parametrize(
    ("expression", "alternatives"),
    [
        ("a|b(?:c|d)", ["a", "b(?:c|d)"]),
        (r"(?i:a|b)\.?", [r"(?i:a)\.?", r"(?i:b)\.?"]),
        ("(?:a|b)?c", ["c", "ac", "bc"]),
        ("(?:a|b){2}c", ["(?:a|b){2}c"]),
        (r"[a|b]|\|", ["[a|b]", r"\|"]),
        (r"\p{L}{2,9}(?:akte|karte)\.?", [r"\p{L}{2,9}akte\.?", r"\p{L}{2,9}karte\.?"]),
        ("a|b  # or | c", ["a|b  # or | c"]),
    ],
)
def test_an_expression_is_taken_apart(expression: str, alternatives: list[str]) -> None:
    assert alternatives_of(expression) == alternatives


ATOMS = st.sampled_from(["a", "ß", "K", r"\.", r"\d", r"\p{L}", r"\P{L}", "[ab|]", ".", r"\p{Lu}"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda parts: st.one_of(
        st.lists(parts, min_size=1, max_size=3).map("".join),
        st.builds("{}{}|{}){}".format, st.sampled_from(["(?:", "(?i:"]), parts, parts, st.sampled_from(["", "?", "*"])),
    ),
    max_leaves=8,
)
WORDS = st.text(alphabet="abABßKkıİſ.1|", max_size=5)


@given(EXPRESSIONS, WORDS)
def test_alternatives_match_what_the_expression_matches(expression: str, word: str) -> None:
    matching = [a for a in alternatives_of(expression) if regex.compile(a, FLAGS).fullmatch(word)]
    assert bool(matching) == bool(regex.compile(expression, FLAGS).fullmatch(word))
    for alternative in matching:
        assert folded(word).startswith(beginning_of(alternative))
        assert not words_of(alternative) or folded(word) in words_of(alternative)


def test_an_expression_of_kinds_of_letters_has_a_form() -> None:
    assert asks_for_form(r"\p{Lu}\p{L}{1,25}(?:-\d+)?")
    assert not any(map(asks_for_form, ["a", r"\p{L}[x-z]", r"(?i:\p{Lu})", r"\b1", r"\d1", r"[0-3]?\d{2}"]))
