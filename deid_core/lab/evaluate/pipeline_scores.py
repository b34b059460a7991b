"""A pipeline or system measured on an evaluation set: every score of `deid compare`, and the spans they are of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import process_time
from typing import TypeVar

from deid_core.core.spans import Span
from deid_core.lab.evaluate.edges import EdgeEvaluation
from deid_core.lab.evaluate.empty_lines import EmptyLineEvaluation
from deid_core.lab.evaluate.evaluation import Evaluation, body_spans
from deid_core.lab.evaluate.evaluation_sets import EvaluationSet
from deid_core.lab.evaluate.patients import PatientEvaluation
from deid_core.lab.evaluate.scores import LabelledRange
from deid_core.lab.evaluate.type_scores import TypeEvaluation
from deid_core.lab.systems.base import TrainedSystem
from deid_core.pipeline.engine import Engine

FORMS = frozenset({"SALUTE", "TITLE"})
"""Forms of address: the guide has them marked, other schemes count neither."""

_Range = TypeVar("_Range", bound=LabelledRange)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a pipeline made of a set.

    evaluation: all labels; without_forms: the same without SALUTE and TITLE, in gold and predictions; types: the finer
    types; patients: what of their names stays readable. The last two say nothing of an untyped set. edges: spans that
    are a word too long or too short. empty_lines: words removed in lines that have nothing to find.
    spans: of each note, those whose labels count. tokens: of the whole texts; cpu_s: CPU time of annotating them.
    """

    pipeline: str
    fingerprint: str
    evaluation: Evaluation
    without_forms: Evaluation
    types: TypeEvaluation
    patients: PatientEvaluation
    edges: EdgeEvaluation
    empty_lines: EmptyLineEvaluation
    spans: tuple[tuple[Span, ...], ...]
    tokens: int
    cpu_s: float

    @property
    def tokens_per_s(self) -> float:
        """Tokens per second of CPU time, which is per core: an engine has one thread.

        Cold: of each word type the first occurrence costs most, so the figure grows with the set. Warming up on other
        notes would suit some sets (synthetic notes) and not others (non-medical texts); `deid bench` measures a
        warm engine.
        """
        return self.tokens / self.cpu_s if self.cpu_s else 0.0


def measure(engine: Engine | TrainedSystem, of: EvaluationSet, progress: Callable[[], object] = bool) -> Measured:
    """Runs an engine or a trained system over a set; `progress` is called after each note.

    Raises NoteError if the engine cannot process a note: a score that leaves notes out would be none.
    """
    evaluation, without_forms = (Evaluation(with_header=of.with_header) for _ in range(2))
    types, patients = TypeEvaluation(with_header=of.with_header), PatientEvaluation()
    edges, empty_lines = EdgeEvaluation(), EmptyLineEvaluation()
    if of.notes:
        engine.annotate(of.notes[0])  # What is compiled or loaded with the first note is not its speed.
    tokens, cpu_s = 0, 0.0
    kept: list[tuple[Span, ...]] = []
    for note, gold in zip(of.notes, of.gold, strict=True):
        began = process_time()
        spans = engine.annotate(note)
        cpu_s += process_time() - began
        tokens += len(engine.document(note).tokens)
        found = [span for span in spans if of.labels is None or span.label in of.labels]
        evaluation.add(note.text, gold, found)
        without_forms.add(note.text, _without_forms(gold), _without_forms(found))
        types.add(note.text, gold, found)
        # Leaves out what an evaluation without header leaves out by itself.
        patients.add(note.text, gold if of.with_header else body_spans(note.text, gold), found)
        edges.add(note.text, gold, found)
        empty_lines.add(note.text, gold, found)
        kept.append(tuple(found))
        progress()
    if isinstance(engine, Engine):
        name, fingerprint = engine.spec.pipeline.name, engine.spec.fingerprint
    else:
        name, fingerprint = engine.name, engine.fingerprint
    return Measured(
        name, fingerprint, evaluation, without_forms, types, patients, edges, empty_lines, tuple(kept), tokens, cpu_s
    )


def _without_forms(spans: Iterable[_Range]) -> list[_Range]:
    return [span for span in spans if str(span.label) not in FORMS]
