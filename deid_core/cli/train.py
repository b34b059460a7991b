"""`deid train`: makes the model of recogniser `crf`, and says how it depends on its data.

    lexicon    what the model knows of words: Brown clusters, name-likeness
    crf        the model itself, with its card
    search     random search over the elastic net; one JSON object a trial
    transfer   trained on news, on made notes, on both; tested on all
    curve      trained on ever larger shares of the news
    threshold  what the threshold of recogniser `crf` trades, on the trained model

Corpora are those of conf/corpora.yaml, in the folder of --data; settings are conf/training.yaml.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from deid_core.cli.tables import table
from deid_core.config import load_settings
from deid_core.corpora import AnnotatedText
from deid_core.corpora.named import load_corpora, read_named
from deid_core.errors import ConfigurationError, ExitCode
from deid_core.gazetteer import load_gazetteer
from deid_core.resources import models_dir
from deid_core.sequence.lexicon import CLUSTERS_FILE, LIKENESS_FILE, Lexicon
from deid_core.sequence.model import load_model
from deid_core.training.settings import TrainingSettings, load_training

if TYPE_CHECKING:
    from deid_core.training.experiments import Trained

DATA_VARIABLE = "DEID_CORPORA_DIR"
_NOTES = "synthetic-train"
_CARD_NOTES = 200
_PERSONS_AND_PLACES = ("PER", "LOC")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.add_argument(
        "what", choices=("lexicon", "crf", "search", "transfer", "curve", "threshold"), help="what to make"
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help=f"folder that conf/corpora.yaml's files lie in (else {DATA_VARIABLE})"
    )
    parser.add_argument("--settings", type=Path, help="training settings; else conf/training.yaml")
    parser.add_argument("--output", type=Path, help="the model folder; else deid_core/models/ and the model's name")


def run(args: argparse.Namespace) -> int:
    """Trains. Raises ConfigurationError, before anything is trained, for settings, corpora or packages that lack."""
    settings = load_training(args.settings)
    folder = args.output or models_dir() / settings.model
    if args.what == "lexicon":
        return _lexicon(settings, folder)
    data = args.data or (Path(os.environ[DATA_VARIABLE]) if os.environ.get(DATA_VARIABLE) else None)
    if data is None:
        raise ConfigurationError(f"name the folder of the corpora with --data or {DATA_VARIABLE}")
    lexicon = _read_lexicon(folder)
    commands = {"crf": _crf, "search": _search, "transfer": _transfer, "curve": _curve, "threshold": _threshold}
    return commands[args.what](settings, folder, data, lexicon)


def _lexicon(settings: TrainingSettings, folder: Path) -> int:
    from deid_core.training.lexicon import make_lexicon

    lexicon, areas = make_lexicon(settings.lexicon, load_gazetteer(load_settings().gazetteers))
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in lexicon.to_files().items():
        (folder / name).write_bytes(data)
    print(table([("name-likeness, held-out words", "area under ROC"), *areas.items()]))
    return ExitCode.DONE


def _crf(settings: TrainingSettings, folder: Path, data: Path, lexicon: Lexicon) -> int:
    from deid_core.training.card import card
    from deid_core.training.crf import train
    from deid_core.training.measure import measure
    from deid_core.training.sequences import Sequences, read_sequences

    corpora = load_corpora()
    tests = _tests(settings, data, _CARD_NOTES)
    parts = {c.corpus: read_sequences(c, data, settings.labels, settings.text_tokens) for c in settings.train}
    sequences = Sequences([], [])
    for part in parts.values():
        sequences += part
    print(f"{len(sequences):,} texts, {sequences.tokens:,} tokens", flush=True)
    model = train(
        settings.model,
        settings.features,
        lexicon,
        sequences,
        c1=settings.c1,
        c2=settings.c2,
        iterations=settings.iterations,
    )
    model.save(folder)
    scores = {name: measure(model, texts, settings.labels) for name, texts in tests.items()}
    sizes = {name: (len(part), part.tokens) for name, part in parts.items()}
    text = card(model, settings, corpora, sizes, scores)
    (folder / "card.md").write_text(text, encoding="utf-8")
    print(text[text.index("## Size") :])
    return ExitCode.DONE


def _search(settings: TrainingSettings, folder: Path, data: Path, lexicon: Lexicon) -> int:
    from deid_core.training.search import search

    for trial in search(settings, lexicon, _texts(settings, settings.search.train, data)):
        print(json.dumps(asdict(trial)), flush=True)
    return ExitCode.DONE


def _transfer(settings: TrainingSettings, folder: Path, data: Path, lexicon: Lexicon) -> int:
    from deid_core.training.experiments import transfer

    domains = {"news": _texts(settings, _news(settings), data), "notes": _texts(settings, [_NOTES], data)[:400]}
    return _print(transfer(settings, lexicon, domains, _tests(settings, data, settings.curve.notes)))


def _curve(settings: TrainingSettings, folder: Path, data: Path, lexicon: Lexicon) -> int:
    from deid_core.training.experiments import learning_curve

    texts = _texts(settings, _news(settings), data)
    return _print(learning_curve(settings, lexicon, texts, _tests(settings, data, settings.curve.notes)))


def _threshold(settings: TrainingSettings, folder: Path, data: Path, lexicon: Lexicon) -> int:
    from deid_core.training.measure import measure

    model = load_model(str(folder.absolute()))
    cells = ("threshold", "tested on", "precision", "recall", "F1", "F2")
    print(f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}", flush=True)
    tests = _tests(settings, data, settings.curve.notes)
    for threshold in (None, *settings.curve.thresholds):
        for test, texts in tests.items():
            scores = measure(model, texts, _PERSONS_AND_PLACES, threshold).micro
            figures = [f"{value:.3f}" for value in (scores.precision, scores.recall, scores.f(1), scores.f(2))]
            print(f"| {' | '.join([str(threshold or 'best path'), test, *figures])} |", flush=True)
    return ExitCode.DONE


def _print(trainings: Iterator[Trained]) -> int:
    """A Markdown table, a line as soon as a model is trained."""
    cells = ("trained on", "tokens", "tested on", "PER P", "PER R", "PER F1", "LOC P", "LOC R", "LOC F1")
    print(f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}", flush=True)
    for trained in trainings:
        for test, evaluation in trained.scores.items():
            scores = [evaluation.by_label[label] for label in _PERSONS_AND_PLACES]
            figures = [f"{value:.3f}" for s in scores for value in (s.precision, s.recall, s.f(1))]
            print(f"| {' | '.join([trained.name, f'{trained.tokens:,}', test, *figures])} |", flush=True)
    return ExitCode.DONE


def _news(settings: TrainingSettings) -> list[str]:
    return [corpus.corpus for corpus in settings.train if corpus.corpus != _NOTES]


def _texts(settings: TrainingSettings, names: list[str], data: Path) -> list[AnnotatedText]:
    return [
        text for name in names for text in read_named(name, data, settings.labels, text_tokens=settings.text_tokens)
    ]


def _tests(settings: TrainingSettings, data: Path, notes: int) -> dict[str, list[AnnotatedText]]:
    """The development corpora and made notes of the generator's test half, which shares no names with training."""
    tests = {name: _texts(settings, [name], data) for name in settings.develop}
    tests["notes, test half"] = read_named("synthetic-test", data, settings.labels)[:notes]
    return tests


def _read_lexicon(folder: Path) -> Lexicon:
    files = {name: folder / name for name in (CLUSTERS_FILE, LIKENESS_FILE)}
    if missing := [f"{path}: is missing; run `deid train lexicon`" for path in files.values() if not path.is_file()]:
        raise ConfigurationError(missing)
    return Lexicon.from_files({name: path.read_bytes() for name, path in files.items()})
