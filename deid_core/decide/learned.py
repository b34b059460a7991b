"""The learned decision: a CRF over the note's words and over what the recognisers say of them.

Fixed rules of precedence cannot tell when a recogniser is to be believed: a list's surname behind "Frau", not behind
"Morbus". This model weighs all evidence of a token and its neighbours together with the words around, as stacking does
(Wolpert 1992), and names and places that no recogniser found get a second chance. It was trained on letters that were
written for it (`deid train decision`). It does three things, each with its own threshold:

- its entities are detections of their own, and come first in the pipeline's order;
- a token that it calls outside, but with less certainty than `add`, is taken as well: recall before precision;
- a detection all of whose tokens it is surer than `veto` to be outside is dropped, unless a pattern of `keep` found it.

So in a pipeline with a learned decision not all is removed that some recogniser detected; in all others it is.
A span that a recogniser found just so is credited to that recogniser, with its rule and score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from deid_core.config import DecisionSettings
from deid_core.decide.evidence import EvidenceReader
from deid_core.errors import ConfigurationError
from deid_core.labels import Label, PhiType, label_of
from deid_core.recognise.base import Document
from deid_core.recognise.terms import touched_tokens
from deid_core.sequence.compiled import FIRST_ROW, LINE_ROW, CompiledCrf
from deid_core.sequence.note_sequence import NO_TOKEN, sequence_types
from deid_core.sequence.tagger import CrfTagger
from deid_core.spans import Detection, Span
from deid_core.tokens import MARK, Vocabulary, token_kind
from deid_core.word_types import TypeColumn

KIND = "decision"
OUTSIDE = "O"
CLASSES: dict[str, tuple[PhiType, ...]] = {
    "person": (PhiType.PERSON, PhiType.PATIENT, PhiType.CLINICIAN, PhiType.RELATIVE),
    "street": (PhiType.STREET,),
    "town": (PhiType.PLACE, PhiType.TOWN, PhiType.REGION, PhiType.COUNTRY),
    "hospital": (PhiType.HOSPITAL,),
    "department": (PhiType.DEPARTMENT,),
    "organisation": (PhiType.ORGANISATION,),
    "profession": (PhiType.PROFESSION,),
    "age": (PhiType.AGE,),
    "date": (PhiType.DATE, PhiType.BIRTH_DATE),
    "phone": (PhiType.PHONE, PhiType.FAX),
    "id": (PhiType.ID, PhiType.PATIENT_ID, PhiType.CASE_ID, PhiType.INSURANCE_ID, PhiType.DEVICE_ID),
    "title": (PhiType.TITLE,),
}
"""The model's classes: types that it does not tell apart. The first is the least specific, taken where no recogniser
knows better."""
CLASS_OF = {phi: name for name, types in CLASSES.items() for phi in types}
_DIGITS = 4


class LearnedDecision:
    """Decides on the detections of documents of one vocabulary; see the module.

    words, evidence: the model's two halves (`CrfModel.compiled_with_evidence`). Raises ConfigurationError if the model
    has other labels than CLASSES.
    """

    def __init__(
        self, settings: DecisionSettings, words: CompiledCrf, evidence: CompiledCrf, vocabulary: Vocabulary
    ) -> None:
        if unknown := sorted(set(words.labels) - {OUTSIDE, *CLASSES}):
            raise ConfigurationError(f"decision: model {settings.model!r} has labels of no class: {', '.join(unknown)}")
        self._settings = settings
        self._keep = frozenset(settings.keep)
        self._reader = EvidenceReader()
        self._words = CrfTagger(words, vocabulary)
        self._evidence = CrfTagger(evidence, self._reader.vocabulary)
        self._outside = words.labels.index(OUTSIDE)
        self._types = [CLASSES.get(label, ()) for label in words.labels]
        self._nameable = TypeColumn(vocabulary, lambda word: token_kind(word) != MARK, bool)

    def decide(self, document: Document, detections: Sequence[Detection]) -> list[Detection]:
        """The detections that are not dropped, and the model's own."""
        labels, probabilities = self._label(document, detections)
        outside = probabilities[:, self._outside]
        kept = [
            detection
            for detection, (first, behind) in zip(detections, touched_tokens(document, detections), strict=True)
            if first >= behind
            or detection.label in self._keep
            or not (outside[first:behind] > self._settings.veto).all()
        ]
        return kept + self._entities(document, labels, probabilities, kept)

    def credit(self, spans: Iterable[Span], detections: Iterable[Detection]) -> tuple[Span, ...]:
        """The spans, those of the decision that a recogniser found just so in its name."""
        found: dict[tuple[int, int, Label], Detection] = {}
        for detection in sorted(detections, key=lambda d: (-d.score, d)):
            if detection.recogniser != KIND:
                found.setdefault((detection.start, detection.end, detection.label), detection)
        return tuple(_credited(span, found.get((span.start, span.end, span.label))) for span in spans)

    def _label(
        self, document: Document, detections: Sequence[Detection]
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float64]]:
        """Label of each token, and the probabilities of all labels; shapes (tokens,) and (tokens, labels)."""
        types, numbers = sequence_types(document.tokens)
        is_token = numbers != NO_TOKEN
        said = np.full(len(types), LINE_ROW, np.int32)
        said[is_token] = self._reader.types(document, detections) + FIRST_ROW
        bounds = np.array([0, len(types)], np.int64)
        emissions = self._words.emissions(types, bounds)
        emissions += self._evidence.emissions(said, bounds)
        labels = self._words.best(emissions, bounds)[is_token]
        probabilities = self._words.probabilities(emissions, bounds)[is_token]
        added = (labels == self._outside) & (1 - probabilities[:, self._outside] >= self._settings.add)
        added &= self._nameable.gather(document.tokens.types)
        if added.any():
            likely = probabilities[added]
            likely[:, self._outside] = 0
            labels[added] = likely.argmax(axis=1)
        return labels, probabilities

    def _entities(
        self,
        document: Document,
        labels: npt.NDArray[np.int8],
        probabilities: npt.NDArray[np.float64],
        detections: Sequence[Detection],
    ) -> list[Detection]:
        """Runs of one label within a line; the type is that of the surest detection of the class that it overlaps."""
        if not len(labels):
            return []
        tokens = document.tokens
        begins = np.append(True, (labels[1:] != labels[:-1]) | tokens.breaks[1:])
        firsts = np.flatnonzero(begins)
        lasts = np.append(firsts[1:], len(labels)) - 1
        wanted = labels[firsts] != self._outside
        by_token: dict[int, list[Detection]] = {}
        for detection, (first, behind) in zip(detections, touched_tokens(document, detections), strict=True):
            for index in range(first, behind):
                by_token.setdefault(index, []).append(detection)
        found = []
        for first, last in zip(firsts[wanted].tolist(), lasts[wanted].tolist(), strict=True):
            label = int(labels[first])
            known = [
                d for index in range(first, last + 1) for d in by_token.get(index, ()) if d.type in self._types[label]
            ]
            # A list or the CRF knows a class only: whoever knows the finer type is asked first.
            surest = max(known, key=lambda d: (d.type is not self._types[label][0], d.score, d), default=None)
            phi = surest.type if surest else self._types[label][0]
            rule = f"{CLASS_OF[phi]}/{surest.recogniser}.{surest.rule}" if surest else CLASS_OF[phi]
            score = round(float(probabilities[first : last + 1, label].min()), _DIGITS)
            start, end = int(tokens.starts[first]), int(tokens.ends[last])
            found.append(Detection(start, end, label_of(phi), phi, KIND, rule, min(score, 1.0)))
        return found


def _credited(span: Span, found: Detection | None) -> Span:
    if found is None or span.recogniser != KIND:
        return span
    return replace(span, type=found.type, recogniser=found.recogniser, rule=found.rule, score=found.score)
