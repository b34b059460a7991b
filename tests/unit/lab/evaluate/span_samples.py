"""What the tests of this folder share: spans of a text by what they say, and spans as hypothesis draws them."""

from __future__ import annotations

from hypothesis import strategies as st

from deid_core.lab.corpora import LabelledSpan

LABELS = ("PER", "LOC")


def at(text: str, surface: str, label: str) -> LabelledSpan:
    """The first place of a surface in a text."""
    start = text.index(surface)
    return LabelledSpan(start, start + len(surface), label)


def spans(length: int = 12) -> st.SearchStrategy[list[LabelledSpan]]:
    """Up to six spans of a text so long, which may overlap and repeat."""
    span = st.tuples(st.integers(0, length - 1), st.integers(1, 4), st.sampled_from(LABELS)).map(
        lambda drawn: LabelledSpan(drawn[0], min(length, drawn[0] + drawn[1]), drawn[2])
    )
    return st.lists(span, max_size=6)
