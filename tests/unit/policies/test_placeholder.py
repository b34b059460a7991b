"""Redaction: placeholders in place, everything else as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import TYPES, Label, PhiType
from deid_core.core.spans import Span
from deid_core.policies.placeholder import redact


def span(start: int, end: int, phi: PhiType = PhiType.PATIENT) -> Span:
    return Span(start, end, TYPES[phi].label, phi, "test", "rule", 1.0)


@st.composite
def texts_with_spans(draw: st.DrawFn) -> tuple[str, list[Span]]:
    text = draw(st.text(min_size=1, max_size=200))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=20)))
    types = st.sampled_from(PhiType)
    return text, [span(a, b, draw(types)) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]


@given(texts_with_spans())
def test_text_outside_spans_is_unchanged_and_outputs_are_the_placeholders(case: tuple[str, list[Span]]) -> None:
    text, spans = case
    redacted = redact(text, spans)
    at_in = at_out = 0
    for s, (start, end) in zip(spans, redacted.outputs, strict=True):
        assert text[at_in : s.start] == redacted.text[at_out:start]
        expected = "<O>" if s.label is Label.OTHER else f"<{s.label}>"
        assert redacted.text[start:end] == expected
        at_in, at_out = s.end, end
    assert text[at_in:] == redacted.text[at_out:]


def test_the_seeds_figure_4() -> None:
    text = "Ihren Patienten Herrn Mustermann, geboren am 01.12.1956, wh. Musterstraße, 12345 Musterstadt der"
    marked = {"Herrn": "salute", "Mustermann": "patient", "01.12.1956": "birth_date", "Musterstraße": "street",
              "12345": "postcode", "Musterstadt": "town"}  # fmt: skip
    spans = [span(text.index(t), text.index(t) + len(t), PhiType(phi)) for t, phi in marked.items()]
    expected = "Ihren Patienten <SALUTE> <PER>, geboren am <DATE>, wh. <LOC>, <PLZ> <LOC> der"
    assert redact(text, spans).text == expected


def test_overlapping_spans_are_refused() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        redact("Anna Stein", [span(0, 6), span(5, 10)])
    with pytest.raises(ValueError, match="leaves"):
        redact("Anna", [span(0, 5)])
