"""The learned decision: a CRF over the note's words and over what the recognisers say of them.

Fixed rules of precedence cannot tell when a recogniser is to be believed: a list's surname behind "Frau", not behind
"Morbus". This model weighs all evidence of a token and its neighbours together with the words around, as stacking does
(Wolpert 1992), and names and places that no recogniser found get a second chance. It was trained on letters that were
written for it (`deid train decision`). It does three things, each with its own threshold:

- its entities come before all detections;
- a token that it calls outside, but is a person's name with a probability of `add` or more, is taken as well, and so
  is a date or number with `add_numbers`, a place, institution or profession with `add_others`: recall before
  precision, most of all for names;
- a detection is dropped if it is surer than `veto` that each of its tokens is outside; labels of `keep` never are.

So in a pipeline with a learned decision not all is removed that some recogniser detected; in all others it is.
An entity that a recogniser found just so is that recogniser's, with its rule and score.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deid_core.config import DecisionSettings
from deid_core.decide.evidence import EvidenceReader
from deid_core.decide.token_labels import LabelRules, LabelRuns
from deid_core.errors import ConfigurationError
from deid_core.labels import PhiType, label_of
from deid_core.recognise.base import Document
from deid_core.recognise.terms import touched_tokens
from deid_core.sequence.compiled import CompiledCrf
from deid_core.sequence.note_sequence import NO_TOKEN
from deid_core.sequence.tagger import CrfTagger
from deid_core.sequence.type_rows import FIRST_TYPE, LINE_TYPE
from deid_core.spans import Detection
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
_PERSONS = frozenset({"person"})
_NUMBERS = frozenset({"age", "date", "phone", "id"})
"""Added on doubt of their own: numbers are many, and patterns know most by their form."""
_NOT_ADDED = frozenset({OUTSIDE, "title"})
_DIGITS = 4
_Known = tuple[bool, bool, float, Detection]
"""A detection of an entity's class within it, behind what it is preferred by: that it is the entity just so, that it
knows the finer type, how sure it is."""


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
        others = frozenset(words.labels) - _NOT_ADDED - _NUMBERS - _PERSONS
        # A token that more than one may add is a person's.
        added = ((_NUMBERS, settings.add_numbers), (others, settings.add_others), (_PERSONS, settings.add))
        self._rules = LabelRules(
            words.labels.index(OUTSIDE),
            settings.veto,
            np.array([[label in of for label in words.labels] for of, _ in added], bool),
            np.array([threshold for _, threshold in added], float),
        )
        self._types = [CLASSES.get(label, ()) for label in words.labels]
        self._nameable = TypeColumn(vocabulary, lambda word: token_kind(word) != MARK, bool)

    @property
    def evidence_types(self) -> int:
        """How many kinds of evidence it has met, whole and in part; its tables grow with them."""
        return len(self._reader)

    def decide(self, document: Document, detections: Sequence[Detection]) -> tuple[list[Detection], list[Detection]]:
        """The model's own entities, disjoint, and the detections that are not dropped."""
        touched = touched_tokens(document, detections)
        runs = self._runs(document, detections, touched)
        firsts, behind = touched.T
        before = runs.surely_outside
        surely_outside = (firsts < behind) & (before[behind] - before[firsts] == behind - firsts)
        dropped = {at for at in np.flatnonzero(surely_outside).tolist() if detections[at].label not in self._keep}
        if dropped:
            kept = [at for at in range(len(detections)) if at not in dropped]
            detections, touched = [detections[at] for at in kept], touched[kept]
        return self._entities(document, runs, detections, touched), list(detections)

    def _emissions(
        self, document: Document, detections: Sequence[Detection], touched: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Of words and evidence together, with the sequence's bounds."""
        types, numbers = document.sequence
        of_tokens = self._reader.types(document, detections, touched)
        said = np.full(len(types), LINE_TYPE, np.int32)
        said[numbers != NO_TOKEN] = of_tokens + FIRST_TYPE
        bounds = np.array([0, len(types)], np.int64)
        return self._evidence.emissions(said, bounds, self._words.emissions(types, bounds)), bounds

    def _runs(self, document: Document, detections: Sequence[Detection], touched: npt.NDArray[np.int64]) -> LabelRuns:
        emissions, bounds = self._emissions(document, detections, touched)
        labels = self._words.best(emissions, bounds)
        probabilities = self._words.probabilities(emissions, bounds)
        # No mark is added by itself: only a word can be a name or a number.
        nameable = self._nameable.gather(document.tokens.types)
        return self._rules.runs(labels, probabilities, document.sequence[1], nameable, document.tokens.breaks)

    def _entities(
        self, document: Document, runs: LabelRuns, detections: Sequence[Detection], touched: npt.NDArray[np.int64]
    ) -> list[Detection]:
        """The runs; what a recogniser found just so, or knows better, is taken from it."""
        tokens = document.tokens
        starts, ends = tokens.starts[runs.firsts].tolist(), tokens.ends[runs.lasts].tolist()
        types = [self._types[label] for label in runs.labels.tolist()]
        surest: list[_Known | None] = [None] * len(types)
        numbers = runs.run_of.tolist()
        for detection, first, behind in zip(detections, *touched.T.tolist(), strict=True):
            if first >= behind:
                continue
            number = numbers[first]
            # An entity is one run, so nothing else stands between two tokens of it.
            is_one = behind - first == 1 or (number >= 0 and number == numbers[behind - 1])
            for run in (number,) if is_one else set(numbers[first:behind]):
                if run < 0:
                    continue
                start, end, _, phi, _, _, score = detection
                of_class = types[run]
                if phi in of_class:
                    just_so = start == starts[run] and end == ends[run]
                    known = (just_so, phi is not of_class[0], score, detection)
                    best = surest[run]
                    if best is None or known > best:
                        surest[run] = known
        return [
            _entity(start, end, of_class[0], min(round(score, _DIGITS), 1.0), known)
            for start, end, score, of_class, known in zip(
                starts, ends, runs.scores.tolist(), types, surest, strict=True
            )
        ]


def _entity(start: int, end: int, phi: PhiType, score: float, known: _Known | None) -> Detection:
    """The entity: that of a recogniser which found it just so, else one of the decision's own."""
    if known is None:
        return Detection(start, end, label_of(phi), phi, KIND, CLASS_OF[phi], score)
    just_so, *_, surest = known
    if just_so:
        return surest
    rule = f"{CLASS_OF[phi]}/{surest.recogniser}.{surest.rule}"
    return Detection(start, end, surest.label, surest.type, KIND, rule, score)
