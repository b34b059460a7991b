"""Detections, spans and gold spans: ranges of a note's text with a label, and who says so.

A recogniser proposes detections, which may overlap; `decide` turns them into spans, which may not. Neither holds
text: a span that is logged or stored elsewhere gives away a place, never a name.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from deid_core.labels import Label, PhiType


@dataclass(frozen=True, slots=True, order=True)
class Detection:
    """What one rule of one recogniser found: [start, end) in code points of the note's text.

    Ordered by place, then by all that is left, so that sorting never leaves a tie to chance.

    recogniser: the recogniser's name in the pipeline's configuration, e.g. "pattern".
    rule: what in it fired, e.g. "date.numeric"; names of lists and rules only, never matched text.
    score: 0 to 1, how sure the rule is by itself.
    """

    start: int
    end: int
    label: Label
    type: PhiType
    recogniser: str
    rule: str
    score: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"detection [{self.start}, {self.end}) is not a range with text")

    def to_json(self) -> dict[str, Any]:
        """The span object of the `deid annotate` contract."""
        return asdict(self)


class Span(Detection):
    """A detection that was decided on: the spans of a note do not overlap, and redaction removes them."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, order=True)
class GoldSpan:
    """What is known to identify somebody: [start, end), label and type as an annotator or the generator set it."""

    start: int
    end: int
    label: Label
    type: PhiType

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"gold span [{self.start}, {self.end}) is not a range with text")

    def to_json(self) -> dict[str, Any]:
        """The gold span as a JSON object."""
        return asdict(self)
