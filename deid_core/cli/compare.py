"""`deid compare`: pipelines in one table on every development set, each tested against the one before.

The made letters are of the generator's test split, whose names, templates and typo rules no recogniser's training has
seen; still they are made, not real: the figures compare pipelines, they do not promise anything for letters. The
command prints figures only, never a note's text.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from deid_core import __version__
from deid_core.cli.compare_report import SetReport
from deid_core.cli.pipelines import engine_spec
from deid_core.engine import Engine, EngineSpec
from deid_core.errors import ConfigurationError, ExitCode
from deid_core.evaluate.development import (
    CHALLENGE,
    NEWS,
    DevelopmentSet,
    check_sets,
    generated_set,
    measure,
    news_set,
    news_sets,
)
from deid_core.evaluate.significance import SMALL
from deid_core.synthetic.lists import SPLITS

DATA_VARIABLE = "DEID_CORPORA_DIR"
_COLD = "cold: an engine learns the words of a set as it goes, so more notes make it faster; `deid bench` warms it up"
_PIPELINES = "baseline,variants,full,default"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.add_argument(
        "--pipelines", default=_PIPELINES, help=f"names or .yaml files, comma between them ({_PIPELINES})"
    )
    parser.add_argument(
        "--sets",
        help=f"development sets, comma between them: generated, {', '.join(CHALLENGE)}, or a corpus of "
        f"conf/corpora.yaml (default: {', '.join((*CHALLENGE, *NEWS))}; the last two need the corpora's folder)",
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help=f"folder that conf/corpora.yaml's files lie in (else {DATA_VARIABLE})"
    )
    parser.add_argument("--notes", type=int, default=100, help="made letters of each set (100)")
    parser.add_argument("--seed", type=int, default=2018, help="seed of the generator (2018)")
    parser.add_argument("--split", choices=SPLITS, default="test", help="the generator's half (test)")
    parser.add_argument("--with-header", action="store_true", help="count what stands before a letter's salutation too")
    parser.add_argument("--by-class", action="store_true", help="scores of each class as well")
    parser.add_argument("--settings", type=Path, help="settings file; else conf/default.yaml")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write a dated report to keep")


def run(args: argparse.Namespace) -> int:
    """Prints the tables. Raises ConfigurationError, before anything is measured, for whatever does not exist."""
    data = args.data or (Path(os.environ[DATA_VARIABLE]) if os.environ.get(DATA_VARIABLE) else None)
    names, left_out = _chosen_sets(args.sets, data)
    specs = _specs(args, names, data)
    news = news_sets()
    sets = [
        news_set(name, data)
        if data is not None and name in news
        else generated_set(name, args.notes, seed=args.seed, split=args.split, with_header=args.with_header)
        for name in names
    ]
    reports = [_measured(specs, of) for of in sets]
    notice = f"Not measured, for want of the corpora's folder (--data or {DATA_VARIABLE}): {', '.join(left_out)}"
    print(
        "Per token PHI or not, entities by place and label, 95 % intervals and randomisation over notes.\n"
        f"McNemar's p is exact where fewer than {SMALL} tokens differ. CPU time; {_COLD}."
    )
    for report in reports:
        print("\n" + report.text(by_class=args.by_class))
    if left_out:
        print("\n" + notice)
    today = dt.date.today().isoformat()
    if args.json:
        rows = {"date": today, "version": __version__, "sets": [r.to_json() for r in reports], "not_measured": left_out}
        _write(args.json, json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
    if args.markdown:
        parts = [_title(today, specs), *(r.markdown(by_class=args.by_class) for r in reports)]
        _write(args.markdown, "\n\n".join(parts + [f"{notice}."] * bool(left_out)) + "\n")
    return ExitCode.DONE


def _chosen_sets(asked: str | None, data: Path | None) -> tuple[list[str], list[str]]:
    """Names of the sets to measure, and of those that would be by default but cannot."""
    if asked is not None:
        return asked.split(","), []
    return ([*CHALLENGE, *NEWS], []) if data else ([*CHALLENGE], [*NEWS])


def _specs(args: argparse.Namespace, sets: Sequence[str], data: Path | None) -> list[EngineSpec]:
    """The pipelines' specs. Raises ConfigurationError with every problem of pipelines, sets and numbers at once."""
    problems = [] if args.notes > 0 else ["--notes must be at least 1"]
    specs = []
    for name in args.pipelines.split(","):
        try:
            specs.append(engine_spec(name, args.settings))
        except ConfigurationError as error:
            problems += error.problems
    try:
        check_sets(sets, data)
    except ConfigurationError as error:
        problems += error.problems
    for file in (args.json, args.markdown):
        if file and not file.absolute().parent.is_dir():
            problems.append(f"{file}: its folder does not exist")
    if problems:
        raise ConfigurationError(list(dict.fromkeys(problems)))
    return specs


def _measured(specs: Sequence[EngineSpec], of: DevelopmentSet) -> SetReport:
    """Each set has engines of its own: one that knew a set's words from another set would not be cold."""
    total = len(specs) * len(of.notes)
    with tqdm(total=total, desc=of.name, unit=" notes", disable=not sys.stderr.isatty()) as bar:
        return SetReport(of, [measure(Engine(spec), of, bar.update) for spec in specs])


def _title(today: str, specs: Sequence[EngineSpec]) -> str:
    pipelines = ", ".join(f"`{spec.pipeline.name}` ({spec.fingerprint})" for spec in specs)
    return (
        f"# Pipelines compared, {today}\n\nVersion {__version__}; pipelines with their fingerprints: {pipelines}. "
        "Precision, recall and F per token, PHI or not; entity F1 by place and label; names covered: distinct names of "
        "a note that stand legible nowhere in it; intervals: bootstrap over notes; p of F2, recall and entity F1: "
        "approximate randomisation by note, 9,999 rounds; McNemar's p is exact where fewer than "
        f"{SMALL} tokens differ; tokens per second of CPU time on one core; {_COLD}."
    )


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written: {error.strerror}") from None
