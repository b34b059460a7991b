"""Whether a stacking model adapted to a hospital's letters is better for them than the shipped one.

By cross-validation: each letter is read by a model that did not learn from it, with thresholds that were chosen without
it. The thresholds alone are a candidate, too: they need no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deid_core.core.labels import Scheme, labels_of
from deid_core.core.spans import Detection
from deid_core.crf.weights import CrfWeights
from deid_core.ensemble.stacking.stacking_model import StackingModel
from deid_core.lab.corpora.annotated import LabelledSpan
from deid_core.lab.corpora.marked_letters import MarkedLetter
from deid_core.lab.evaluate.bootstrap import Interval, difference_interval
from deid_core.lab.evaluate.evaluation import Evaluation, Level
from deid_core.lab.evaluate.scores import STATISTICS
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.training.adaptation import AdaptationExamples, marked_labels
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.side_by_side import Work
from deid_core.text.document import Document

FEWEST = 20
"""Fewer letters tell too little to choose and to measure with."""
FOLDS = 5
FACTORS = (1.0, 0.7, 1.4, 0.5, 2.0)
"""The thresholds `promote_…` are multiplied by one of these; of equally good ones the first."""
PRECISION_LOSS = 0.005
"""Of words, at most, by which a factor may lower the precision of the shipped pipeline: F2 weighs recall more, so it
alone would pay for a little recall with much precision."""
CONFIDENCE = 0.9
"""Of the interval of the difference, which must lie above zero."""
THRESHOLDS, ADAPTED = "thresholds", "model and thresholds"
"""Names of the candidates."""
_PROMOTIONS = ("promote_above", "promote_above_others", "promote_above_numbers", "promote_above_repeated")
_F2, _PRECISION = STATISTICS["f2"], STATISTICS["precision"]

Spans = list[LabelledSpan]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to read the letters. factor: of the thresholds, chosen on all of them. evaluation: cross-validated.

    gain: F2 of words over the shipped pipeline.
    """

    name: str
    factor: float
    evaluation: Evaluation
    gain: Interval

    @property
    def is_better(self) -> bool:
        """Whether it is better than what is shipped by more than chance."""
        return self.gain.low > 0


@dataclass(frozen=True, slots=True)
class AdaptationTrial:
    """The outcome. before: the shipped pipeline. thresholds: with other thresholds. adapted: with another model too."""

    before: Evaluation
    thresholds: Candidate
    adapted: Candidate

    @property
    def best(self) -> Candidate | None:
        """The candidate with the highest F2 of those that are better than the shipped pipeline; None if none is."""
        better = [candidate for candidate in (self.adapted, self.thresholds) if candidate.is_better]
        return max(better, key=lambda candidate: candidate.gain.value, default=None)


class _TrialEngine(Engine):
    """An engine whose stacking model is replaced. It recognises once: detections do not depend on that model."""

    def __init__(self, spec: EngineSpec) -> None:
        super().__init__(spec)
        self._known: dict[str, list[Detection]] = {}

    def use(self, spec: EngineSpec) -> None:
        """Decide by the model and thresholds of a spec that is otherwise the same."""
        parts, models = self._whole_parts(), spec.compiled.stacking
        assert spec.pipeline.stacking is not None and models is not None  # noqa: S101 - AdaptationExamples refuses others
        parts.stacking = StackingModel(spec.pipeline.stacking, *models, spec.gazetteer, parts.vocabulary)

    def _detections(self, document: Document, steps: Any) -> Work[list[Detection]]:
        note_id = document.note.note_id
        if note_id not in self._known:
            self._known[note_id] = yield from super()._detections(document, steps)
        return list(self._known[note_id])


class MarkedReader:
    """Reads letters with a pipeline, and compares with the marks what the letters' scheme distinguishes and marks."""

    def __init__(self, letters: Sequence[MarkedLetter], scheme: Scheme = Scheme.OWN) -> None:
        self._letters, self._labels, self._marked = letters, labels_of(scheme), marked_labels(letters)
        self._engine: _TrialEngine | None = None

    def read(self, spec: EngineSpec, numbers: Iterable[int]) -> dict[int, Spans]:
        """Return what a pipeline finds in the letters of these numbers; all specs differ in the stacking model alone.

        Raises NoteError if it cannot read one.
        """
        self._engine = self._engine or _TrialEngine(spec)
        self._engine.use(spec)
        return {
            number: [
                LabelledSpan(span.start, span.end, label)
                for span in self._engine.annotate(self._letters[number].note)
                if (label := self._labels.get(span.label)) in self._marked and label is not None
            ]
            for number in numbers
        }

    def evaluation(self, found: Mapping[int, Spans]) -> Evaluation:
        """Return the scores of what was found, in the order of the letters."""
        evaluation = Evaluation()
        for number in sorted(found):
            letter = self._letters[number]
            marks = [LabelledSpan(mark.start, mark.end, mark.label) for mark in letter.marks]
            evaluation.add(letter.note.text, marks, found[number])
        return evaluation


def with_factor(spec: EngineSpec, factor: float) -> EngineSpec:
    """Return the spec with its promotion thresholds multiplied, rounded to three digits."""
    stacking = spec.pipeline.stacking
    assert stacking is not None  # noqa: S101 - AdaptationExamples refuses other pipelines
    values = {name: getattr(stacking, name) for name in _PROMOTIONS}
    changed = {name: min(1.0, float(f"{value * factor:.3g}")) for name, value in values.items() if value is not None}
    return spec.with_stacking_settings(stacking.model_copy(update=changed))


def with_weights(spec: EngineSpec, weights: CrfWeights) -> EngineSpec:
    """Return the spec with other weights of its stacking model, which are not kept in the cache."""
    assert spec.stacking is not None  # noqa: S101 - as above
    return replace(spec, stacking=spec.stacking.with_weights(weights, is_kept=False))


def letter_folds(numbers: Sequence[int]) -> list[list[int]]:
    """Return the numbers in FOLDS random parts, always the same."""
    order = list(Draw("folds").shuffled(numbers))
    return [order[fold::FOLDS] for fold in range(FOLDS)]


def adaptation_trial(
    spec: EngineSpec,
    letters: Sequence[MarkedLetter],
    examples: AdaptationExamples,
    *,
    numbers: Sequence[int] | None = None,
    scheme: Scheme = Scheme.OWN,
    progress: Callable[[str], object] = lambda line: None,
) -> AdaptationTrial:
    """Return how much better the letters are read with adapted models. examples: of the letters.

    numbers: the letters that are used; None is all. progress: is called with what comes next.
    Raises NoteError if a letter cannot be read.
    """
    reader = MarkedReader(letters, scheme)
    used = list(range(len(letters))) if numbers is None else list(numbers)
    folds = letter_folds(used)
    # Subtypes change no label.
    plain = replace(spec, pipeline=spec.pipeline.model_copy(update={"subtypes": None}), subtypes=None)
    progress("the shipped model")
    shipped = {factor: reader.read(with_factor(plain, factor), used) for factor in FACTORS}
    adapted: dict[float, dict[int, Spans]] = {factor: {} for factor in FACTORS}
    for number, fold in enumerate(folds, 1):
        progress(f"fold {number} of {FOLDS}")
        learned = with_weights(plain, examples.adapted([n for n in used if n not in set(fold)]))
        for factor in FACTORS:
            adapted[factor] |= reader.read(with_factor(learned, factor), fold)
    before = reader.evaluation(shipped[1.0])
    return AdaptationTrial(
        before,
        _candidate(THRESHOLDS, reader, shipped, folds, before),
        _candidate(ADAPTED, reader, adapted, folds, before),
    )


def _candidate(
    name: str,
    reader: MarkedReader,
    found: Mapping[float, Mapping[int, Spans]],
    folds: Sequence[Sequence[int]],
    before: Evaluation,
) -> Candidate:
    """Return the scores with the factor that is best for the letters of the other folds, fold by fold."""
    numbers = sorted(number for fold in folds for number in fold)
    counts = {factor: reader.evaluation(of_factor).counts(Level.WORD) for factor, of_factor in found.items()}

    def best(of: Iterable[int]) -> float:
        rows = np.isin(numbers, list(of))
        least = float(_PRECISION(before.counts(Level.WORD)[rows].sum(0))) - PRECISION_LOSS

        def goodness(factor: float) -> tuple[float, float]:
            summed = counts[factor][rows].sum(0)
            return min(float(_PRECISION(summed)), least), float(_F2(summed))

        return max(FACTORS, key=goodness)

    chosen: dict[int, Spans] = {}
    for fold in folds:
        factor = best(set(numbers) - set(fold))
        chosen |= {number: found[factor][number] for number in fold}
    evaluation = reader.evaluation(chosen)
    gain = difference_interval(evaluation.counts(Level.WORD), before.counts(Level.WORD), _F2, confidence=CONFIDENCE)
    return Candidate(name, best(numbers), evaluation, gain)
