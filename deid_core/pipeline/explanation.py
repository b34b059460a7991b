"""Why each span of a note was removed, and why other words were left: for a person who asks about one of them.

The engine keeps what decides, and no more. Here recognisers and stacking model read the note a second time, so that
`Engine.deidentify` takes no time for explanations. They hold places of the note as it is stored, and no text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import Label, label_of
from deid_core.core.note import Note
from deid_core.core.spans import Detection, Dropped, DropReason, Span
from deid_core.ensemble import own_lists, propagation
from deid_core.ensemble.foreign_passages import KIND as FOREIGN
from deid_core.ensemble.stacking.stacking_model import KIND, REPEATED, TokenProbabilities
from deid_core.ensemble.stacking.type_groups import TYPE_GROUPS
from deid_core.pipeline.engine import Deidentified, Engine
from deid_core.pipeline.known_terms import Term
from deid_core.pipeline.sweep import KIND as SWEEP
from deid_core.recognisers.author import AuthorRecogniser
from deid_core.text.document import Document

_NEARLY = 0.25
"""A token is nearly in an entity from this share of a threshold on."""
_WITHOUT_THRESHOLD = frozenset({Label.TITLE, Label.SALUTE})
_NOT_REPEATED = frozenset({propagation.KIND, AuthorRecogniser.kind, own_lists.KIND})
"""Kinds that come after propagation, and itself."""


_AFTER_MODEL = frozenset({SWEEP, FOREIGN})
_MOST_SOURCES = 100
"""In a note with more places that may be repeated, none is named: propagation reads the whole note for each."""


class Support(NamedTuple):
    """A detection; if it is of propagation, `repeats` is the first that it follows from without any other."""

    detection: Detection
    repeats: Detection | None


class Explained(NamedTuple):
    """A range, the detections that overlap it, and what the stacking model says of it, "" if that decided nothing."""

    found: Detection | Dropped
    support: tuple[Support, ...]
    model: str


class Explanation(NamedTuple):
    """Of a note: its spans, what was dropped, and tokens that are nearly in an entity of the stacking model."""

    spans: list[Explained]
    dropped: list[Explained]
    nearly: list[Explained]


def explain(engine: Engine, note: Note, done: Deidentified, known: Sequence[Term] = ()) -> Explanation:
    """Return why the engine removed and dropped what it did. done, known: its result for the note, and what it knew.

    Raises NoteError as `Engine.deidentify` does.
    """
    document = engine.document(note, known)
    view = _View(engine, document, engine.detections(document))
    spans = [Explained(span, view.support(span), view.of_span(span)) for span in done.spans]
    dropped = [Explained(item, view.support(item), view.of_dropped(item)) for item in sorted(done.dropped)]
    return Explanation(spans, dropped, list(view.nearly([*done.spans, *done.dropped])))


class _View:
    """What recognisers and stacking model say of a document, with places of the note as it is stored."""

    def __init__(self, engine: Engine, document: Document, detections: list[Detection]) -> None:
        self._document, self._settings = document, engine.spec.pipeline.stacking
        parts, places, tokens = engine.parts_of(document), document.places, document.tokens
        origins = _origins(document, parts.propagation, detections) if parts.propagation else {}
        self._support = [
            Support(moved, next(iter(self._moved([origins[found]])), None) if found in origins else None)
            for found in sorted(detections)
            for moved in self._moved([found])
        ]
        self._starts: npt.NDArray[np.integer] = tokens.starts
        self._ends: npt.NDArray[np.integer] = tokens.ends
        if places is not None:
            self._starts, self._ends = places.starts[tokens.starts], places.ends[tokens.ends - 1]
        self._unstacked = engine.unstacked
        self._entities: list[Detection] = []
        self._probabilities: TokenProbabilities | None = None
        if parts.stacking is not None:
            seen = [found for found in detections if found.recogniser not in self._unstacked]
            self._entities = self._moved(parts.stacking.decide(document, seen).entities)
            self._probabilities = parts.stacking.probabilities(document, seen)

    def support(self, found: Detection | Dropped) -> tuple[Support, ...]:
        """Return the detections that overlap a range."""
        return tuple(support for support in self._support if _overlap(support.detection, found))

    def of_span(self, span: Span) -> str:
        """Return what the stacking model says of a span; "" if it was found after it."""
        if self._probabilities is None or self._settings is None or span.recogniser in _AFTER_MODEL:
            return ""
        if any(_overlap(entity, span) for entity in self._entities):
            if span.label in _WITHOUT_THRESHOLD:
                return "an entity; its label needs no threshold"
            tokens = self._tokens(span)
            compared = [
                (float(promotion.probabilities[tokens].max(initial=0)), promotion)
                for promotion in self._probabilities.promotions
                if promotion.setting != REPEATED or span.label is Label.PER
            ]
            reached = [(value, by) for value, by in compared if value >= by.threshold]
            if not reached:
                return "an entity; kept with the one beside it"
            value, by = max(reached, key=lambda found: found[0])
            return f"an entity, {value:.4f} >= {by.setting} {by.threshold:.4f}"
        seen = [e.detection for e in self.support(span) if e.detection.recogniser not in self._unstacked]
        if not seen or span.recogniser in self._unstacked:
            return ""
        outside = min(map(self._outside, seen))
        limit = self._settings.drop_above
        if outside > limit:
            return f"no entity, outside {outside:.4f} > drop_above {limit:.4f}; but never dropped, by its form or label"
        return f"no entity, but not dropped: outside {outside:.4f} <= drop_above {limit:.4f}"

    def of_dropped(self, found: Dropped) -> str:
        """Return what the stacking model says of what it dropped."""
        if self._settings is None or found.reason not in (DropReason.DROP_ABOVE, DropReason.CUT_ABOVE):
            return ""
        setting = found.reason.removeprefix("stacking.")
        return f"outside {self._outside(found):.4f} > {setting} {getattr(self._settings, setting):.4f}"

    def nearly(self, taken: Sequence[Detection | Dropped]) -> Iterator[Explained]:
        """Yield words in none of these ranges that reach a part of a threshold, ascending."""
        if self._probabilities is None:
            return
        free = np.ones(len(self._starts), np.bool_)
        for found in taken:
            free[self._tokens(found)] = False
        promotions = [promotion for promotion in self._probabilities.promotions if promotion.setting != REPEATED]
        shares = np.array([promotion.probabilities / promotion.threshold for promotion in promotions])
        for token in np.flatnonzero(free & (shares.max(axis=0) >= _NEARLY)).tolist():
            if not any(map(str.isalnum, self._document.word(token))):
                continue
            by, label = promotions[int(shares[:, token].argmax())], self._probabilities.likeliest[token]
            phi, value = TYPE_GROUPS[label][0], float(by.probabilities[token])
            start, end = int(self._starts[token]), int(self._ends[token])
            found = Detection(start, end, label_of(phi), phi, KIND, label, round(value, 4))
            yield Explained(found, self.support(found), f"{value:.4f} < {by.setting} {by.threshold:.4f}")

    def _outside(self, found: Detection | Dropped) -> float:
        """Return the lowest probability of a token of a range to be outside every entity."""
        if self._probabilities is None:
            return 0.0
        return float(self._probabilities.outside[self._tokens(found)].min(initial=1))

    def _tokens(self, found: Detection | Dropped) -> slice:
        """Return the tokens that overlap a range."""
        start = self._ends.searchsorted(found.start, side="right")
        return slice(int(start), int(self._starts.searchsorted(found.end)))

    def _moved(self, detections: Iterable[Detection]) -> list[Detection]:
        places = self._document.places
        return list(detections if places is None else places.moved(detections))


def _origins(
    document: Document, finder: propagation.Propagation, detections: Sequence[Detection]
) -> dict[Detection, Detection]:
    """Return for each detection of propagation the first other one from which propagation finds it by itself."""
    repeated = [found for found in detections if found.recogniser == propagation.KIND]
    by_place: dict[tuple[int, int], list[Detection]] = {}
    for found in sorted(detections) if repeated else ():
        if found.recogniser not in _NOT_REPEATED and (found.label is not Label.PER or found.score >= finder.min_score):
            by_place.setdefault(found[:2], []).append(found)
    origins: dict[Detection, Detection] = {}
    if len(by_place) > _MOST_SOURCES:
        return origins
    # Initials under several entries, which follow from no detection.
    of_nothing = set(finder.propagate(document, [])) if repeated else set()
    for together in by_place.values():
        source = max(together, key=lambda found: found.score)
        again = [found for found in finder.propagate(document, together) if found not in of_nothing]
        for found in repeated:
            if not _overlap(found, source) and any(_overlap(found, other) for other in again):
                origins.setdefault(found, source)
    return origins


def _overlap(one: Detection | Dropped, other: Detection | Dropped) -> bool:
    return one.start < other.end and other.start < one.end
