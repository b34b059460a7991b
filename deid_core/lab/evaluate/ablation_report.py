"""What `deid compare --ablation` says: a pipeline on one set without each of its parts, and what that changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deid_core.core.text_tables import Rows, markdown_table, table
from deid_core.lab.evaluate import Evaluation, Level, compare
from deid_core.lab.evaluate.ablation import code_size
from deid_core.lab.evaluate.comparison import Measure
from deid_core.lab.evaluate.evaluation_sets import EvaluationSet
from deid_core.lab.evaluate.pipeline_scores import Measured
from deid_core.lab.evaluate.score_cells import p_cell
from deid_core.lab.evaluate.scores import FN, TP

_CAVEAT = "; the stacking model is not trained again, so a change includes that mismatch"
_RETRAINED = "; the stacking model is trained again for each, on few letters"
_COLUMNS: dict[Measure, str] = {
    (Level.WORD, "precision"): "precision",
    (Level.WORD, "recall"): "recall",
    (Level.WORD, "f2"): "F2",
    (Level.EXACT, "f1"): "entity F1",
}


@dataclass(frozen=True)
class AblationReport:
    """A pipeline as it is, and by the name of a part what it is without."""

    of: EvaluationSet
    whole: Measured
    without: Mapping[str, Measured]
    is_retrained: bool = False
    """Whether the stacking model was trained for each of them, the whole too."""

    def rows(self) -> Rows:
        """The whole, then for each part what leaving it out changes: below 0 it is relied on.

        F2, 95 % and p are those of the change of F2; words that only one of the two decides rightly show what cancels
        out in a score. The label is the one that loses most words with their own label. Lines of code and German words
        are those of the part alone.
        """
        rows: Rows = [
            (
                *("left out", *_COLUMNS.values(), "names covered", "others removed, of 1,000", "µs a token, cold"),
                *("F2, 95 %", "p of F2", "tokens gained", "tokens lost", "label that loses most", "lines", "words"),
            )
        ]
        whole = self.whole.evaluation
        scores = [f"{whole.score(*measure):.4f}" for measure in _COLUMNS]
        covered, removed, time = _covered(self.whole), _removed(self.whole), _us(self.whole)
        rows.append(("nothing", *scores, f"{covered:.4f}", f"{removed:.2f}", f"{time:.1f}", *[""] * 7))
        for part, measured in self.without.items():
            found = compare(measured.evaluation, whole, [(Level.WORD, "f2")])
            changes = [measured.evaluation.score(*m) - whole.score(*m) for m in _COLUMNS]
            difference = found.differences[Level.WORD, "f2"]
            size = code_size(part)
            rows.append(
                (
                    part,
                    *(f"{change:+.4f}" for change in (*changes, _covered(measured) - covered)),
                    f"{_removed(measured) - removed:+.2f}",
                    f"{_us(measured) - time:+.1f}",
                    f"{difference.low:+.4f} to {difference.high:+.4f}",
                    p_cell(found.randomisation[Level.WORD, "f2"].p),
                    found.mcnemar_binary.b,
                    found.mcnemar_binary.c,
                    _losing_label(measured.evaluation, whole),
                    size.lines or "",
                    size.words or "",
                )
            )
        return rows

    def text(self) -> str:
        """For the terminal."""
        return f"{self._title}\n\n{table(self.rows())}"

    def markdown(self) -> str:
        """A section of a Markdown document."""
        return f"## {self._title}\n\n{markdown_table(self.rows())}"

    def to_json(self) -> dict[str, Any]:
        """The scores with all parts and without each."""
        return {
            "set": self.of.name,
            "pipeline": self.whole.pipeline,
            "whole": _json(self.whole),
            "without": {part: _json(measured) for part, measured in self.without.items()},
        }

    @property
    def _title(self) -> str:
        caveat = _RETRAINED if self.is_retrained else _CAVEAT
        return f"{self.whole.pipeline} on {self.of.name}: each part left out, words and entities, change{caveat}"


def _covered(measured: Measured) -> float:
    return 1.0 - measured.evaluation.leaks.names().share


def _removed(measured: Measured) -> float:
    return 1000.0 * measured.evaluation.wrongly_removed().share


def _us(measured: Measured) -> float:
    return 1e6 * measured.cpu_s / measured.tokens if measured.tokens else 0.0


def _losing_label(without: Evaluation, whole: Evaluation) -> str:
    """Return the label that loses most words that had it, the change and its gold words; "" if none does."""
    changes = {}
    for label in whole.tokens.by_label:
        before, after = (of.counts(Level.WORD, label).sum(0) for of in (whole, without))
        changes[label] = (int(after[TP] - before[TP]), int(before[TP] + before[FN]))
    label, (change, gold) = min(changes.items(), key=lambda item: item[1], default=("", (0, 0)))
    return f"{label} {change:+d} of {gold}" if change < 0 else ""


def _json(measured: Measured) -> dict[str, float]:
    scores = {f"{level}.{name}": measured.evaluation.score(level, name) for level, name in _COLUMNS}
    return {**scores, "names_covered": _covered(measured)}
