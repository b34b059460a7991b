"""Random texts with spans, for properties that hold for every text."""

from __future__ import annotations

from hypothesis import strategies as st

from deid_core.lab.corpora import AnnotatedText, LabelledSpan

# What formats escape, cut at or count differently: columns, line ends, wide and format characters, marks.
CRITICAL = "Aab1.,- \n\t\r\\|[]_*;>#=äß\u00ad\u200b\x00\x0b\x0c\x1c\x85\u00a0\u2028\u0301\ufeff\U0001f600"
XML_CRITICAL = "".join(c for c in CRITICAL if c not in "\x00\x0b\x0c\x1c")


@st.composite
def annotated_texts(draw: st.DrawFn, characters: str = CRITICAL, labels: str | None = None) -> AnnotatedText:
    """A text and up to four spans, ascending, which may overlap and have no blank at their edges."""
    text = draw(st.text(st.sampled_from(characters), max_size=40))
    edges = [position for position, character in enumerate(text) if not character.isspace()]
    spans = []
    for _ in range(draw(st.integers(0, 4)) if edges else 0):
        first, last = sorted([draw(st.sampled_from(edges)), draw(st.sampled_from(edges))])
        label = draw(st.text(st.sampled_from(labels or characters), min_size=1, max_size=4))
        spans.append(LabelledSpan(first, last + 1, label))
    return AnnotatedText("note", text, tuple(sorted(spans)))
