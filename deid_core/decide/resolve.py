"""From detections, which may overlap, to spans, which may not.

Law: every letter or digit that a detection covers is covered by a span, and no other character is decided on. So
what a recogniser found is never lost to another's precedence, only its label may be.

The order is the pipeline's (`order`); within a recogniser the longer detection goes first, and no tie is left to
chance. In the seed's pipelines a header word's variant comes first and takes the label of the recogniser that also
named the word, else OTHER, written as the placeholder `O` (seed 000, section 5, step 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deid_core.labels import Label
from deid_core.spans import Detection, Span

_MERGED = (Label.PER, Label.LOC, Label.ORG, Label.PHONE, Label.OTHER)
_GAPS = (" ", "-", "\u00a0", "- ", ". ", "/")


class Resolver:
    """Decides by a pipeline's order.

    order: recogniser kinds, the strongest first. merge: whether neighbours of one label become one span.
    """

    def __init__(self, order: Sequence[str], *, merge: bool = True) -> None:
        self._rank = {kind: rank for rank, kind in enumerate(order)}
        self._merge = merge

    def resolve(self, text: str, detections: Iterable[Detection]) -> tuple[Span, ...]:
        """The spans of a note, ascending and disjoint.

        Raises KeyError if a detection comes from a recogniser that the order does not name.
        """
        ranked = sorted(set(detections), key=self._key)
        spans: list[Span] = []
        owner = [-1] * len(text) if ranked else []
        for number, detection in enumerate(ranked):
            for at in range(detection.start, detection.end):
                if owner[at] < 0:
                    owner[at] = number
        for start, end, number in _runs(owner):
            start, end = _trimmed(text, start, end, ranked[number])
            if start < end:
                spans.append(_span(ranked[number], start, end))
        return tuple(self._merged(text, spans)) if self._merge else tuple(spans)

    def _key(self, detection: Detection) -> tuple[object, ...]:
        unlabelled = detection.label is Label.OTHER
        return (unlabelled, self._rank[detection.recogniser], detection.start - detection.end, -detection.score, detection)

    def _merged(self, text: str, spans: list[Span]) -> list[Span]:
        merged: list[Span] = []
        for span in spans:
            last = merged[-1] if merged else None
            if (
                last is not None
                and last.label is span.label
                and span.label in _MERGED
                and (last.type is span.type or span.label is not Label.LOC)
                and text[last.end : span.start] in ("", *_GAPS)
            ):
                merged[-1] = _span(last, last.start, span.end)
            else:
                merged.append(span)
        return merged


def _runs(owner: list[int]) -> Iterable[tuple[int, int, int]]:
    """Maximal ranges of one owner, those without left out."""
    start = 0
    for at in range(1, len(owner) + 1):
        if at == len(owner) or owner[at] != owner[start]:
            if owner[start] >= 0:
                yield start, at, owner[start]
            start = at


def _trimmed(text: str, start: int, end: int, detection: Detection) -> tuple[int, int]:
    """What is left of a cut detection without the marks and blanks at its cut ends."""
    while start < end and start > detection.start and not text[start].isalnum():
        start += 1
    while start < end and end < detection.end and not text[end - 1].isalnum():
        end -= 1
    return start, end


def _span(d: Detection, start: int, end: int) -> Span:
    return Span(start, end, d.label, d.type, d.recogniser, d.rule, d.score)
