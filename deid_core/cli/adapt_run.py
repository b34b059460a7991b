"""`deid adapt`: trains the stacking model and the subtypes further with a hospital's own marked letters.

Prints what that gives on letters that were not learned from, and writes models and a pipeline only if they are better
than what is shipped. Text of letters is not printed, but the written models hold words of them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from deid_core.cli.adapt_tables import trial_tables, usage
from deid_core.cli.format_arguments import marked_format
from deid_core.core.errors import ConfigurationError, ExitCode, quoted
from deid_core.core.files import protect_process
from deid_core.crf.model_folder import CrfModel
from deid_core.lab.corpora.marked_letters import MarkedLetter, format_problems, read_marked_letters
from deid_core.lab.evaluate.evaluation_sets import is_of_test_set
from deid_core.lab.training.adaptation import AdaptationExamples
from deid_core.lab.training.adaptation_trial import FEWEST, adaptation_trial, letter_folds, with_factor
from deid_core.lab.training.adapted_folder import check_folder, write_adapted
from deid_core.lab.training.adapted_subtypes import adapt_subtypes
from deid_core.pipeline.loading import engine_spec
from deid_core.pipeline.settings_file import load_settings


def run(args: argparse.Namespace) -> int:
    """Print the tables; exit code 65 if nothing is better than the pipeline as it is, and so nothing is written."""
    letters = _letters(args)
    if args.output:
        check_folder(args.output)
    protect_process()
    spec = engine_spec(args.pipeline, args.settings)
    examples = AdaptationExamples(spec, letters)
    scheme = marked_format(args).scheme
    trial = adaptation_trial(spec, letters, examples, scheme=scheme, progress=_tell)
    before, best = spec.pipeline.stacking, trial.best
    assert before is not None and spec.stacking is not None  # noqa: S101 - AdaptationExamples refuses other pipelines
    model: CrfModel | None = None
    adapted = spec
    if best is not None:
        adapted = with_factor(spec, best.factor)
        if best is trial.adapted:
            _tell("the model of all letters")
            weights = examples.whole(examples.adapted(range(len(letters))))
            model = spec.stacking.with_weights(weights, is_kept=False)
    _tell("subtypes")
    subtypes = adapt_subtypes(adapted, letters, letter_folds(range(len(letters))))
    report = trial_tables(spec.pipeline.name, len(letters), trial, subtypes)
    print(report)
    is_typed = subtypes is not None and subtypes.is_better
    if best is None and not is_typed:
        print("\nNothing is better than the pipeline as it is by more than chance. Nothing is written.")
        return ExitCode.QUARANTINE
    if args.output is None:
        print("\nNothing is written without --output.")
        return ExitCode.DONE
    after = adapted.pipeline.stacking
    assert after is not None  # noqa: S101 - as above
    text = f"# Adapted to {len(letters)} letters\n\n```\n{report}\n```\n\n{usage(args.output)}\n"
    typed = subtypes.model if subtypes is not None and is_typed else None
    pipeline = write_adapted(args.output, _extends(args), before, after, model, typed, text)
    print(f"\nWritten to {args.output}. Use it with --pipeline {quoted(pipeline)}, or for good with")
    print(f"`pipeline: {pipeline}` in a settings file of your own (--settings).")
    print("The models hold words of the letters: keep the folder as the letters themselves.")
    return ExitCode.DONE


def _letters(args: argparse.Namespace) -> list[MarkedLetter]:
    """Return the marked letters. Raises ConfigurationError if they cannot be read, are too few, or test letters."""
    if not args.letters.exists():
        raise ConfigurationError(f"{args.letters}: there is no such file or folder")
    of = marked_format(args)
    problems = format_problems([args.letters], of)
    if is_of_test_set(args.letters):
        problems.append(f"{args.letters}: holds test letters, which nothing is trained on")
    if problems:
        raise ConfigurationError(problems)
    letters = read_marked_letters(args.letters, of)
    if len(letters) < FEWEST:
        raise ConfigurationError(
            f"{args.letters}: {len(letters)} letters are too few to learn from and measure with; mark at least {FEWEST}"
        )
    if not any(letter.marks for letter in letters):
        raise ConfigurationError(f"{args.letters}: nothing is marked in these letters")
    return letters


def _extends(args: argparse.Namespace) -> str:
    name = args.pipeline or load_settings(args.settings).pipeline
    return str(Path(name).absolute()) if name.endswith((".yaml", ".yml")) else name


def _tell(line: str) -> None:
    """Say what comes next: the whole takes minutes."""
    print(f"deid adapt: {line}", file=sys.stderr, flush=True)
