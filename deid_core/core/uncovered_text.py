"""What of a range of text stays readable beside what was removed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt


class TextRange(Protocol):
    """Anything with a place in code points."""

    @property
    def start(self) -> int:
        """First code point."""

    @property
    def end(self) -> int:
        """Code point after the last."""


_Range = TypeVar("_Range", bound=TextRange)


def covered_characters(text: str, spans: Iterable[TextRange]) -> npt.NDArray[np.bool_]:
    """Whether each character is in a span, shape (characters,)."""
    covered = np.zeros(len(text), np.bool_)
    for span in spans:
        covered[span.start : span.end] = True
    return covered


def is_legible(text: str, span: TextRange, covered: npt.NDArray[np.bool_]) -> bool:
    """Whether a letter or digit of the span is not covered."""
    open_places = np.flatnonzero(~covered[span.start : span.end])
    return any(text[span.start + at].isalnum() for at in open_places.tolist())


def legible(text: str, ranges: tuple[_Range, ...], spans: Iterable[TextRange]) -> tuple[_Range, ...]:
    """Return the ranges of which spans leave a letter or digit."""
    if not ranges:
        return ()
    covered = covered_characters(text, spans)
    return tuple(found for found in ranges if is_legible(text, found, covered))
