"""Words of a look-around in groups fit where they fit one after the other."""

from __future__ import annotations

import pytest
import regex

from deid_core.recognisers.pattern.alternation import by_first, by_last

WORDS = "a | ab | mg | m²? | b\\.? | c | d | e | f | g | h | Kg | %"
ENDED = "Ab | NT-?pro | b | c[xy]z | Wert | T3 | f?T4 | d | e | f | g | h"


@pytest.mark.parametrize("text", ["a", "ab", "abc", "m²", "b.", "Kg", "K", "% x", "", "z", "mg", "i"])
def test_by_first(text: str) -> None:
    flat, grouped = (regex.compile(rf"(?=(?:{words})(?!\w))", regex.VERBOSE) for words in (WORDS, by_first(WORDS)))
    assert (flat.match(text) is None) == (grouped.match(text) is None)


@pytest.mark.parametrize("text", ["Ab", "NT-pro", "NTpro", "pro", "cyz", "z", "T3", "T4", "fT4", "T5", "Wert", "", "i"])
def test_by_last(text: str) -> None:
    flat, grouped = (regex.compile(rf"(?<=(?:{words}))", regex.VERBOSE) for words in (ENDED, by_last(ENDED)))
    assert (flat.match(text, len(text)) is None) == (grouped.match(text, len(text)) is None)
