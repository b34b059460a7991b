"""`deid compare`: pipelines in one table on every evaluation set, each tested against the one before.

Synthetic notes are of the generator's test split, whose names, templates and typo rules no recogniser's training has
seen, and whose errors are never read; annotated letters are train, dev or test letters, as their set says. None
are real: the figures compare pipelines and do not promise anything for letters of patients. The terminal and the report
get figures only; the file of --errors gets text. The test letters are measured only when they are named, and every
time is recorded beside them.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tqdm import tqdm

from deid_core.cli.choices import DEFAULT_SETS, PIPELINES
from deid_core.cli.compare_systems import ALL, Named, all_systems, loaded, named_systems, write_bench
from deid_core.cli.data_argument import DATA_VARIABLE, data_folder
from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.core.extras import how_to_install
from deid_core.core.files import write_text
from deid_core.core.version import __version__
from deid_core.lab.corpora.layout_changes import FORMATS, LAYOUTS
from deid_core.lab.corpora.writing_changes import WRITINGS
from deid_core.lab.evaluate.ablation import needs_training, retrainable_parts, without_each_part, without_part
from deid_core.lab.evaluate.ablation_report import AblationReport
from deid_core.lab.evaluate.error_list import SUFFIXES, Row, error_lines, write_error_list
from deid_core.lab.evaluate.evaluation_sets import (
    AS_WRITTEN,
    CHALLENGE,
    LETTERS,
    MADE,
    NON_MEDICAL,
    TEST_SETS,
    EvaluationSet,
    LetterSplit,
    check_sets,
    evaluation_set,
    non_medical_sets,
    set_writers,
)
from deid_core.lab.evaluate.pipeline_scores import Measured, measure
from deid_core.lab.evaluate.set_report import SetReport
from deid_core.lab.evaluate.significance import SMALL
from deid_core.lab.evaluate.test_set_log import checkout_commit, record_opening
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.loading import engine_spec

_COLD = "cold: an engine learns the words of a set as it goes, so more notes make it faster; `deid bench` warms it up"
_UNREAD = "errors of the generator's test half are never read"
_INTERVALS = "over notes, so they hold for further notes of the same writers, not for other writers"


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be measured, checked as a whole; left_out: sets of the default that are not there.

    retrained: parts of `ablated` without each of which the stacking model is trained again.
    skipped: a line for each system of `all` that cannot be measured here.
    """

    specs: tuple[EngineSpec, ...]
    ablated: EngineSpec | None
    sets: tuple[str, ...]
    left_out: tuple[str, ...]
    retrained: tuple[str, ...] = ()
    systems: tuple[Named, ...] = ()
    skipped: tuple[str, ...] = ()


def run(args: argparse.Namespace) -> int:
    """Prints the tables. Raises ConfigurationError, before anything is measured, for whatever does not exist."""
    plan = _plan(args)
    # Before anything is measured: files may change meanwhile.
    commit = checkout_commit(letters_dir())
    sets = [
        evaluation_set(
            name,
            data_dir=data_folder(args),
            notes=args.notes,
            seed=args.seed,
            split=args.split,
            with_header=args.with_header,
            writers=_listed(args.writers),
            layout=layout,
        )
        for name in plan.sets
        for layout in _listed(args.layouts) or (AS_WRITTEN,)
    ]
    reports = [SetReport(of, _measured(plan.specs, of, plan.systems)) for of in sets]
    for report in reports:
        if report.of.role is LetterSplit.TEST:
            record_opening(letters_dir() / LETTERS[report.of.name], report.measured, commit)
    ablations = _ablations(plan.ablated, plan.retrained, reports) if plan.ablated else []
    notice = f"Not measured, for want of their files (checkout, --data or {DATA_VARIABLE}): {', '.join(plan.left_out)}"
    print(
        "PHI or not, per word (a token that holds a letter or digit) and per token; entities by place and label.\n"
        f"95 %: bootstrap {_INTERVALS}. p: approximate randomisation over notes; McNemar's p is exact where fewer than "
        f"{SMALL} tokens differ.\nCPU time; {_COLD}."
    )
    for part in (*(report.text(by_label=args.by_label) for report in reports), *(a.text() for a in ablations)):
        print("\n" + part)
    for line in (*([notice] if plan.left_out else ()), *plan.skipped):
        print("\n" + line)
    if args.page:
        names = (args.pipelines or args.ablation or PIPELINES).split(",")
        notes = [*plan.skipped, f"95 %: bootstrap {_INTERVALS}."]
        print("\n" + write_bench(reports, names, plan.systems, notes, args.page))
    today = dt.date.today().isoformat()
    if args.json:
        figures = {
            "date": today,
            "version": __version__,
            "sets": [report.to_json() for report in reports],
            "ablations": [ablation.to_json() for ablation in ablations],
            "not_measured": plan.left_out,
        }
        write_text(args.json, json.dumps(figures, indent=2, ensure_ascii=False) + "\n")
    if args.output:
        parts = [_title(today, plan.specs), *(report.markdown(by_label=args.by_label) for report in reports)]
        parts += [ablation.markdown() for ablation in ablations]
        write_text(args.output, "\n\n".join(parts + [f"{notice}."] * bool(plan.left_out)) + "\n")
    if args.errors:
        unread = [name for name in plan.sets if _is_unread(name, args)]
        if unread:
            print(f"\n{args.errors}: without {', '.join(unread)}: {_UNREAD}; use --split train")
        write_error_list(
            args.errors, [row for report in reports if report.of.name not in unread for row in _errors(report)]
        )
    return ExitCode.DONE


def _plan(args: argparse.Namespace) -> _Plan:
    """What the arguments ask for. Raises ConfigurationError with every problem of them at once."""
    problems = [] if args.notes > 0 else ["--notes must be at least 1"]
    names = (args.pipelines or args.ablation or PIPELINES).split(",")
    specs: dict[str, EngineSpec] = {}
    for name in (*names, args.ablation):
        try:
            if name and name not in specs:
                specs[name] = engine_spec(name, args.settings)
        except ConfigurationError as error:
            problems += error.problems
    sets, left_out = _chosen_sets(args, problems)
    problems += [
        f"{name}: is measured without {option}: as a whole, its errors are not looked at, and nothing is chosen by it"
        for name in sets
        for option in ("--errors", "--ablation", "--writers", "--layouts")
        if name in TEST_SETS and getattr(args, option.removeprefix("--")) is not None
    ]
    if args.errors and args.sets is not None:
        problems += [f"{name}: {_UNREAD}; use --split train" for name in sets if _is_unread(name, args)]
    if args.writers is not None:
        problems += _writer_problems(sets, _listed(args.writers))
    if args.layouts is not None:
        problems += _layout_problems(sets, _listed(args.layouts))
    ablated = specs.get(args.ablation or "")
    parts = _retrained_parts(args, ablated, problems)
    if args.errors and args.errors.suffix not in SUFFIXES:
        problems.append(f"{args.errors}: a list of errors ends in {' or '.join(SUFFIXES)}")
    if args.page and args.systems is None:
        problems.append("--page: name the systems with --systems")
    systems = () if args.systems in (None, ALL) else named_systems(_listed(args.systems), problems)
    for file in (args.json, args.output, args.errors, args.page):
        if file and not file.absolute().parent.is_dir():
            problems.append(f"{file}: its folder does not exist")
    if problems:
        raise ConfigurationError(list(dict.fromkeys(problems)))
    skipped: list[str] = []
    if args.systems == ALL:
        # Training comes last: whatever is wrong with the arguments is known.
        systems, skipped = all_systems(data_folder(args))
    return _Plan(tuple(specs[name] for name in names), ablated, sets, left_out, parts, systems, tuple(skipped))


def _retrained_parts(args: argparse.Namespace, ablated: EngineSpec | None, problems: list[str]) -> tuple[str, ...]:
    """Parts to train the stacking model without. Adds to the problems what is wrong with those that were asked for."""
    if args.retrain is None:
        return ()
    if args.ablation is None:
        problems.append("--retrain: name the pipeline with --ablation")
    if ablated is None:
        return ()
    if ablated.pipeline.stacking is None:
        problems.append(f"--retrain: pipeline {args.ablation} has no stacking model")
    known = retrainable_parts(ablated.pipeline)
    parts = tuple(known) if args.retrain == "all" else _listed(args.retrain)
    problems += [f"--retrain: there is no part {p!r}; there are: {', '.join(known)}" for p in parts if p not in known]
    return parts


def _chosen_sets(args: argparse.Namespace, problems: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the sets to measure, and of those that would be by default but whose files are not there.

    Adds to the problems what is wrong with those that were asked for.
    """
    data, of_corpora = data_folder(args), non_medical_sets()
    if args.sets is None:
        default = DEFAULT_SETS if args.systems != ALL else (*DEFAULT_SETS, "letters-dev-varied", *CHALLENGE)
        missing = tuple(
            name
            for name in default
            if (name in NON_MEDICAL and data is None)
            or (name in LETTERS and not (letters_dir() / LETTERS[name]).is_dir())
        )
        return tuple(name for name in default if name not in missing), missing
    names = tuple(args.sets.split(","))
    try:
        check_sets(names)
    except ConfigurationError as error:
        problems += error.problems
    if data is None:
        problems += [
            f"{name}: needs the folder of the corpora: --data or {DATA_VARIABLE}"
            for name in names
            if name in of_corpora
        ]
    return names, ()


def _listed(argument: str | None) -> tuple[str, ...]:
    return () if argument is None else tuple(argument.split(","))


def _layout_problems(sets: Sequence[str], layouts: Sequence[str]) -> list[str]:
    """What is wrong with --layouts: each must exist, and only letters written one by one are laid out."""
    known = (AS_WRITTEN, *LAYOUTS, *WRITINGS, *FORMATS)
    unknown = [name for name in layouts if name not in known]
    problems = [f"--layouts: there is no {name!r}; there are: {', '.join(known)}" for name in unknown]
    problems += [
        f"{name}: only letters written one by one are laid out otherwise; name other sets with --sets"
        for name in sets
        if name not in LETTERS
    ]
    return problems


def _writer_problems(sets: Sequence[str], writers: Sequence[str]) -> list[str]:
    """What is wrong with --writers: each set needs a letter of one of them, and each of them one in some set."""
    chosen = {name: set_writers(name) for name in sets if name in LETTERS and name not in TEST_SETS}
    known = set().union(*chosen.values())
    problems = [
        f"--writers: {w!r} wrote none of the letters; there are: {', '.join(sorted(known))}"
        for w in writers
        if known and w not in known
    ]
    problems += [
        f"{name}: has no letter of --writers; name other sets with --sets"
        for name in sets
        if name not in TEST_SETS and not chosen.get(name, set()) & set(writers)
    ]
    return problems


def _is_unread(name: str, args: argparse.Namespace) -> bool:
    return name in MADE and args.split == "test"


def _measured(specs: Sequence[EngineSpec], of: EvaluationSet, systems: Sequence[Named] = ()) -> list[Measured]:
    """Each set has engines of its own: one that knew a set's words from another set would not be cold."""
    total = (len(specs) + len(systems)) * len(of.notes)
    with tqdm(total=total, desc=of.name, unit=" notes", disable=not sys.stderr.isatty()) as bar:
        return [
            *(measure(Engine(spec), of, bar.update) for spec in specs),
            *(measure(loaded(name, folder), of, bar.update) for name, folder in systems),
        ]


def _ablations(spec: EngineSpec, retrain: Sequence[str], reports: Sequence[SetReport]) -> list[AblationReport]:
    """The pipeline without each part on each set; the whole is measured again only where a report lacks it."""
    whole, left_out = _retrained(spec, retrain) if retrain else (spec, without_each_part(spec))
    found = []
    for report in reports:
        measured = next((m for m in report.measured if m.fingerprint == whole.fingerprint), None)
        measured = measured or _measured([whole], report.of)[0]
        without = dict(zip(left_out, _measured([*left_out.values()], report.of), strict=True))
        found.append(AblationReport(report.of, measured, without, is_retrained=bool(retrain)))
    return found


def _retrained(spec: EngineSpec, parts: Sequence[str]) -> tuple[EngineSpec, dict[str, EngineSpec]]:
    """The spec, and the spec trained with other seeds and without each of the parts, each with a model of its own."""
    try:
        from deid_core.lab.training.retraining import ablation_letters, retrained
        from deid_core.lab.training.settings import load_training
    except ImportError as error:
        raise ConfigurationError(f"training needs the extra 'lab': {how_to_install('lab')} ({error.name})") from None
    settings = load_training()
    letters = ablation_letters(settings)
    whole = retrained(spec, settings, letters)
    left_out = {}
    for seed in settings.ablation.other_seeds:
        other = settings.model_copy(update={"stacking": settings.stacking.model_copy(update={"seed": seed})})
        left_out[f"nothing, seed {seed}"] = retrained(spec, other, letters)
    for part in tqdm(parts, desc="training", unit=" models", disable=not sys.stderr.isatty()):
        left = without_part(spec, part)
        trained = needs_training(part)
        left_out[part] = retrained(left, settings, letters) if trained else replace(left, stacking=whole.stacking)
    return whole, left_out


def _errors(report: SetReport) -> list[Row]:
    return [
        (report.of.name, m.pipeline, line)
        for m in report.measured
        for note, gold, spans in zip(report.of.notes, report.of.gold, m.spans, strict=True)
        for line in error_lines(note.note_id, note.text, gold, spans)
    ]


def _title(today: str, specs: Sequence[EngineSpec]) -> str:
    pipelines = ", ".join(f"`{spec.pipeline.name}` ({spec.fingerprint})" for spec in specs)
    return (
        f"# Pipelines compared, {today}\n\nVersion {__version__}; pipelines with their fingerprints: {pipelines}. "
        "Precision, recall and F per word (a token that holds a letter or digit) and per token, PHI or not; entities "
        "by place and label. Names covered: distinct names of a note that are legible in no mark of a person; full "
        "names readable: letters in which two words of a patient's name can be read in marks of any type, be it in "
        "different places. Text without a mark is searched for neither. Others removed: words that identify "
        "nobody but were removed, of 1,000 such words; how much of a text is PHI does not change it. Intervals: "
        f"bootstrap {_INTERVALS}; p of F2, recall and entity F1: approximate randomisation by note, 9,999 rounds; "
        f"McNemar's p is exact where fewer than {SMALL} tokens differ; tokens per second of CPU time on "
        f"one core; {_COLD}."
    )
