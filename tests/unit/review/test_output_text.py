"""Where the parts of an output stand for the spans of a note."""

from __future__ import annotations

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Span
from deid_core.review.output_text import output_ranges

BEFORE = "Herr Hans Muster kam am 3.4.2010 mit Frau Beispiel."


def spans(*texts: str) -> list[Span]:
    places = [(BEFORE.index(text), BEFORE.index(text) + len(text)) for text in texts]
    return [Span(start, end, Label.PER, PhiType.PATIENT, "crf", "r", 1.0) for start, end in places]


@pytest.mark.parametrize(
    ("of", "text", "expected"),
    [
        (("Muster", "3.4.2010"), "Herr Hans von Au kam am April 2010 mit Frau Beispiel.", ["von Au", "April 2010"]),
        (("Herr", "Beispiel"), "Frau Hans Muster kam am 3.4.2010 mit Frau Fall.", ["Frau", "Fall"]),
        ((), BEFORE, []),
        (("Muster",), "Herr Hans <PER> kam am 4.4.2010 mit Frau Beispiel.", None),
        (("Muster", "3.4.2010"), "Herr Hans <PER> kam um <DATE> mit Frau Beispiel.", None),
        (("Muster",), "Herr Hans", None),
        ((), BEFORE + " Ende", None),
    ],
)
def test_ranges(of: tuple[str, ...], text: str, expected: list[str] | None) -> None:
    ranges = output_ranges(BEFORE, spans(*of), text)
    assert (ranges if ranges is None else [text[start:end] for start, end in ranges]) == expected


def test_a_blank_found_too_early_moves_a_border_between_neighbours_alone() -> None:
    text = "Herr Anna Maria Au kam am 3.4.2010 mit Frau Beispiel."
    assert output_ranges(BEFORE, spans("Hans", "Muster"), text) == ((5, 9), (10, 18))
