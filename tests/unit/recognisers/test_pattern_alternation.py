"""Grouped alternations match in look-arounds where flat ones do."""

from __future__ import annotations

import re

import pytest
import regex

from deid_core.recognisers.pattern.alternation import lookahead_alternation, lookbehind_alternation

WORDS = ["a", "ab", "mg", "m", "m²", "b", "b.", "c", "d", "e", "f", "g", "h", "Kg", "%", "I.E."]
TEXTS = ["a", "ab", "abc", "m²", "b.", "Kg", "K", "% x", "", "z", "mg", "i", "I.E.", "IxE", "I.E", "xyb.", "Ab", "."]
FLAT = "|".join(map(re.escape, WORDS))


@pytest.mark.parametrize("text", TEXTS)
def test_lookahead_alternation_matches_as_a_flat_one(text: str) -> None:
    flat, grouped = (
        regex.compile(rf"(?=(?:{words})(?!\w))", regex.VERBOSE) for words in (FLAT, lookahead_alternation(WORDS))
    )
    assert (flat.match(text) is None) == (grouped.match(text) is None)


@pytest.mark.parametrize("text", TEXTS)
def test_lookbehind_alternation_matches_as_a_flat_one(text: str) -> None:
    flat, grouped = (
        regex.compile(rf"(?<=(?:{words}))", regex.VERBOSE) for words in (FLAT, lookbehind_alternation(WORDS))
    )
    assert (flat.match(text, len(text)) is None) == (grouped.match(text, len(text)) is None)
