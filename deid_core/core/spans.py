"""Detections, spans and gold spans: ranges of a note's text with a label and their origin.

A recogniser proposes detections, which may overlap; the ensemble turns them into spans, which do not. Neither holds
text: a span that is logged or stored gives away a position, never a name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from deid_core.core.labels import Label, PhiType


class Detection(NamedTuple):
    """A range [start, end) in code points of the note's text that one rule of a recogniser found.

    Ordered by position, then by all other attributes, so that sorting leaves no tie. A tuple, since a note has
    hundreds; `check_ranges` checks all of them at once.

    recogniser: the recogniser's kind in the pipeline, e.g. "pattern"; or "author" (the document's properties), or a
    step of the engine: "propagation", "stacking", "foreign" (foreign passages), "own_list" (`lists.always`), "sweep".
    Of a span of the stacking model the rule is the model's label and, after "/", a detection.
    rule: the rule that matched, e.g. "date.numeric"; names of lists and rules only, never matched text.
    score: 0 to 1, the confidence of the rule by itself.
    """

    start: int
    end: int
    label: Label
    type: PhiType
    recogniser: str
    rule: str
    score: float = 1.0

    def to_json(self) -> dict[str, Any]:
        """Return the span object of the `deid annotate` contract."""
        return self._asdict()


class Span(Detection):
    """A detection that the ensemble accepted: the spans of a note do not overlap, and the policy replaces them."""

    __slots__ = ()


LOW_SCORE = 0.5
"""A span with a lower score is doubtful: for reviews, the audit page and drift."""


class DropReason(StrEnum):
    """Why a range was dropped: the setting of the pipeline that decided it."""

    DROP_ABOVE = "stacking.drop_above"
    """The stacking model gives each token of the detection a probability of being outside above this threshold."""
    CUT_ABOVE = "stacking.cut_above"
    """It gives each token of the range, at the edge of a detected name, such a probability above this threshold."""
    TRIMMED = "boundary_trimming"
    """By its words, the range is no part of the name or identifier beside it, whose span had covered it; or it is a
    form of medicine."""
    NEVER = "lists.never"
    """The range is a word that is never removed, by a list of the pipeline or the hospital's own medical words."""
    FOREIGN = "foreign_passages"
    """A model of German took it for a name in a line of another language, where it cannot be one."""
    KEEP = "keep"
    """The span has a label that the pipeline keeps."""
    COMMON = "sweep.common"
    """The sweep found a word of a known term again, which is a common word or a particle too ("Herz", "von")."""


class Dropped(NamedTuple):
    """A detection that was dropped, or a range that was trimmed from a span, and why.

    It holds no text. `rule`, `recogniser` and `score` are those of the detection, or of the span that was trimmed.
    """

    start: int
    end: int
    label: Label
    type: PhiType
    recogniser: str
    rule: str
    score: float
    reason: DropReason

    @staticmethod
    def from_detection(detection: Detection, reason: DropReason) -> Dropped:
        """Return the whole detection as dropped."""
        return Dropped(*detection, reason)

    def to_json(self) -> dict[str, Any]:
        """Return the fields by name."""
        return self._asdict()


def check_ranges(detections: Iterable[Detection]) -> None:
    """Raise ValueError if a detection is no range with text: nothing would be removed for it, and its name leak."""
    for detection in detections:
        # Of all detections of every note: places in a tuple are read faster than names.
        if not 0 <= detection[0] < detection[1]:
            raise ValueError(f"detection [{detection.start}, {detection.end}) is not a range with text")


@dataclass(frozen=True, slots=True, order=True)
class GoldSpan:
    """A range [start, end) that identifies somebody, with label and type, as an annotator or the generator set it."""

    start: int
    end: int
    label: Label
    type: PhiType

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"gold span [{self.start}, {self.end}) is not a range with text")

    def to_json(self) -> dict[str, Any]:
        """Return the gold span as a JSON object."""
        return asdict(self)
