"""What a word can be in a name by its spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.recognisers.person_context import spelling_flags
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


_PIECES = ("Wund", "arzt", "ÄRZTIN", "schwester", "ſ", "K", "İ", "ı", "ung", "tät", "KLINIK", "in", "e", "S", "n", ".")


@given(
    st.lists(st.sampled_from(_PIECES) | st.text(st.characters(categories=["L"]), max_size=2), min_size=1).map("".join)
)
def test_the_shortcut_finds_what_the_expression_finds(word: str) -> None:
    assert bool(part_flags(word) & PartFlag.NOUN) == (spelling_flags._NOUN_ENDING.search(word) is not None)
