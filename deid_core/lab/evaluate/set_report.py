"""What `deid compare` says of one evaluation set: tables for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from deid_core.core.labels import PhiType
from deid_core.core.text_tables import Rows, markdown_table, table
from deid_core.lab.evaluate import Comparison, Evaluation, Level, compare
from deid_core.lab.evaluate.bootstrap import Interval
from deid_core.lab.evaluate.comparison import Measure
from deid_core.lab.evaluate.edges import EdgeCounts
from deid_core.lab.evaluate.evaluation_sets import EvaluationSet
from deid_core.lab.evaluate.leaks import LeakShare
from deid_core.lab.evaluate.pipeline_figures import (
    LEVELS,
    comparison_figures,
    covered_interval,
    covered_words,
    pipeline_figures,
)
from deid_core.lab.evaluate.pipeline_scores import Measured
from deid_core.lab.evaluate.score_cells import p_cell, score_cells
from deid_core.lab.evaluate.scores import STATISTICS, Scores

TESTED: tuple[Measure, ...] = ((Level.WORD, "f2"), (Level.WORD, "recall"), (Level.EXACT, "f1"))
"""What approximate randomisation is made for."""
_NAMES = {
    (Level.WORD, "f2"): "F2",
    (Level.WORD, "recall"): "recall",
    (Level.EXACT, "f1"): "entity F1",
}
_BRIEF_LEVELS = (Level.WORD, Level.EXACT)
"""Of what is printed without SALUTE and TITLE."""


@dataclass(frozen=True)
class SetReport:
    """The pipelines on one set, in the order they were asked for."""

    of: EvaluationSet
    measured: Sequence[Measured]

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Each pipeline against the one before it; differences are later - earlier."""
        return [compare(after.evaluation, before.evaluation, TESTED) for before, after in pairwise(self.measured)]

    def scores(self) -> Rows:
        """Rows for each pipeline and level, with and without SALUTE and TITLE, unless the set has neither."""
        intervals = ("precision, 95 %", "recall, 95 %", "F1, 95 %", "F2, 95 %")
        rows: Rows = [("pipeline, level", "gold", "precision", "recall", "F1", "F2", *intervals)]
        for m in self.measured:
            rows += (_score_row(f"{m.pipeline}, {name}", m.evaluation, level) for level, name in LEVELS.items())
            if self.of.labels is None:
                rows += (
                    _score_row(f"{m.pipeline}, {LEVELS[level]}, no SALUTE, TITLE", m.without_forms, level)
                    for level in _BRIEF_LEVELS
                )
        return rows

    def coverage(self) -> Rows:
        """A row a pipeline: names, those of patients if the set knows them, what else was removed, and the speed."""
        patients = ("patients' names", "leaked", "leaked a letter", "letters with one", "full names readable")
        known = self.of.typed
        # Of a set whose gold spans are of some labels only, what else was removed is unknown.
        whole = self.of.labels is None
        rows: Rows = [
            (
                *("pipeline", "names", "covered", "covered, 95 %"),
                *(patients if known else ()),
                *(["others removed, of 1,000", "in lines with nothing to find"] if whole else ()),
                "tokens/s, cold",
            )
        ]
        for m in self.measured:
            covered = covered_interval(m.evaluation)
            leaked = (
                m.patients.leaked.total,
                m.patients.leaked.count,
                m.patients.per_letter,
                m.patients.letters.count,
                m.patients.full_names.count,
            )
            rows.append(
                (
                    m.pipeline,
                    m.evaluation.leaks.names().total,
                    covered.value,
                    _range(covered),
                    *(leaked if known else ()),
                    *([_of_1000(m.evaluation.wrongly_removed()), _of_1000(m.empty_lines.removed)] if whole else ()),
                    int(round(m.tokens_per_s, -3)),
                )
            )
        return rows

    def tests(self) -> Rows:
        """A row for each pipeline and the one before it."""
        rows: Rows = [
            (
                "against the one before",
                "only before right",
                "only this right",
                "McNemar's p",
                *(head for measure in TESTED for head in (f"Δ {_NAMES[measure]}", "p")),
            )
        ]
        for m, found in zip(self.measured[1:], self.comparisons, strict=True):
            test = found.mcnemar_binary
            moved = [
                (f"{r.difference:+.3f}", p_cell(r.p)) for r in (found.randomisation[measure] for measure in TESTED)
            ]
            p = f"{p_cell(test.p_quoted)}{', exact' if test.small else ''}"
            rows.append((m.pipeline, test.c, test.b, p, *(cell for pair in moved for cell in pair)))
        return rows

    def labels(self) -> Rows:
        """A row for each label and pipeline, words and exact entities.

        covered: gold words in a span of any label. too long, too short: share of the spans that are by a word or more.
        """
        rows: Rows = [
            ("label, pipeline", "gold words", "precision", "recall", "F1", "F2", "F2, 95 %", "covered", *_ENTITY_HEADS)
        ]
        labels = sorted({label for m in self.measured for label in m.evaluation.tokens.by_label})
        for label in labels:
            for m in self.measured:
                rows.append(_label_row(f"{label}, {m.pipeline}", m, label))
        return rows

    def types(self) -> Rows:
        """A row for each type and pipeline: shares of gold words, and in the last column of entities."""
        rows: Rows = [
            ("type, pipeline", "gold words", "covered", "right label", "right type", "entities", "exact, right label")
        ]
        by_pipeline = [{scores.type: scores for scores in m.types.scores()} for m in self.measured]
        for kind in PhiType:
            for m, of_type in zip(self.measured, by_pipeline, strict=True):
                if (found := of_type.get(kind)) and found.words:
                    shares = [n / found.words for n in (found.covered, found.right_label, found.right_type)]
                    exact = found.exact_label / found.entities
                    rows.append((f"{kind}, {m.pipeline}", found.words, *shares, found.entities, exact))
        return rows

    def text(self, *, by_label: bool) -> str:
        """For the terminal."""
        return "\n\n".join((f"{self.of.name}: {self.of.description}", *map(table, self._tables(by_label))))

    def markdown(self, *, by_label: bool) -> str:
        """A section of a Markdown document."""
        tables = map(markdown_table, self._tables(by_label))
        return "\n\n".join((f"## {self.of.name}", f"{self.of.description}.", *tables))

    def _tables(self, by_label: bool) -> list[Rows]:
        tables = [self.scores(), self.coverage()]
        if len(self.measured) > 1:
            tables.append(self.tests())
        if by_label:
            tables.append(self.labels())
            if self.of.typed:
                tables.append(self.types())
        return tables

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "set": self.of.name,
            "description": self.of.description,
            "role": self.of.role,
            "notes": len(self.of.notes),
            "pipelines": [
                pipeline_figures(m, typed=self.of.typed, whole=self.of.labels is None) for m in self.measured
            ],
            "tests": [
                comparison_figures(before.pipeline, after.pipeline, found)
                for (before, after), found in zip(pairwise(self.measured), self.comparisons, strict=True)
            ],
        }


def _score_row(name: str, evaluation: Evaluation, level: Level) -> tuple[object, ...]:
    scores = Scores.of(evaluation.counts(level).sum(0))
    ranges = (_range(evaluation.interval(level, statistic)) for statistic in STATISTICS)
    return (name, *score_cells(scores), *ranges)


_ENTITY_HEADS = ("entities", "entity precision", "entity recall", "entity F1", "too long", "too short")


def _label_row(name: str, m: Measured, label: str) -> tuple[object, ...]:
    evaluation, edges = m.evaluation, m.edges.by_label.get(label, EdgeCounts())
    words = Scores.of(evaluation.counts(Level.WORD, label).sum(0))
    entities = Scores.of(evaluation.counts(Level.EXACT, label).sum(0))
    f2 = _range(evaluation.interval(Level.WORD, "f2", label))
    spans = max(edges.spans, 1)
    found = (
        *(entities.gold, entities.precision, entities.recall, entities.f(1)),
        *(edges.long / spans, edges.short / spans),
    )
    return (name, *score_cells(words), f2, covered_words(evaluation, label).share, *found)


def _of_1000(found: LeakShare) -> str:
    return f"{1000 * found.share:.1f}"


def _range(found: Interval) -> str:
    return f"{found.low:.3f} to {found.high:.3f}"
