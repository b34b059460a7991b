"""`deid ablation`: pipelines against each other on generated notes, header excluded (seed 000, Tables 13 and 16).

The notes are of the generator's test split, whose names, templates and typo rules no recogniser's training or list
has seen; still they are made, not real: the figures compare pipelines, they do not promise anything for letters.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from statistics import quantiles

from tqdm import tqdm

from deid_core.cli.pipelines import engine_spec
from deid_core.cli.tables import score_cells, table
from deid_core.engine import Engine
from deid_core.errors import ExitCode
from deid_core.evaluate.significance import mcnemar
from deid_core.evaluate.token_scores import TokenEvaluation, mcnemar_counts
from deid_core.synthetic import SyntheticNote, iter_notes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.add_argument("--notes", type=int, default=200, help="how many generated notes (200)")
    parser.add_argument("--seed", type=int, default=2018, help="seed of the generator (2018)")
    parser.add_argument("--split", choices=("train", "test"), default="test", help="the generator's half (test)")
    parser.add_argument("--pipelines", default="baseline,variants,default", help="names, comma between them")
    parser.add_argument("--with-header", action="store_true", help="count the header's tokens too")
    parser.add_argument("--by-class", action="store_true", help="scores of each class as well")


def run(args: argparse.Namespace) -> int:
    """Prints precision, recall, F1 and F2 per token of each pipeline, the spread over notes, and McNemar's test."""
    notes = list(iter_notes(args.notes, seed=args.seed, split=args.split))
    rows: list[tuple[object, ...]] = [
        ("pipeline", "PHI tokens", "precision", "recall", "F1", "F2", "F2 of notes, 10 % to 90 %")
    ]
    classes: list[tuple[object, ...]] = [("pipeline, class", "gold", "precision", "recall", "F1", "F2")]
    tests: list[tuple[object, ...]] = [("against the row above", "only above right", "only this right", "chi²", "p")]
    above: list[bool] | None = None
    for name in args.pipelines.split(","):
        evaluation, right, f2 = _evaluate(Engine(engine_spec(name)), notes, with_header=args.with_header)
        deciles = quantiles(f2, n=10) if len(f2) > 1 else f2 * 2
        rows.append((name, *score_cells(evaluation.binary), f"{deciles[0]:.3f} to {deciles[-1]:.3f}"))
        classes += [(f"{name}, {label}", *score_cells(scores)) for label, scores in evaluation.by_label.items()]
        if above is not None:
            b, c = mcnemar_counts(above, right)
            tests.append((name, b, c, *(f"{value:.4g}" for value in mcnemar(b, c))))
        above = right
    counted = "all tokens" if args.with_header else "header excluded"
    print(f"{args.notes} generated notes, split {args.split}, seed {args.seed}, per token, {counted}\n")
    print(table(rows))
    if len(tests) > 1:
        print("\nMcNemar's test\n" + table(tests))
    if args.by_class:
        print("\n" + table(classes))
    return ExitCode.DONE


def _evaluate(
    engine: Engine, notes: Sequence[SyntheticNote], *, with_header: bool
) -> tuple[TokenEvaluation, list[bool], list[float]]:
    evaluation = TokenEvaluation(with_header=with_header)
    right: list[bool] = []
    f2: list[float] = []
    description = engine.spec.pipeline.name
    for item in tqdm(notes, desc=description, unit=" notes", disable=not sys.stderr.isatty()):
        spans = engine.annotate(item.note)
        right += evaluation.add(item.note.text, item.gold, spans)
        alone = TokenEvaluation(with_header=with_header)
        alone.add(item.note.text, item.gold, spans)
        f2.append(alone.binary.f(2))
    return evaluation, right, f2
