"""`deid evaluate`: token scores of predicted against gold spans, and of a second prediction beside it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from deid_core.cli.tables import score_rows, table
from deid_core.errors import ConfigurationError, ExitCode
from deid_core.evaluate.significance import mcnemar
from deid_core.evaluate.spans_file import SpanRow, read_spans
from deid_core.evaluate.token_scores import TokenEvaluation, mcnemar_counts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.add_argument("--gold", type=Path, required=True, help="JSON lines with the gold spans")
    parser.add_argument("--predicted", type=Path, required=True, help="JSON lines of `deid annotate`")
    parser.add_argument("--against", type=Path, help="a second prediction, compared with the first by McNemar's test")
    parser.add_argument("--without-header", action="store_true", help="leave out what stands before the salutation")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")


def run(args: argparse.Namespace) -> int:
    """Prints the scores."""
    gold = read_spans(args.gold)
    first, right = _evaluate(gold, args.predicted, with_header=not args.without_header)
    report = {"predicted": _summary(first)}
    if args.against:
        second, right_second = _evaluate(gold, args.against, with_header=not args.without_header)
        b, c = mcnemar_counts(right, right_second)
        chi2, p = mcnemar(b, c)
        report["against"] = _summary(second)
        report["mcnemar"] = {"only_predicted_right": b, "only_against_right": c, "chi2": chi2, "p": p}
    if args.json:
        print(json.dumps(report, indent=2))
        return ExitCode.DONE
    print(f"{first.notes} notes, per token{', without header' if args.without_header else ''}")
    print(table(score_rows(first)))
    if args.against:
        print(f"\n{args.against.name}")
        print(table(score_rows(second)))
        print(f"\nMcNemar: {b} tokens right only in {args.predicted.name}, {c} only in {args.against.name}, "
              f"chi² {chi2:.2f}, p {p:.4f}")  # fmt: skip
    return ExitCode.DONE


def _evaluate(gold: dict[str, SpanRow], path: Path, *, with_header: bool) -> tuple[TokenEvaluation, list[bool]]:
    predicted = read_spans(path)
    # Ids are file names elsewhere, and file names hold names: count notes, do not quote them.
    missing = len(gold.keys() - predicted.keys())
    others = sum(gold[i].text != predicted[i].text for i in gold.keys() & predicted.keys())
    problems = [f"{path}: {missing} notes of the gold file are missing"] if missing else []
    if others:
        problems.append(f"{path}: {others} notes have another text than in the gold file; offsets cannot be compared")
    if problems:
        raise ConfigurationError(problems)
    evaluation = TokenEvaluation(with_header=with_header)
    right: list[bool] = []
    for note_id, row in gold.items():
        right += evaluation.add(row.text, row.spans, predicted[note_id].spans)
    return evaluation, right


def _summary(evaluation: TokenEvaluation) -> dict[str, object]:
    return {
        "notes": evaluation.notes,
        "scores": {
            name: {
                "precision": s.precision,
                "recall": s.recall,
                "f1": s.f(1),
                "f2": s.f(2),
                "gold": s.true_positive + s.false_negative,
            }
            for name, s in {"PHI": evaluation.binary, **evaluation.by_label}.items()
        },
        "confusion": {f"{g}>{p}": n for (g, p), n in sorted(evaluation.confusion.items())},
    }
