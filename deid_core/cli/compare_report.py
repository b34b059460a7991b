"""What `deid compare` says of one development set: tables for the terminal and for Markdown, and an object for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from deid_core.cli.tables import score_cells, table
from deid_core.evaluate import Comparison, Level, compare
from deid_core.evaluate.comparison import Measure
from deid_core.evaluate.development import DevelopmentSet, Measured
from deid_core.evaluate.entity_scores import Match
from deid_core.evaluate.scores import Scores

TESTED: tuple[Measure, ...] = ((Level.TOKEN, "f2"), (Level.TOKEN, "recall"), (Level.EXACT, "f1"))
"""What approximate randomisation is made for."""
_NAMES = {
    (Level.TOKEN, "f2"): "F2",
    (Level.TOKEN, "recall"): "recall",
    (Level.EXACT, "f1"): "entity F1",
}

Rows = list[tuple[object, ...]]


@dataclass(frozen=True)
class SetReport:
    """The pipelines on one set, in the order they were asked for."""

    of: DevelopmentSet
    measured: Sequence[Measured]

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Each pipeline against the one before it; differences are later - earlier."""
        return [compare(after.evaluation, before.evaluation, TESTED) for before, after in pairwise(self.measured)]

    def scores(self) -> Rows:
        """A row a pipeline."""
        rows: Rows = [
            (
                "pipeline",
                "gold",
                "precision",
                "recall",
                "F1",
                "F2",
                "F2, 95 %",
                "entity F1",
                "names covered",
                "tokens/s, cold",
            )
        ]
        for m in self.measured:
            f2 = m.evaluation.interval(Level.TOKEN, "f2")
            rows.append(
                (
                    m.pipeline,
                    *score_cells(m.evaluation.tokens.binary),
                    f"{f2.low:.3f} to {f2.high:.3f}",
                    m.evaluation.score(Level.EXACT, "f1"),
                    covered_names(m),
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
            moved = [(f"{r.difference:+.3f}", _p(r.p)) for r in (found.randomisation[measure] for measure in TESTED)]
            p = f"{_p(test.p_quoted)}{', exact' if test.small else ''}"
            rows.append((m.pipeline, test.c, test.b, p, *(cell for pair in moved for cell in pair)))
        return rows

    def classes(self) -> Rows:
        """A row for each class and pipeline; entity F1 is of exact spans."""
        rows: Rows = [("class, pipeline", "gold", "precision", "recall", "F1", "F2", "entity F1")]
        labels = sorted({label for m in self.measured for label in m.evaluation.tokens.by_label})
        for label in labels:
            for m in self.measured:
                scores = m.evaluation.tokens.by_label.get(label, Scores(0, 0, 0))
                rows.append(
                    (f"{label}, {m.pipeline}", *score_cells(scores), m.evaluation.score(Level.EXACT, "f1", label))
                )
        return rows

    def text(self, *, by_class: bool) -> str:
        """For the terminal."""
        parts = [f"{self.of.name}: {self.of.description}", table(self.scores())]
        if len(self.measured) > 1:
            parts.append(table(self.tests()))
        if by_class:
            parts.append(table(self.classes()))
        return "\n\n".join(parts)

    def markdown(self, *, by_class: bool) -> str:
        """A section of a Markdown document."""
        parts = [f"## {self.of.name}", f"{self.of.description}.", _markdown(self.scores())]
        if len(self.measured) > 1:
            parts.append(_markdown(self.tests()))
        if by_class:
            parts.append(_markdown(self.classes()))
        return "\n\n".join(parts)

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "set": self.of.name,
            "description": self.of.description,
            "notes": len(self.of.notes),
            "pipelines": [_pipeline_json(m) for m in self.measured],
            "tests": [
                _test_json(before.pipeline, after.pipeline, found)
                for (before, after), found in zip(pairwise(self.measured), self.comparisons, strict=True)
            ],
        }


def covered_names(measured: Measured) -> float:
    """The share of distinct names a note that no occurrence leaves legible; 1 where there are none."""
    return 1.0 - measured.evaluation.leaks.names().share


def _pipeline_json(m: Measured) -> dict[str, Any]:
    f2 = m.evaluation.interval(Level.TOKEN, "f2")
    entities = m.evaluation.entities[Match.EXACT]
    return {
        "name": m.pipeline,
        "fingerprint": m.fingerprint,
        "tokens": _scores_json(m.evaluation.tokens.binary),
        "f2_interval": {"low": f2.low, "high": f2.high, "confidence": f2.confidence, "resamples": f2.resamples},
        "entities": _scores_json(entities.micro),
        "names": {"legible": m.evaluation.leaks.names().count, "total": m.evaluation.leaks.names().total},
        "classes": {label: _scores_json(scores) for label, scores in m.evaluation.tokens.by_label.items()},
        "entity_classes": {label: _scores_json(scores) for label, scores in entities.by_label.items()},
        "tokens_per_s_cold": m.tokens_per_s,
    }


def _test_json(before: str, after: str, found: Comparison) -> dict[str, Any]:
    test = found.mcnemar_binary
    return {
        "before": before,
        "after": after,
        "mcnemar": {
            "only_before_right": test.c,
            "only_after_right": test.b,
            "chi2": test.chi2,
            "p": test.p_quoted,
            "exact": test.small,
        },
        "randomisation": {
            f"{level}.{name}": {"difference": r.difference, "p": r.p, "rounds": r.rounds}
            for (level, name), r in found.randomisation.items()
        },
        "difference_intervals": {
            f"{level}.{name}": {"low": i.low, "high": i.high, "confidence": i.confidence}
            for (level, name), i in found.differences.items()
        },
    }


def _scores_json(scores: Scores) -> dict[str, Any]:
    return {
        "gold": scores.gold,
        "found": scores.found,
        "precision": scores.precision,
        "recall": scores.recall,
        "f1": scores.f(1),
        "f2": scores.f(2),
    }


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _markdown(rows: Rows) -> str:
    head, *body = [[_cell(value) for value in row] for row in rows]
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *body))


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
