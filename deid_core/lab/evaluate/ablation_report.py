"""What `deid compare --ablation` says: a pipeline on one set without each of its parts, and what that changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deid_core.core.tables import Rows, markdown_table, table
from deid_core.lab.evaluate import Level, compare
from deid_core.lab.evaluate.comparison import Measure
from deid_core.lab.evaluate.evaluation_sets import EvaluationSet
from deid_core.lab.evaluate.pipeline_scores import Measured
from deid_core.lab.evaluate.score_cells import p_cell

_CAVEAT = "; the stacking model is not trained again, so a change includes that mismatch"
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

    def rows(self) -> Rows:
        """The whole, then for each part what leaving it out changes, the stacking model as it is: below 0 it is relied
        on.

        p is that of F2; words that only one of the two decides rightly show what cancels out in a score.
        """
        rows: Rows = [("left out", *_COLUMNS.values(), "names covered", "p of F2", "tokens gained", "tokens lost")]
        whole = self.whole.evaluation
        rows.append(("nothing", *(whole.score(*measure) for measure in _COLUMNS), _covered(self.whole), "", "", ""))
        for part, measured in self.without.items():
            found = compare(measured.evaluation, whole, [(Level.WORD, "f2")])
            changes = [measured.evaluation.score(*m) - whole.score(*m) for m in _COLUMNS]
            changes.append(_covered(measured) - _covered(self.whole))
            rows.append(
                (
                    part,
                    *(f"{change:+.3f}" for change in changes),
                    p_cell(found.randomisation[Level.WORD, "f2"].p),
                    found.mcnemar_binary.b,
                    found.mcnemar_binary.c,
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
        return f"{self.whole.pipeline} on {self.of.name}: each part left out, words and entities, change{_CAVEAT}"


def _covered(measured: Measured) -> float:
    return 1.0 - measured.evaluation.leaks.names().share


def _json(measured: Measured) -> dict[str, float]:
    scores = {f"{level}.{name}": measured.evaluation.score(level, name) for level, name in _COLUMNS}
    return {**scores, "names_covered": _covered(measured)}
