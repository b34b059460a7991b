"""`deid train`: trains one of the shipped models, or measures how recogniser `crf` depends on its data.

    crf         the model of recogniser `crf`: word knowledge, CRF and model card
    stacking    the stacking model, from annotated letters and partially annotated texts; `--layers`: its layers alone
    subtypes    the subtype model, from the same letters
    search      random search over the elastic net of `crf`; one JSON object a trial
    transfer    `crf` trained on non-medical texts, on synthetic notes and on both; tested on all
    curve       `crf` trained on growing shares of the non-medical texts
    threshold   precision and recall of `crf` at each threshold
    sequences   `crf` with the type sequences and the class prior of seed 000, which it lacks
    system      one of the papers' systems, for comparison; its NAME follows (docs/systems.md)
    study       one of the papers' tables with the texts at hand; its NAME follows (docs/systems.md)
    cards       renders the model cards again from the models' files; trains nothing

Settings are conf/training.yaml. Corpora are those of conf/corpora.yaml, in the folder of --data; `subtypes` and `cards`
need none, of the systems only those that read plain text do. `search`, `transfer`, `curve`, `threshold` and `sequences`
use the word knowledge of the model in the output folder.
Each is a function: of deid_core/lab/training/recipes.py (`search` is `search_regularisation`, `curve` `learning_curve`,
`threshold` `thresholds`, `sequences` `type_sequences`), `system` and `study` of deid_core/lab/systems.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from deid_core.cli.data_argument import DATA_VARIABLE, add_data_argument, data_folder
from deid_core.cli.local_path import local_path
from deid_core.core.data_folders import models_dir
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.core.extras import how_to_install
from deid_core.core.text_tables import markdown_table

if TYPE_CHECKING:
    from deid_core.lab.training.experiments import Trained
    from deid_core.lab.training.owlqn_trainer.owlqn import Progress
    from deid_core.lab.training.settings import TrainingSettings

_COMMANDS = (
    "crf",
    "stacking",
    "subtypes",
    "search",
    "transfer",
    "curve",
    "threshold",
    "sequences",
    "system",
    "study",
    "cards",
)
_SCORES = ("precision", "recall", "F1", "F2")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "what",
        choices=_COMMANDS,
        help="the model to train, or the experiment",
    )
    parser.add_argument("system", nargs="?", metavar="NAME", help="of `system` and `study`: which one")
    add_data_argument(parser)
    parser.add_argument(
        "--layers", action="store_true", help="of `stacking`: train the layers alone, beside the folder's weights"
    )
    parser.add_argument("--settings", type=Path, help="training settings (default: conf/training.yaml)")
    parser.add_argument(
        "--output",
        type=local_path,
        help="model folder (default: deid_core/models/<name of the model>; of a system out/systems/NAME)",
    )


def run(args: argparse.Namespace) -> int:
    """Train. Raises ConfigurationError, before training starts, for missing settings, corpora or packages."""
    # Imported here, as in other commands: `--help` needs none of it.
    from deid_core.lab.evaluate.markdown import markdown_head, markdown_row
    from deid_core.lab.training.settings import load_training

    settings, recipes = load_training(args.settings), _recipes()
    if (args.what in ("system", "study")) is (args.system is None):
        raise ConfigurationError(
            "a NAME follows `system` and `study`, and only these: deid train system stat-deid, deid train study overlap"
        )
    if args.layers and args.what != "stacking":
        raise ConfigurationError("--layers belongs to `stacking`: deid train stacking --layers")
    if args.what == "study":
        from deid_core.lab.systems.studies import run_study

        for title, rows in run_study(args.system, settings.systems, data_folder(args), args.output):
            _print(f"{title}\n\n{markdown_table(rows)}\n")
        return ExitCode.DONE
    if args.what == "system":
        from deid_core.lab.systems.registry import system_folder, train_system

        train_system(settings, args.system, args.output or system_folder(args.system), data_folder(args))
        return ExitCode.DONE
    if args.what == "cards":
        recipes.refresh_cards([args.output] if args.output else sorted(models_dir().iterdir()))
        return ExitCode.DONE
    folder = args.output or models_dir() / _model_name(settings, args.what)
    if args.what == "subtypes":
        recipes.train_subtype_model(settings, folder)
        return ExitCode.DONE
    data = data_folder(args)
    if data is None:
        raise ConfigurationError(f"name the folder of the corpora with --data or {DATA_VARIABLE}")
    match args.what:
        case "crf":
            recipes.train_crf_model(settings, folder, data, _print)
        case "stacking":
            recipes.train_stacking_model(settings, folder, data, _print_progress, _print, layers_alone=args.layers)
        case "search":
            for trial in recipes.search_regularisation(settings, folder, data):
                _print(json.dumps(asdict(trial)))
        case "threshold":
            _print(markdown_head(("threshold", "tested on", *_SCORES)))
            for threshold, test, evaluation in recipes.thresholds(settings, folder, data):
                s = evaluation.micro
                figures = [f"{value:.3f}" for value in (s.precision, s.recall, s.f(1), s.f(2))]
                _print(markdown_row([str(threshold or "best path"), test, *figures]))
        case "transfer":
            _print_table(recipes.transfer(settings, folder, data), recipes.PERSONS_AND_PLACES)
        case "sequences":
            _print_table(recipes.type_sequences(settings, folder, data), recipes.PERSONS_AND_PLACES)
        case "curve":
            _print_table(recipes.learning_curve(settings, folder, data), recipes.PERSONS_AND_PLACES)
    return ExitCode.DONE


def _recipes() -> ModuleType:
    """Import the recipes, which need the libraries of the extra `lab`."""
    try:
        from deid_core.lab.training import recipes
    except ImportError as error:
        raise ConfigurationError(f"training needs the extra 'lab': {how_to_install('lab')} ({error.name})") from None
    return recipes


def _model_name(settings: TrainingSettings, what: str) -> str:
    return {"stacking": settings.stacking.model, "subtypes": settings.subtypes.model}.get(what, settings.crf.model)


def _print(line: str) -> None:
    print(line, flush=True)


def _print_progress(progress: Progress) -> None:
    """Print one line a training step: training takes minutes."""
    _print(f"step {progress.step}: {progress.value:,.1f}, {progress.weights:,} weights")


def _print_table(trainings: Iterable[Trained], labels: tuple[str, ...]) -> None:
    """Print a Markdown table, a row as soon as a model is trained."""
    from deid_core.lab.evaluate.markdown import markdown_head, markdown_row

    scores = [f"{label} {score}" for label in labels for score in ("P", "R", "F1")]
    _print(markdown_head(("trained on", "tokens", "tested on", *scores)))
    for trained in trainings:
        for test, evaluation in trained.scores.items():
            of_labels = [evaluation.by_label[label] for label in labels]
            figures = [f"{value:.3f}" for s in of_labels for value in (s.precision, s.recall, s.f(1))]
            _print(markdown_row([trained.name, f"{trained.tokens:,}", test, *figures]))
