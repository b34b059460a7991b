"""The figures that `deid compare` writes as JSON, and those of them that the scores do not have by themselves."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from deid_core.lab.evaluate import Comparison, Evaluation, Level
from deid_core.lab.evaluate.bootstrap import Interval, interval
from deid_core.lab.evaluate.leaks import LEAKED_NAMES, NAMES_IN_ALL, LeakShare
from deid_core.lab.evaluate.pipeline_scores import Measured
from deid_core.lab.evaluate.scores import Counts, Scored, Scores
from deid_core.lab.evaluate.token_scores import OUTSIDE

LEVELS = {Level.WORD: "words", Level.TOKEN: "tokens", Level.EXACT: "entities"}
"""What is reported, by its name in tables and JSON."""


def covered_interval(evaluation: Evaluation) -> Interval:
    """The share of distinct names a note that are legible in no mark of a person, 1 where there are none."""
    return interval(evaluation.leaks.counts, _covered)


def _covered(counts: Counts) -> Scored:
    leaked, names = counts[..., LEAKED_NAMES], counts[..., NAMES_IN_ALL]
    return np.asarray(1.0 - leaked / np.maximum(names, 1), np.float64)


def covered_words(evaluation: Evaluation, label: str) -> LeakShare:
    """Gold words of a label that a span of any label covers."""
    words = evaluation.tokens.words
    if label not in words.labels:
        return LeakShare(0, 0)
    row = words.table[words.labels.index(label)]
    return LeakShare(int(row.sum() - row[words.labels.index(OUTSIDE)]), int(row.sum()))


def pipeline_figures(m: Measured, *, typed: bool, whole: bool) -> dict[str, Any]:
    """All figures of a pipeline on a set; typed: with those of types and patients; whole: all labels are marked."""
    f2 = m.evaluation.interval(Level.WORD, "f2")
    covered = covered_interval(m.evaluation)
    names, others = m.evaluation.leaks.names(), m.evaluation.wrongly_removed()
    figures = {
        "name": m.pipeline,
        "fingerprint": m.fingerprint,
        "words": _level_json(m.evaluation, Level.WORD),
        "tokens": _level_json(m.evaluation, Level.TOKEN),
        "entities": _level_json(m.evaluation, Level.EXACT),
        "without_salute_and_title": {LEVELS[level]: _level_json(m.without_forms, level) for level in LEVELS},
        "f2_interval": {"low": f2.low, "high": f2.high, "confidence": f2.confidence, "resamples": f2.resamples},
        "names": {
            "legible": names.count,
            "total": names.total,
            "covered": covered.value,
            "low": covered.low,
            "high": covered.high,
        },
        "labels": _labels_json(m.evaluation),
        "edges": {label: asdict(counts) for label, counts in sorted(m.edges.by_label.items())},
        "tokens_per_s_cold": m.tokens_per_s,
    }
    if whole:
        figures["other_words"] = {"removed": others.count, "total": others.total}
        empty = m.empty_lines.removed
        figures["words_of_lines_with_nothing_to_find"] = {"removed": empty.count, "total": empty.total}
    if typed:
        figures["types"] = {scores.type: asdict(scores) for scores in m.types.scores()}
        figures["patients"] = {
            "names": m.patients.leaked.total,
            "leaked": m.patients.leaked.count,
            "leaked_per_letter": m.patients.per_letter,
            "letters_with_leak": m.patients.letters.count,
            "letters_with_full_name": m.patients.full_names.count,
        }
    return figures


def _labels_json(evaluation: Evaluation) -> dict[str, Any]:
    return {
        label: {
            "words": _level_json(evaluation, Level.WORD, label),
            "entities": _level_json(evaluation, Level.EXACT, label),
            "covered": covered_words(evaluation, label).share,
        }
        for label in evaluation.tokens.by_label
    }


def _level_json(evaluation: Evaluation, level: Level, label: str | None = None) -> dict[str, Any]:
    return Scores.of(evaluation.counts(level, label).sum(0)).to_json()


def comparison_figures(before: str, after: str, found: Comparison) -> dict[str, Any]:
    """What tells two pipelines on a set apart; differences are after - before."""
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
