"""What `deid adapt` prints and writes: before and after, as tables. Counts and scores, no text."""

from __future__ import annotations

from pathlib import Path

from deid_core.core.text_tables import table
from deid_core.lab.evaluate.bootstrap import Interval
from deid_core.lab.evaluate.evaluation import Evaluation, Level
from deid_core.lab.evaluate.pipeline_figures import covered_interval
from deid_core.lab.evaluate.scores import FN, TP
from deid_core.lab.training.adaptation_trial import CONFIDENCE, AdaptationTrial, Candidate
from deid_core.lab.training.adapted_subtypes import SubtypeTrial


def trial_tables(pipeline: str, letters: int, trial: AdaptationTrial, subtypes: SubtypeTrial | None) -> str:
    """Return the tables of a trial."""
    rows: list[tuple[object, ...]] = [
        ("", "precision", "recall", "F2", "entity F1", "names covered"),
        _row(f"{pipeline} as it is", trial.before),
        *(_row(_name(candidate), candidate.evaluation) for candidate in (trial.thresholds, trial.adapted)),
    ]
    parts = [
        f"{letters} letters. Each is read by a model and with thresholds that were chosen without it.",
        f"words; 95 % intervals\n{table(rows)}",
        f"F2 of words, difference from {pipeline}; {CONFIDENCE:.0%} intervals\n"
        + "\n".join(f"  {_name(c)}: {_interval(c.gain, '+')}" for c in (trial.thresholds, trial.adapted)),
        f"words of each label, before, then with {_name(trial.adapted)}\n"
        + _labels(trial.before, trial.adapted.evaluation),
    ]
    if subtypes is not None:
        parts.append(
            f"types (whose name, which date) of {subtypes.spans:,} spans that are right: {subtypes.before:.3f} before, "
            f"{subtypes.after:.3f} after; difference {_interval(subtypes.gain, '+')}"
        )
    if trial.best is not None:
        parts.append(f"Best: {_name(trial.best)}.")
    return "\n\n".join(parts)


def usage(folder: Path) -> str:
    """Return how the written pipeline is used, as Markdown."""
    return f"""## Use it

`deid run --pipeline {folder / "pipeline.yaml"} …`, or for good `pipeline: {folder / "pipeline.yaml"}` in
`conf/settings.yaml`. All notes of a lake are made again then.

The folder may be moved as a whole. On a cluster only the driver reads it.

The models hold words of the letters, names that several letters have among them. Keep the folder as the letters
themselves, and do not hand it on."""


def _name(candidate: Candidate) -> str:
    return f"{candidate.name} (× {candidate.factor:g})"


def _row(name: str, evaluation: Evaluation) -> tuple[object, ...]:
    scores = [evaluation.score(Level.WORD, statistic) for statistic in ("precision", "recall")]
    f2 = evaluation.interval(Level.WORD, "f2")
    return (name, *scores, _interval(f2), evaluation.score(Level.EXACT, "f1"), _interval(covered_interval(evaluation)))


def _interval(of: Interval, sign: str = "") -> str:
    return f"{of.value:{sign}.3f} ({of.low:{sign}.3f} to {of.high:{sign}.3f})"


def _labels(before: Evaluation, after: Evaluation) -> str:
    rows: list[tuple[object, ...]] = [("label", "words", "precision", "then", "recall", "then")]
    for label, scores in before.tokens.by_label.items():
        if scores.gold:
            words = int(before.counts(Level.WORD, label)[:, [TP, FN]].sum())
            found = (e.score(Level.WORD, s, label) for s in ("precision", "recall") for e in (before, after))
            rows.append((label, words, *found))
    return table(rows)
