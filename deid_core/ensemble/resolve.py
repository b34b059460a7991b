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

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Detection, Span

_MERGED = frozenset({Label.PER, Label.LOC, Label.ORG})
_GAPS = frozenset({"", " ", "-", "\u00a0"})
_NOBODY = -1
_FIRST = -1
"""The rank of a learned decision's entities."""
_Numbers = npt.NDArray[np.int32]
_Keyed = tuple[int, int, float, int, Label, PhiType, str, Detection]


class Resolver:
    """Decides by a pipeline's order.

    order: recogniser kinds, the strongest first. naming: the kinds that may lend their label to an unlabelled
    detection. merge: whether neighbours of one label, with at most a blank or hyphen between them, become one span.
    """

    def __init__(self, order: Sequence[str], *, naming: Sequence[str] = (), merge: bool = True) -> None:
        self._rank = {kind: rank for rank, kind in enumerate(order)}
        self._naming = frozenset(naming)
        self._merge = merge

    def resolve(
        self, text: str, detections: Iterable[Detection], entities: Iterable[Detection] = ()
    ) -> tuple[Span, ...]:
        """The spans of a note, ascending and disjoint; entities, which are disjoint, come before all detections.

        Raises KeyError if a detection, of which an entity leaves something, comes from a recogniser that the order does
        not name.
        """
        entities, detections = list(entities), list(detections)
        if not entities and not detections:
            return ()
        covered = bytearray(len(text))
        unlabelled = Label.OTHER
        if any([d.label is unlabelled for d in detections]):
            keyed = sorted([*(_key(entity, _FIRST) for entity in entities), *self._keys(detections)])
            keyed = sorted(self._adopted(len(text), _distinct(keyed)))
            parts = _parts([key[-1] for key in keyed], covered)
        else:
            parts = [(entity.start, entity.end, entity) for entity in entities]
            for start, end, _ in parts:
                covered[start:end] = b"\1" * (end - start)
            # Most detections are those that made the entities: what is hidden needs no place in the order.
            visible = [d for d in detections if covered.find(0, d.start, d.end) >= 0]
            parts += _parts([key[-1] for key in sorted(self._keys(visible))], covered)
        spans: list[Span] = []
        for start, end, detection in sorted(parts):
            if start > detection.start or end < detection.end:
                start, end = _trimmed(text, start, end, detection)
            if start < end:
                spans.append(_span(detection, start, end))
        return tuple(_merged(text, spans)) if self._merge else tuple(spans)

    def _adopted(self, length: int, keyed: Sequence[_Keyed]) -> list[_Keyed]:
        """The detections, with unlabelled ones named by the strongest naming detection that overlaps them.

        Where that one is longer (an e-mail address with a header word in it), all of it is taken. The rule names both.
        """
        naming = [
            d
            for rank, *_, d in keyed
            if d.label is not Label.OTHER and (rank == _FIRST or d.recogniser in self._naming)
        ]
        lenders = _paint(length, naming)
        adopted = []
        for key in keyed:
            detection = key[-1]
            if detection.label is Label.OTHER:
                there = set(lenders[detection.start : detection.end].tolist()) - {_NOBODY}
                if there:
                    name = naming[min(there)]
                    key = _key(
                        detection._replace(
                            start=min(detection.start, name.start),
                            end=max(detection.end, name.end),
                            label=name.label,
                            type=name.type,
                            rule=f"{detection.rule}/{name.rule}",
                        ),
                        key[0],
                    )
            adopted.append(key)
        return adopted

    def _keys(self, detections: Iterable[Detection]) -> list[_Keyed]:
        return [_key(d, self._rank[d.recogniser]) for d in detections]


def _key(d: Detection, rank: int) -> _Keyed:
    """The detection's precedence, and all that it has, so that no tie is left to chance."""
    return rank, d.start - d.end, -d.score, d.start, d.label, d.type, d.rule, d


def _distinct(keyed: Sequence[_Keyed]) -> list[_Keyed]:
    """Ascending keys, each once."""
    return [key for n, key in enumerate(keyed) if not n or keyed[n - 1][:-1] != key[:-1]]


def _paint(length: int, ranked: Sequence[Detection]) -> _Numbers:
    """For each character the first of these detections that covers it, else _NOBODY; the first paints last."""
    owners = np.full(length, _NOBODY, np.int32)
    for number in range(len(ranked) - 1, -1, -1):
        owners[ranked[number].start : ranked[number].end] = number
    return owners


def _parts(ranked: Iterable[Detection], covered: bytearray) -> list[tuple[int, int, Detection]]:
    """What each of these detections covers that none before it does: start, end and detection of each part.

    covered: a byte for each character, 1 where something covers it; is carried on.
    """
    parts: list[tuple[int, int, Detection]] = []
    for detection in ranked:
        behind = min(detection.end, len(covered))
        start = covered.find(0, detection.start, behind)
        while start >= 0:
            end = covered.find(1, start, behind)
            if end < 0:
                end = behind
            covered[start:end] = b"\1" * (end - start)
            parts.append((start, end, detection))
            start = covered.find(0, end, behind)
    return parts


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
    return Span._make((start, end, *d[2:]))
