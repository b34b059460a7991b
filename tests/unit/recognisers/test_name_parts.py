"""What a word may be of a name by its spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.lexicon import cue_words
from deid_core.recognisers.person_names import parts as name_parts
from deid_core.recognisers.person_names.parts import (
    ALL_CAPITALS,
    CAPITAL_INITIALS,
    INITIALS,
    NOBLE,
    NOBODY,
    NOUN,
    YOUNGER,
    part_bits,
)


@pytest.mark.parametrize(
    ("word", "bits"),
    [
        ("A.", INITIALS | CAPITAL_INITIALS | ALL_CAPITALS),
        ("H.-J.", INITIALS | CAPITAL_INITIALS | ALL_CAPITALS),
        ("a.", INITIALS),
        ("A.B.C.D.", ALL_CAPITALS),  # longer than any initials
        ("A", ALL_CAPITALS),
        ("Dr.", 0),
        ("Kollegen", NOBODY),
        ("KOLLEGEN", NOBODY | ALL_CAPITALS),
        ("Untersuchung", NOUN),
        ("Graf", NOBLE),
        ("graf", 0),
        ("Jun.", YOUNGER | NOBODY),
        ("junior", YOUNGER),
        ("Knarz", 0),
        ("MÜLLER-KNARZ", ALL_CAPITALS),
        ("12A", 0),  # no word
        (",", 0),
    ],
)
def test_part_bits(word: str, bits: int) -> None:
    assert part_bits(word) == bits


_PIECES = ("Wund", "arzt", "ÄRZTIN", "schwester", "ſ", "K", "İ", "ı", "ung", "tät", "KLINIK", "in", "e", "S", "n", ".")


@given(
    st.lists(st.sampled_from(_PIECES) | st.text(st.characters(categories=["L"]), max_size=2), min_size=1).map("".join)
)
def test_words_are_asked_for_less_than_their_expressions_and_it_does_not_matter(word: str) -> None:
    assert bool(part_bits(word) & NOUN) == (name_parts._NOUN_ENDING.search(word) is not None)
    if cue_words._COMPOUND.fullmatch(word):
        assert cue_words.cue_flags(word)
