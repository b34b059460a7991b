"""Evaluations and comparisons as JSON objects: what `deid evaluate --json` prints. Counts and scores only, no text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from deid_core.lab.evaluate.agreement import alpha, kappa, kappa_by_label, pairwise_f1
from deid_core.lab.evaluate.bootstrap import RESAMPLES, Interval
from deid_core.lab.evaluate.comparison import Comparison
from deid_core.lab.evaluate.evaluation import Evaluation, Level
from deid_core.lab.evaluate.leaks import LeakEvaluation, LeakShare
from deid_core.lab.evaluate.optional_dependency import missing_libraries
from deid_core.lab.evaluate.scores import STATISTICS, LabelledRange
from deid_core.lab.evaluate.significance import McNemar, TwoProportions

Json = dict[str, Any]

CONFIDENCE = 0.95


def summary(evaluation: Evaluation, *, resamples: int = RESAMPLES) -> Json:
    """All scores of a system; without the extra 'evaluate' the upper bounds of leaks are null.

    resamples: of the bootstrap; without notes there are no intervals.
    """
    tokens = evaluation.tokens
    return {
        "notes": evaluation.notes,
        "tokens": tokens.tokens,
        "scores": {name: s.to_json() for name, s in {"PHI": tokens.binary, **tokens.by_label}.items()},
        "confusion": {f"{g}>{f}": n for (g, f), n in sorted(tokens.confusion.items())},
        "kappa": {"binary": tokens.kappa_binary, "by_label": tokens.kappa_by_label},
        "entities": {
            str(match): {
                "micro": entities.micro.to_json(),
                "macro": dict(entities.macro),
                "by_label": {label: scores.to_json() for label, scores in entities.by_label.items()},
            }
            for match, entities in evaluation.entities.items()
        },
        "leaks": {"names": _leaks(evaluation.leaks), "all_labels": _leaks(evaluation.all_leaks)},
        "intervals": _intervals(evaluation, resamples) if evaluation.notes else {},
    }


def comparison_summary(comparison: Comparison) -> Json:
    """Both McNemar tests, z-tests and, per level and statistic, difference, interval and p of randomisation.

    Without the extra 'evaluate' z and p of z-tests are null, and so is McNemar's exact p unless the counts are small.
    """
    z_tests: dict[str, Json] = {}
    for (tokens, statistic), proportions in comparison.proportions.items():
        z_tests.setdefault(tokens, {"words": proportions.n1})[statistic] = _z_test(proportions)
    differences: dict[str, Json] = {str(level): {} for level in Level}
    for (level, statistic), outcome in comparison.randomisation.items():
        differences[level][statistic] = {
            **_interval(comparison.differences[level, statistic]),
            "p": outcome.p,
            "rounds": outcome.rounds,
        }
    return {
        "mcnemar": _mcnemar(comparison.mcnemar_binary),
        "mcnemar_by_label": _mcnemar(comparison.mcnemar_by_label),
        "z_tests": z_tests,
        "differences": {level: scores for level, scores in differences.items() if scores},
    }


def agreement_summary(
    evaluations: Mapping[str, Evaluation], annotators: Mapping[str, Sequence[Sequence[LabelledRange]]]
) -> Json:
    """Agreement of annotators: kappa of each two, of each label, alpha and pairwise F1 of all.

    annotators: the spans of each by note; evaluations: of every annotator but the first, who is their gold, over the
    same notes in the same order. Raises ConfigurationError without the extra.
    """
    first, *_ = annotators
    labels = {first: next(iter(evaluations.values())).tokens.gold_labels}
    labels |= {name: evaluation.tokens.found_labels for name, evaluation in evaluations.items()}
    f1 = pairwise_f1(list(annotators.values()))
    return {
        "kappa": {f"{a}, {b}": kappa(labels[a], labels[b]) for a, b in combinations(labels, 2)},
        "kappa_by_label": kappa_by_label(list(labels.values())),
        "alpha": alpha(list(labels.values())),
        "f1": {"micro": f1.micro, "by_label": dict(f1.by_label)},
    }


def _leaks(leaks: LeakEvaluation) -> Json:
    return {"names": _share(leaks.names()), "notes": _share(leaks.notes())}


def _share(share: LeakShare) -> Json:
    return {
        "leaked": share.count,
        "total": share.total,
        "share": share.share,
        "upper": None if "scipy" in missing_libraries() else share.upper(CONFIDENCE),
        "confidence": CONFIDENCE,
    }


def _intervals(evaluation: Evaluation, resamples: int) -> Json:
    return {
        str(level): {
            statistic: _interval(evaluation.interval(level, statistic, confidence=CONFIDENCE, resamples=resamples))
            for statistic in STATISTICS
        }
        for level in Level
    }


def _interval(interval: Interval) -> Json:
    return {"value": interval.value, "low": interval.low, "high": interval.high, "confidence": interval.confidence}


def _mcnemar(test: McNemar) -> Json:
    return {
        "only_predicted_right": test.b,
        "only_against_right": test.c,
        "chi2": test.chi2,
        "p": test.p,
        "chi2_uncorrected": test.chi2_uncorrected,
        "p_uncorrected": test.p_uncorrected,
        "p_exact": test.p_exact if test.small or "scipy" not in missing_libraries() else None,
        "p_quoted": test.p_quoted,
        "small": test.small,
    }


def _z_test(proportions: TwoProportions) -> Json:
    outcome = None if "statsmodels" in missing_libraries() else proportions.test()
    return {
        "predicted": proportions.p1,
        "against": proportions.p2,
        "z": outcome and outcome.z,
        "p": outcome and outcome.p,
    }
