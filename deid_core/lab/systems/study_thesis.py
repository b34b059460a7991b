"""Seed 000's Figures 5 and 6 with its three steps as pipelines: `deid train study figures`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deid_core.core.text_tables import Rows
from deid_core.lab.evaluate import Evaluation, Level
from deid_core.lab.evaluate.charts import bar_chart, write_chart
from deid_core.lab.evaluate.evaluation_sets import letters_set
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec

Title = str
_SET = "letters-dev"
_STEPS = ("baseline", "variants", "full")
_STATISTICS = ("precision", "recall", "F2")
_PAPER_F2 = {"baseline": "0.78", "variants": "0.83", "full": "0.85"}
"""Table 13."""
_PAPER_LABEL_F2 = {
    "DATE": ("0.94", "0.94"), "LOC": ("0.56", "0.57"), "PER": ("0.41", "0.66"), "PHONE": ("0.73", "0.73"),
    "PLZ": ("0.97", "0.97"), "SALUTE": ("0.98", "0.98"), "TITLE": ("0.97", "0.97"),
}  # fmt: skip
"""Table 16: of the baseline and of the full model."""


def figures(folder: Path) -> Iterator[tuple[Title, Rows]]:
    """Yield the figures as tables; write their charts to the folder."""
    of = letters_set(_SET)
    found = {}
    for name in _STEPS:
        engine, found[name] = Engine(engine_spec(name)), Evaluation()
        for note, gold in zip(of.notes, of.gold, strict=True):
            found[name].add(note.text, gold, engine.annotate(note))
    scores = {name: _scores(evaluation) for name, evaluation in found.items()}
    title = f"Figure 5: tokens, PHI or not, {_SET}"
    rows: Rows = [("pipeline", *_STATISTICS, "paper: F2")]
    rows += ((name, *(f"{value:.3f}" for value in of_step), _PAPER_F2[name]) for name, of_step in scores.items())
    groups = {name: [of_step[at] for of_step in scores.values()] for at, name in enumerate(_STATISTICS)}
    write_chart(folder / "thesis-figure-5.svg", bar_chart(title, _STEPS, {"": groups}))
    yield f"{title} (seed 000)", rows

    ends = (_STEPS[0], _STEPS[-1])
    by_label = {label: [_scores(found[name], label) for name in ends] for label in _PAPER_LABEL_F2}
    title = f"Figure 6: tokens by label, {_SET}"
    heads = [f"{name}: {_STATISTICS[0]}" for name in ends]
    rows = [("label", heads[0], *_STATISTICS[1:], heads[1], *_STATISTICS[1:], "paper: F2 of both")]
    for label, (first, last) in by_label.items():
        cells = [f"{value:.3f}" for value in (*first, *last)]
        rows.append((label, *cells, " and ".join(_PAPER_LABEL_F2[label])))
    panels = {
        name: {label: [of_end[at] for of_end in both] for label, both in by_label.items()}
        for at, name in enumerate(_STATISTICS)
    }
    write_chart(folder / "thesis-figure-6.svg", bar_chart(title, ends, panels))
    yield f"{title} (seed 000)", rows


def _scores(evaluation: Evaluation, label: str | None = None) -> list[float]:
    return [evaluation.score(Level.TOKEN, statistic.lower(), label) for statistic in _STATISTICS]
