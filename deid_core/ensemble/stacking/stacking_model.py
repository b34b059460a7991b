"""The learned decision: a CRF over the note's words and over what the recognisers say of them.

Fixed rules of precedence cannot tell when a recogniser is to be believed: a list's surname behind "Frau", not behind
"Morbus". This model weighs all evidence of a token and its neighbours together with the words around, as stacking does
(Wolpert 1992), and names and places that no recogniser found get a second chance. It was trained on letters that were
written for it and on news (`deid train decision`). It does three things, with thresholds of their own:

- its entities come before all detections; those that join on to each other reach a threshold of the next point at one
  token;
- a token that it calls outside, but is a person's name with a probability of `promote_above` or more, is taken as
well, and so
  is a date or number with `promote_above_numbers`, a place, institution or profession with `promote_above_others`:
  recall before precision, most of all for names. A word that is a name elsewhere in the note is taken with
  `promote_above_repeated`. The other thresholds are meant for notes of which `prior_entity_rate` identifies somebody;
  where less of a note does they are higher, since there more words that look like names are medicine;
- a detection is dropped if it is surer than `drop_above` that each of its tokens is outside; labels of `keep` never
are.

So in a pipeline with a learned decision not all is removed that some recogniser detected; in all others it is.
An entity that a recogniser found just so is that recogniser's, with its rule and score.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
import numpy.typing as npt

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.crf.inference_model import InferenceModel
from deid_core.crf.tagger import CrfTagger
from deid_core.ensemble.settings import StackingSettings
from deid_core.ensemble.stacking.attribution import NONE, weigh
from deid_core.ensemble.stacking.classes import CLASSES, OUTSIDE
from deid_core.ensemble.stacking.features import DetectionArrays, StackingFeatures
from deid_core.ensemble.stacking.thresholds import LabelRuns, ThresholdRules
from deid_core.ensemble.word_form import word_forms
from deid_core.text.column_starts import COLUMN
from deid_core.text.document import Document
from deid_core.text.sequence import FIRST_TYPE, LINE_TYPE, NO_TOKEN
from deid_core.text.tokens import MARK, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

KIND = "decision"
_PERSON = "person"
_NUMBERS = frozenset({"age", "date", "phone", "id"})
"""Added on doubt of their own: numbers are many, and patterns know most by their form."""
_NOT_ADDED = frozenset({OUTSIDE, "title"})
_DIGITS = 4


class StackingModel:
    """Decides on the detections of documents of one vocabulary; see the module.

    words, evidence: the model's two halves (`CrfModel.compiled_with_evidence`). Raises ConfigurationError if the model
    has other labels than CLASSES, or lacks one that is asked for by name.
    """

    def __init__(
        self, settings: StackingSettings, words: InferenceModel, evidence: InferenceModel, vocabulary: Vocabulary
    ) -> None:
        needed = {OUTSIDE} if settings.promote_above_repeated is None else {OUTSIDE, _PERSON}
        problems = [f"label {label!r} is of no class" for label in sorted({*words.labels} - {OUTSIDE, *CLASSES})]
        problems += [f"there is no label {label!r}" for label in sorted(needed - {*words.labels})]
        if problems:
            raise ConfigurationError([f"decision: model {settings.model!r}: {problem}" for problem in problems])
        self._keep = frozenset(settings.keep)
        self._reader = StackingFeatures()
        self._words = CrfTagger(words, vocabulary)
        self._evidence = CrfTagger(evidence, self._reader.vocabulary)
        others = frozenset(words.labels) - _NOT_ADDED - _NUMBERS - {_PERSON}
        promote_above_others = (
            settings.promote_above if settings.promote_above_others is None else settings.promote_above_others
        )
        added = (
            (_NUMBERS, settings.promote_above_numbers),
            (others, promote_above_others),
            ({_PERSON}, settings.promote_above),
        )
        self._rules = ThresholdRules(
            words.labels.index(OUTSIDE),
            settings.drop_above,
            np.array([[label in of for label in words.labels] for of, _ in added], bool),
            np.array([threshold for _, threshold in added], float),
            settings.prior_entity_rate,
            None
            if settings.promote_above_repeated is None
            else (words.labels.index(_PERSON), settings.promote_above_repeated),
        )
        # Of each label the type that is taken where no recogniser knows better; an entity is never outside.
        self._plain_types = [CLASSES.get(label, (PhiType.OTHER,))[0] for label in words.labels]
        self._class_of_type = {phi: n for n, label in enumerate(words.labels) for phi in CLASSES.get(label, ())}
        self._knowledge = np.zeros((0, 4), np.int32)
        self._addable = TypeFeature(vocabulary, lambda word: token_kind(word) != MARK, bool)
        self._forms = word_forms(vocabulary)

    @property
    def evidence_types(self) -> int:
        """How many kinds of evidence it has met, whole and in part; its tables grow with them."""
        return len(self._reader)

    def decide(self, document: Document, detections: Sequence[Detection]) -> tuple[list[Detection], list[Detection]]:
        """The model's own entities, disjoint, and the detections that are not dropped."""
        said = self._reader.said(document, detections)
        runs = self._runs(document, said)
        tokens = document.tokens
        starts, ends = tokens.starts[runs.firsts], tokens.ends[runs.lasts]
        known, is_exact = np.empty(len(starts), np.int32), np.empty(len(starts), np.bool_)
        kept = np.empty(len(detections), np.bool_)
        weigh(
            *said, self._known_kinds(), runs.surely_outside, runs.run_of, runs.labels, starts, ends,
            known, is_exact, kept,
        )  # fmt: skip
        entities = [
            # What a recogniser found just so is that recogniser's.
            detections[surest] if is_it else self._entity(start, end, label, score, detections, surest)
            for start, end, label, score, surest, is_it in zip(
                starts.tolist(), ends.tolist(), runs.labels.tolist(), runs.scores.tolist(), known.tolist(),
                is_exact.tolist(), strict=True,
            )
        ]  # fmt: skip
        return entities, list(compress(detections, kept.tolist()))

    def _entity(
        self, start: int, end: int, label: int, score: float, detections: Sequence[Detection], known: int
    ) -> Detection:
        """An entity of the decision's own; what a recogniser knows better is taken from it."""
        score, rule = min(round(score, _DIGITS), 1.0), self._words.labels[label]
        if known == NONE:
            phi = self._plain_types[label]
            return Detection(start, end, label_of(phi), phi, KIND, rule, score)
        surest = detections[known]
        return Detection(
            start, end, surest.label, surest.type, KIND, f"{rule}/{surest.recogniser}.{surest.rule}", score
        )

    def _known_kinds(self) -> npt.NDArray[np.int32]:
        """`knowledge` of known.weigh: of all kinds of detections met so far, which are few and soon all."""
        kinds = self._reader.kinds
        if len(kinds) > len(self._knowledge):
            order = {kind: place for place, kind in enumerate(sorted(kinds))}
            self._knowledge = np.array(
                [
                    (
                        self._class_of_type.get(kind[1], NONE),
                        kind[1] not in self._plain_types,
                        order[kind],
                        kind[0] in self._keep,
                    )
                    for kind in kinds
                ],
                np.int32,
            )
        return self._knowledge

    def _emissions(
        self, document: Document, said: DetectionArrays
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Of words and evidence together, with the sequence's bounds."""
        types, numbers = document.sequence
        evidence = np.full(len(types), LINE_TYPE, np.int32)
        evidence[numbers != NO_TOKEN] = self._reader.types(document, said) + FIRST_TYPE
        bounds = np.array([0, len(types)], np.int64)
        return self._evidence.emissions(evidence, bounds, self._words.emissions(types, bounds)), bounds

    def _runs(self, document: Document, said: DetectionArrays) -> LabelRuns:
        emissions, bounds = self._emissions(document, said)
        labels = self._words.best(emissions, bounds)
        probabilities = self._words.probabilities(emissions, bounds)
        tokens = document.tokens
        # No mark is added by itself: only a word can be a name or a number.
        addable, forms = self._addable.gather(tokens.types), self._forms.gather(tokens.types)
        breaks = tokens.breaks | (document.column_starts == COLUMN)
        return self._rules.runs(labels, probabilities, document.sequence[1], addable, forms, breaks)
