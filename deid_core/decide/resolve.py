"""From detections, which may overlap, to spans, which may not.

Law: every letter or digit that a detection covers is covered by a span, and no other character is decided on. So
what a recogniser found is never lost to another's precedence, only its label may be.

The order is the pipeline's (`order`); within a recogniser the longer detection goes first, and no tie is left to
chance. A detection that knows only that a word is from the header (label OTHER) takes its label from the strongest
naming recogniser that covers the same characters; without one it stays OTHER, written as the placeholder `O` (seed
000, section 5, step 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from deid_core.labels import Label
from deid_core.spans import Detection, Span

_MERGED = frozenset({Label.PER, Label.LOC, Label.ORG})
_GAPS = frozenset({"", " ", "-", "\u00a0"})
_NOBODY = -1
_Numbers = npt.NDArray[np.int32]


class Resolver:
    """Decides by a pipeline's order.

    order: recogniser kinds, the strongest first. naming: the kinds that may lend their label to an unlabelled
    detection. merge: whether neighbours of one label, with at most a blank or hyphen between them, become one span.
    """

    def __init__(self, order: Sequence[str], *, naming: Sequence[str] = (), merge: bool = True) -> None:
        self._rank = {kind: rank for rank, kind in enumerate(order)}
        self._naming = frozenset(naming)
        self._merge = merge

    def resolve(self, text: str, detections: Iterable[Detection]) -> tuple[Span, ...]:
        """The spans of a note, ascending and disjoint.

        Raises KeyError if a detection comes from a recogniser that the order does not name.
        """
        ranked = sorted(set(detections), key=self._key)
        if not ranked:
            return ()
        owners = _paint(len(text), ranked, range(len(ranked)))
        lenders = self._lenders(len(text), ranked, owners)
        spans: list[Span] = []
        for start, end in _runs(owners, lenders):
            detection = ranked[owners[start]]
            named = _named(detection, ranked, int(lenders[start]))
            start, end = _trimmed(text, start, end, detection)
            if start < end:
                spans.append(_span(named, start, end))
        return tuple(_merged(text, spans)) if self._merge else tuple(spans)

    def _lenders(self, length: int, ranked: Sequence[Detection], owners: _Numbers) -> _Numbers:
        """For each character of an unlabelled owner the strongest naming detection there, else _NOBODY."""
        unlabelled = np.array([d.label is Label.OTHER for d in ranked] + [False])
        if not unlabelled.any():
            return np.full(length, _NOBODY, np.int32)
        naming = [n for n, d in enumerate(ranked) if not unlabelled[n] and d.recogniser in self._naming]
        return np.where(unlabelled[owners], _paint(length, ranked, naming), _NOBODY)

    def _key(self, detection: Detection) -> tuple[object, ...]:
        return (self._rank[detection.recogniser], detection.start - detection.end, -detection.score, detection)


def _paint(length: int, ranked: Sequence[Detection], numbers: Sequence[int]) -> _Numbers:
    """For each character the strongest of these detections that covers it, else _NOBODY; the strongest paints last."""
    owners = np.full(length, _NOBODY, np.int32)
    for number in reversed(numbers):
        owners[ranked[number].start : ranked[number].end] = number
    return owners


def _runs(owners: _Numbers, lenders: _Numbers) -> Iterable[tuple[int, int]]:
    """Maximal owned ranges with one owner and one lender."""
    changes = np.flatnonzero((np.diff(owners) != 0) | (np.diff(lenders) != 0)) + 1
    bounds = [0, *changes.tolist(), len(owners)]
    return ((start, end) for start, end in pairwise(bounds) if owners[start] != _NOBODY)


def _named(detection: Detection, ranked: Sequence[Detection], lender: int) -> Detection:
    """The unlabelled detection with the lender's label; its rule then names both."""
    if lender == _NOBODY:
        return detection
    name = ranked[lender]
    return replace(detection, label=name.label, type=name.type, rule=f"{detection.rule}/{name.rule}")


def _trimmed(text: str, start: int, end: int, detection: Detection) -> tuple[int, int]:
    """What is left of a cut detection without the marks and blanks at its cut ends."""
    while start < end and start > detection.start and not text[start].isalnum():
        start += 1
    while start < end and end < detection.end and not text[end - 1].isalnum():
        end -= 1
    return start, end


def _merged(text: str, spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in spans:
        last = merged[-1] if merged else None
        if (
            last is not None
            and last.label is span.label
            and span.label in _MERGED
            and (span.label is not Label.LOC or last.type is span.type)
            and text[last.end : span.start] in _GAPS
        ):
            merged[-1] = _span(last, last.start, span.end)
        else:
            merged.append(span)
    return merged


def _span(d: Detection, start: int, end: int) -> Span:
    return Span(start, end, d.label, d.type, d.recogniser, d.rule, d.score)
