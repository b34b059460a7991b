"""Resolves overlaps: turns detections, which may overlap, into spans, which may not.

Invariant: spans cover every letter or digit that a detection covers, and no others. So precedence between recognisers
decides only about labels, never about what is removed.

A detection that is whole by its form (certain_forms.py), such as an e-mail address, a telephone number or a date, stays
one span: an entity of the stacking model inside it or across its edge does not cut it. An entity that covers all of it
takes precedence, and so do entities that all are numbers of another label ("0044871 / 14003362" may be two IDs, and no
telephone number).

First come authors, own lists and kinds that `order` does not name, then entities, then the kinds of the pipeline's
`order`. What the loser covers beside the winner becomes a span with the loser's label. Within a recogniser the longer
detection comes first, then the higher score; the remaining attributes break ties. A detection with label OTHER (a word
of an untyped letterhead, a ship's name) takes the label of what overlaps it, of several the first in the same
precedence, but of `order` only kinds of `labels_from`. Without one it stays OTHER, which becomes the placeholder `O`
(seed 000, section 5, step 1).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Detection, Span
from deid_core.core.word_lists import word_set
from deid_core.ensemble.certain_forms import is_whole
from deid_core.text.divided_words import BETWEEN_PARTS, HYPHENS

_MERGED = frozenset({Label.PER, Label.LOC, Label.ORG})
_GAP = re.compile(rf"[ \u00a0]?|[{HYPHENS}]|{BETWEEN_PARTS.pattern}")
"""Between two parts of a name: nothing, a blank, or a hyphen, at a line end, too."""
_OPENING = frozenset({" (", "("})
_NUMBERS = frozenset({Label.ID, Label.PHONE, Label.DATE})
"""Labels of entities that may know better what a number is."""
_JOINS = r"(?:am|an|auf|bei|dem|den|der|im|in|ob|vor|zu|zum|zur)"
_UNFINISHED = re.compile(rf"\s{_JOINS}\Z")
"""The end of a place's name that goes on."""
_JOINING = re.compile(rf"{_JOINS}(?:\s{_JOINS})?")
_ADDITIONS = word_set("ensemble/town-additions")
_NOBODY = -1
_ENTITY_RANK = -1
"""The stacking model's entities come before the kinds of `order`."""
_Numbers = npt.NDArray[np.int32]
_Keyed = tuple[int, int, float, int, Label, PhiType, str, Detection]


class Resolver:
    """Resolves overlaps by a pipeline's order.

    order: recogniser kinds, the first has precedence. labels_from: the kinds that may give their label to an unlabelled
    detection. merge: whether neighbours that are one name become one span (`_merged`), of the first's recogniser.
    before_entities: kinds that come before the entities of the stacking model, the strongest first.
    """

    def __init__(
        self,
        order: Sequence[str],
        *,
        labels_from: Sequence[str] = (),
        merge: bool = True,
        before_entities: Sequence[str] = (),
    ) -> None:
        self._rank = {kind: rank for rank, kind in enumerate(order)}
        self._rank |= {kind: _ENTITY_RANK - len(before_entities) + rank for rank, kind in enumerate(before_entities)}
        self._before_entities = frozenset(before_entities)
        self._labels_from = frozenset(labels_from)
        self._merge = merge

    def resolve(
        self, text: str, detections: Iterable[Detection], entities: Iterable[Detection] = ()
    ) -> tuple[Span, ...]:
        """Return the spans of a note, ascending and disjoint.

        entities: those of the stacking model, disjoint; they come before all kinds but `before_entities`.
        Raises KeyError if a detection that no entity covers is of a recogniser that the order does not name.
        """
        entities, detections = list(entities), list(detections)
        if not entities and not detections:
            return ()
        covered = bytearray(len(text))
        unlabelled = Label.OTHER
        if any([d.label is unlabelled for d in detections]):
            detections = self._labelled(len(text), detections, entities)
        first = [d for d in detections if d.recogniser in self._before_entities] if self._before_entities else []
        cut = _cut_wholes(detections, entities) if entities else []
        if first or cut:
            first = [*(key[-1] for key in sorted(self._keys(first))), *cut]
            parts = _parts([*first, *entities], covered)
        else:
            parts = [(entity.start, entity.end, entity) for entity in entities]
            for start, end, _ in parts:
                covered[start:end] = b"\1" * (end - start)
        # Most detections are inside an entity and need no sorting.
        visible = [d for d in detections if covered.find(0, d.start, d.end) >= 0]
        parts += _parts([key[-1] for key in sorted(self._keys(visible))], covered)
        spans: list[Span] = []
        for start, end, detection in sorted(parts):
            if start > detection.start or end < detection.end:
                start, end = _without_marks(text, start, end, detection)
            if start < end:
                spans.append(_span(detection, start, end))
        return tuple(_merged(text, spans)) if self._merge else tuple(spans)

    def _labelled(self, length: int, detections: Sequence[Detection], entities: Iterable[Detection]) -> list[Detection]:
        """Return the detections; an unlabelled one gets the label of the first labelled one or entity that overlaps it.

        It also gets that one's range if it is longer (an e-mail address that contains a header word). The rule names
        both.
        """
        allowed = [d for d in detections if d.recogniser in self._labels_from or d.recogniser in self._before_entities]
        keyed = sorted([*(_key(entity, _ENTITY_RANK) for entity in entities), *self._keys(allowed)])
        labelled_ones = [key[-1] for key in keyed if key[-1].label is not Label.OTHER]
        owners = _owners(length, labelled_ones)
        labelled = []
        for detection in detections:
            if detection.label is Label.OTHER:
                overlapping = set(owners[detection.start : detection.end].tolist()) - {_NOBODY}
                if overlapping:
                    name = labelled_ones[min(overlapping)]
                    detection = detection._replace(
                        start=min(detection.start, name.start),
                        end=max(detection.end, name.end),
                        label=name.label,
                        type=name.type,
                        rule=f"{detection.rule}/{name.rule}",
                    )
            labelled.append(detection)
        return labelled

    def _keys(self, detections: Iterable[Detection]) -> list[_Keyed]:
        return [_key(d, self._rank[d.recogniser]) for d in detections]


def _cut_wholes(detections: Iterable[Detection], entities: Sequence[Detection]) -> list[Detection]:
    """Return the detections that are whole by their form and that entities would cut, the longest first.

    entities: ascending. Where they all are numbers of another label, these count: "0044871 / 14003362" may be two IDs.
    """
    starts = [entity.start for entity in entities]
    cut = []
    for whole in filter(is_whole, detections):
        at = max(bisect_right(starts, whole.start) - 1, 0)
        touching = [e for e in entities[at : bisect_left(starts, whole.end)] if e.end > whole.start]
        if not touching or (touching[0].start <= whole.start and whole.end <= touching[0].end):
            continue
        if not all(entity.label in _NUMBERS and entity.label is not whole.label for entity in touching):
            cut.append(whole)
    return [key[-1] for key in sorted(_key(whole, 0) for whole in cut)]


def _key(d: Detection, rank: int) -> _Keyed:
    """Return the sort key: the precedence, then all other attributes to break ties."""
    return rank, d.start - d.end, -d.score, d.start, d.label, d.type, d.rule, d


def _owners(length: int, ranked: Sequence[Detection]) -> _Numbers:
    """Return for each character the number of the first detection that covers it, else _NOBODY."""
    owners = np.full(length, _NOBODY, np.int32)
    for number in range(len(ranked) - 1, -1, -1):
        owners[ranked[number].start : ranked[number].end] = number
    return owners


def _parts(ranked: Iterable[Detection], covered: bytearray) -> list[tuple[int, int, Detection]]:
    """Return the parts of detections that no earlier one covers: start, end and detection of each.

    covered: one byte for each character, 1 where it is covered; updated.
    """
    parts: list[tuple[int, int, Detection]] = []
    for detection in ranked:
        text_end = min(detection.end, len(covered))
        start = covered.find(0, detection.start, text_end)
        while start >= 0:
            end = covered.find(1, start, text_end)
            if end < 0:
                end = text_end
            covered[start:end] = b"\1" * (end - start)
            parts.append((start, end, detection))
            start = covered.find(0, end, text_end)
    return parts


def _without_marks(text: str, start: int, end: int, detection: Detection) -> tuple[int, int]:
    """Return the part of a detection without the punctuation and blanks at the ends that were cut off."""
    while start < end and start > detection.start and not text[start].isalnum():
        start += 1
    while start < end and end < detection.end and not text[end - 1].isalnum():
        end -= 1
    return start, end


def _merged(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return the spans; neighbours that are one name become one span.

    They are one name if they have the same label (and the same type, if they are places), or if both are places and one
    of them is no name: "Klinik St. Veit an der" (a hospital) and "Glan" (a town), "Frankfurt" and "(Oder)".
    """
    merged: list[Span] = []
    for span in spans:
        last = merged[-1] if merged else None
        if last is None or last.label not in _MERGED or span.label is not last.label:
            merged.append(span)
            continue
        gap, is_place = text[last.end : span.start], span.label is Label.LOC
        if _GAP.fullmatch(text, last.end, span.start) and (
            not is_place or last.type is span.type or _is_one_place(text, last, span)
        ):
            merged[-1] = _span(last, last.start, span.end)
        elif is_place and gap in _OPENING and text[span.end : span.end + 1] == ")" and _is_addition(text, span):
            merged[-1] = _span(last, last.start, span.end + 1)
        else:
            merged.append(span)
    return merged


def _is_one_place(text: str, first: Span, second: Span) -> bool:
    """Return whether two places of different types are one, since one of them is not whole: "Wulften", "am"."""
    is_unfinished = _UNFINISHED.search(text, first.start, first.end)
    return bool(is_unfinished or _JOINING.fullmatch(text, second.start, second.end))


def _is_addition(text: str, place: Span) -> bool:
    """Return whether a place in parentheses tells a town from others of its name: a river or a landscape."""
    return text[place.start : place.end].rstrip(".").lower() in _ADDITIONS


def _span(d: Detection, start: int, end: int) -> Span:
    return Span._make((start, end, *d[2:]))
