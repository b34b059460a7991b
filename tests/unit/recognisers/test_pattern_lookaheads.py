"""Look-aheads that only save time change no match."""

from __future__ import annotations

import regex
from hypothesis import example, given
from hypothesis import strategies as st

from deid_core.recognisers.pattern.fragments import MONTH_BEGINS, MONTH_NAME
from deid_core.recognisers.pattern.id_number import DIGIT_NEAR, VALUE

NUMBERS = st.lists(
    st.sampled_from(
        [
            "S",
            "XVII",
            "FamRZ",
            "xvii",
            "a",
            "lOlOlO",
            "O",
            "OIl",
            "5",
            "17",
            "2010",
            "HNR",
            "Ab",
            "ab",
            "nr",
            "IBAN",
            "Mai",
        ]
        + list(" /.-") * 3
    ),
    max_size=14,
).map("".join)
MONTHS = st.sampled_from(["Jan", "MÄR", "0ktober", "ſept", "Dezember", "Juni", "Ju1i", "Montag", "x"])


def _same(expression: str, lookahead: str, text: str) -> bool:
    assert lookahead in expression
    with_it, without_it = (
        regex.compile(e, regex.VERBOSE | regex.VERSION0) for e in (expression, expression.replace(lookahead, ""))
    )
    return [m.span() for m in with_it.finditer(text)] == [m.span() for m in without_it.finditer(text)]


@given(NUMBERS)
@example("S XVII FamRZ a lOlOlO/O5")
@example("ABCDEF -ABCDEF -OIlO5")
def test_the_first_digit_of_a_value_is_near(text: str) -> None:
    assert _same(VALUE, DIGIT_NEAR, text)


@given(st.builds("{}{}{}".format, st.sampled_from(["", " ", "a"]), MONTHS, st.text(max_size=3)))
def test_months_begin_with_their_letters(text: str) -> None:
    assert _same(MONTH_NAME, MONTH_BEGINS, text)
