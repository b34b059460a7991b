"""What a word may be of a name by its spelling."""

from __future__ import annotations

import pytest

from deid_core.recognise.context.name_parts import (
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
        ("A.", INITIALS | CAPITAL_INITIALS),
        ("H.-J.", INITIALS | CAPITAL_INITIALS),
        ("a.", INITIALS),
        ("A.B.C.D.", 0),  # longer than any initials
        ("A", 0),
        ("Dr.", 0),
        ("Kollegen", NOBODY),
        ("KOLLEGEN", NOBODY),
        ("Untersuchung", NOUN),
        ("Graf", NOBLE),
        ("graf", 0),
        ("Jun.", YOUNGER | NOBODY),
        ("junior", YOUNGER),
        ("Knarz", 0),
        (",", 0),
    ],
)
def test_part_bits(word: str, bits: int) -> None:
    assert part_bits(word) == bits
