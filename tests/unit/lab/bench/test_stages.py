"""The limits do what they say: nothing is lost on the way through Arrow."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deid_core.lab.bench.engine_stages import through_arrow


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_texts_come_through_arrow_unchanged(texts: list[str]) -> None:
    assert through_arrow(texts) == texts
