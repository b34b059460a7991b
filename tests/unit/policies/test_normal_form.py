"""Normal forms of numbers and names."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from deid_core.policies.normal_form import value_key
from deid_core.text.folding import folded


@given(st.text(st.characters(max_codepoint=127)) | st.text())
def test_the_key_of_a_value_has_its_letters_and_digits_and_no_marks(text: str) -> None:
    assert value_key(text) == re.sub(r"[\W_]+", "", folded(text))
