"""`deid evaluate`: predicted against gold spans, per token and entity, leaks and intervals, and a second prediction.

Prints how much stays readable, and with --full all counts and scores. Text of notes goes to the file of --errors and
nowhere else. Of the project's test letters it says only how far two readings agree.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from deid_core.cli.evaluate_answers import answers
from deid_core.cli.evaluate_tables import agreement_section, sections
from deid_core.cli.format_arguments import marked_format
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.core.extras import how_to_install
from deid_core.core.labels import labels_of
from deid_core.lab.corpora import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.marked_letters import format_problems, read_annotated
from deid_core.lab.evaluate import Evaluation, compare
from deid_core.lab.evaluate.error_kinds import ScoredNote, find_errors
from deid_core.lab.evaluate.error_report import SUFFIXES, write_error_report
from deid_core.lab.evaluate.evaluation import body_spans
from deid_core.lab.evaluate.evaluation_sets import is_of_test_set
from deid_core.lab.evaluate.listed_words import ListedWords
from deid_core.lab.evaluate.optional_dependency import missing_libraries
from deid_core.lab.evaluate.summary import agreement_summary, comparison_summary, summary
from deid_core.lexicon.gazetteer import load_gazetteer
from deid_core.pipeline.settings_file import load_settings

_ROLES = ("gold", "predicted", "against")


def run(args: argparse.Namespace) -> int:
    """Prints the scores.

    Raises ConfigurationError if files cannot be read, have labels that do not exist or do not hold the same notes.
    """
    _check(args)
    texts = {"gold": _read(args.gold, args)}
    if not texts["gold"]:
        raise ConfigurationError(f"{args.gold}: there are no notes")
    for role in _ROLES[1:]:
        if path := getattr(args, role):
            texts[role] = _matching(texts["gold"], path, args)
    spans = {role: [_counting(text, args) for text in of_role] for role, of_role in texts.items()}
    systems = {role: _evaluate(texts["gold"], texts[role], args) for role in texts if role != "gold"}
    report: dict[str, Any] = {role: summary(system, resamples=args.resamples) for role, system in systems.items()}
    if args.against:
        comparison = compare(systems["predicted"], systems["against"], rounds=args.rounds, resamples=args.resamples)
        report |= comparison_summary(comparison)
    if args.agreement:
        report["agreement"] = agreement_summary(systems, spans)
    if args.errors:
        notes = [
            ScoredNote(text.id, text.text, gold, found)
            for text, gold, found in zip(texts["gold"], spans["gold"], spans["predicted"], strict=True)
        ]
        known = ListedWords.of(load_gazetteer(load_settings(None).gazetteers))
        write_error_report(args.errors, notes, find_errors(notes, known))
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        names = _names(args, systems)
        told = list(answers(report, names, without_header=args.without_header))
        if args.full:
            told += sections(report, names)
        else:
            if args.agreement:
                told.append(agreement_section(report["agreement"]))
            told.append("--full prints all tables")
        print("\n\n".join(told))
    if missing := missing_libraries():
        extra = f"{how_to_install('evaluate')} ({', '.join(missing)})"
        print(f"bounds and exact tests may be left out: {extra}", file=sys.stderr)
    return ExitCode.DONE


def _check(args: argparse.Namespace) -> None:
    """Raises ConfigurationError for what can be told before anything is read."""
    problems = [f"--{name} must be at least 1" for name in ("resamples", "rounds") if getattr(args, name) < 1]
    if args.errors or args.against or not args.agreement:
        problems += [
            f"{path}: test letters are measured by `deid compare`, which records it; here they can only be compared "
            "with a second reading: --agreement, without --errors and --against"
            for path in (args.gold, args.predicted, args.against)
            if path and is_of_test_set(path)
        ]
    if args.errors and args.errors.suffix not in SUFFIXES:
        problems.append(f"{args.errors}: an error report ends in {' or '.join(SUFFIXES)}")
    if args.errors and not args.errors.absolute().parent.is_dir():
        problems.append(f"{args.errors}: its folder does not exist")
    problems += format_problems([path for role in _ROLES if (path := getattr(args, role))], marked_format(args))
    if problems:
        raise ConfigurationError(problems)


def _names(args: argparse.Namespace, roles: Iterable[str]) -> dict[str, str]:
    """What each file is called in the tables: its name, or its path where two have the same name."""
    paths = {role: getattr(args, role) for role in roles}
    alike = len({path.name for path in paths.values()}) < len(paths)
    return {role: str(path) if alike else path.name for role, path in paths.items()}


def _read(path: Path, args: argparse.Namespace) -> list[AnnotatedText]:
    """The texts of a file or folder, with our labels, without spans that we have no label for."""
    of = marked_format(args)
    labels = labels_of(of.scheme)
    return [
        AnnotatedText(
            text.id,
            text.text,
            tuple(LabelledSpan(s.start, s.end, label) for s in text.spans if (label := labels[s.label])),
        )
        for text in read_annotated(path, of)
    ]


def _matching(gold: Sequence[AnnotatedText], path: Path, args: argparse.Namespace) -> list[AnnotatedText]:
    """The file's notes in the order of the gold file; it may hold more. Raises ConfigurationError if one is missing."""
    found = {text.id: text for text in _read(path, args)}
    # Ids are file names elsewhere, and file names hold names: count notes, do not quote them.
    missing = sum(text.id not in found for text in gold)
    others = sum(text.id in found and found[text.id].text != text.text for text in gold)
    problems = [f"{path}: {missing} notes of the gold file are missing"] if missing else []
    if others:
        problems.append(f"{path}: {others} notes have another text than in the gold file; offsets cannot be compared")
    if problems:
        raise ConfigurationError(problems)
    return [found[text.id] for text in gold]


def _evaluate(gold: Iterable[AnnotatedText], found: Iterable[AnnotatedText], args: argparse.Namespace) -> Evaluation:
    evaluation = Evaluation(with_header=not args.without_header)
    for right, text in zip(gold, found, strict=True):
        evaluation.add(right.text, right.spans, text.spans)
    return evaluation


def _counting(text: AnnotatedText, args: argparse.Namespace) -> Sequence[LabelledSpan]:
    return body_spans(text.text, text.spans) if args.without_header else text.spans
