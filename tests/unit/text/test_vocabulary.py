"""What tables by word type are made with."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from deid_core.text.arrays import code_points


@given(st.text(st.characters()))
@example("")
@example("a\0")
@example("\ud800")
def test_code_points(text: str) -> None:
    codes = code_points(text)
    assert (codes.dtype, codes.tolist()) == (np.uint32, list(map(ord, text)))
