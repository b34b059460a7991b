"""What a word can be in a name by its spelling."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.word_lists import word_set
from deid_core.recognisers.person_context.spelling_flags import PartFlag, part_flags

INITIALS = PartFlag.INITIALS | PartFlag.CAPITAL_INITIALS | PartFlag.ALL_CAPITALS


@pytest.mark.parametrize(
    ("word", "flags"),
    [
        ("A.", INITIALS),
        ("H.-J.", INITIALS),
        ("a.", PartFlag.INITIALS),
        ("A.B.C.D.", PartFlag.ALL_CAPITALS),  # longer than any initials
        ("A", PartFlag.ALL_CAPITALS),
        ("Dr.", 0),
        ("Kollegen", PartFlag.NOT_A_NAME),
        ("KOLLEGEN", PartFlag.NOT_A_NAME | PartFlag.ALL_CAPITALS),
        ("Untersuchung", PartFlag.NOUN),
        ("Graf", PartFlag.NOBILITY),
        ("graf", 0),
        ("Jun.", PartFlag.GENERATION | PartFlag.NOT_A_NAME),
        ("junior", PartFlag.GENERATION),
        ("Knarz", 0),
        ("MÜLLER-KNARZ", PartFlag.ALL_CAPITALS),
        ("12A", 0),  # no word
        (",", 0),
    ],
)
def test_part_flags(word: str, flags: int) -> None:
    assert part_flags(word) == flags


@given(
    st.text(st.characters(categories=["L"]), max_size=5),
    st.sampled_from(sorted(word_set("person_context/noun-endings"))),
    st.sampled_from(["", "e", "en", "es", "er", "s"]),
    st.sampled_from([str.lower, str.upper, str.title]),
)
def test_an_ending_of_nouns_counts_after_any_letters_and_in_any_case(
    before: str, noun: str, ending: str, case: Callable[[str], str]
) -> None:
    assert part_flags(before + case(noun + ending)) & PartFlag.NOUN
