"""`deid train`: makes the model of recogniser `crf`, and says how it depends on its data.

    crf        the model: what it knows of words, the CRF, the card
    search     random search over the elastic net; one JSON object a trial
    transfer   trained on news, on made notes, on both; tested on all
    curve      trained on ever larger shares of the news
    threshold  what the threshold of recogniser `crf` trades, on the trained model
    decision   the model of the learned decision, from the marked letters of the checkout and from news
    types      the model of the finer types, from the same and the default lists

Corpora are those of conf/corpora.yaml, in the folder of --data; settings are conf/training.yaml. `search` to
`threshold` take what the model of the output folder knows of words.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from deid_core.cli.data_argument import DATA_VARIABLE, add_data_argument, data_folder
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.core.resources import models_dir
from deid_core.crf.features.word_knowledge import CLUSTERS_FILE, LIKENESS_FILE, Lexicon
from deid_core.crf.model import load_model
from deid_core.lab.corpora import AnnotatedText
from deid_core.lab.corpora.named import load_corpora, read_named
from deid_core.lab.evaluate.markdown import markdown_head, markdown_row
from deid_core.lab.training.settings import TrainingCorpus, TrainingSettings, letter_folders, load_training
from deid_core.lexicon.gazetteer import load_gazetteer
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.engine import Engine, EngineSpec
from deid_core.pipeline.settings import GAZETTEER_DIR_VARIABLE, load_settings

if TYPE_CHECKING:
    from deid_core.lab.training.crf_trainer.owlqn import Progress
    from deid_core.lab.training.experiments import Trained
    from deid_core.lab.training.sequences import Sequences

_NOTES = "synthetic-train"
_CARD_NOTES = 200
_PERSONS_AND_PLACES = ("PER", "LOC")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.add_argument("what", choices=(*_COMMANDS, "types"), help="what to make")
    add_data_argument(parser)
    parser.add_argument("--settings", type=Path, help="training settings; else conf/training.yaml")
    parser.add_argument("--output", type=Path, help="the model folder; else deid_core/models/ and the model's name")


def run(args: argparse.Namespace) -> int:
    """Trains. Raises ConfigurationError, before anything is trained, for settings, corpora or packages that lack."""
    settings = load_training(args.settings)
    if args.what == "types":
        _types(settings, args.output or models_dir() / settings.subtypes.model)
        return ExitCode.DONE
    data = data_folder(args)
    if data is None:
        raise ConfigurationError(f"name the folder of the corpora with --data or {DATA_VARIABLE}")
    model = settings.stacking.model if args.what == "decision" else settings.model
    _COMMANDS[args.what](settings, args.output or models_dir() / model, data)
    return ExitCode.DONE


def _decision(settings: TrainingSettings, folder: Path, data: Path) -> None:
    from deid_core.lab.corpora.letters import Letter, read_letters
    from deid_core.lab.training.augmentation import rewritten_letters
    from deid_core.lab.training.model_card import decision_card
    from deid_core.lab.training.partial_annotation import model_without, partly_marked_sequences, read_folds
    from deid_core.lab.training.stacking import letter_sequences, train_decision

    project = load_settings()
    if project.gazetteers.lists_dir is None:
        raise ConfigurationError(
            f"the decision is trained with and without the larger lists: set {GAZETTEER_DIR_VARIABLE}"
        )
    pipeline = load_pipeline(settings.stacking.pipeline)
    if pipeline.crf is None:
        raise ConfigurationError(f"pipeline {pipeline.name} has no recogniser crf, whose knowledge of words is needed")
    words = load_model(pipeline.crf.model)
    letters: list[Letter] = []
    rewritten: list[Letter] = []
    for part in letter_folders(settings.stacking.letters):
        letters += read_letters(part)
        for number in range(settings.stacking.rewritten):
            rewritten += rewritten_letters(part, settings.stacking.seed + number)
    undecided = pipeline.model_copy(update={"stacking": None, "subtypes": None})
    lists = (project.gazetteers.model_copy(update={"lists_dir": None}), project.gazetteers)
    specs = [EngineSpec.of(undecided, project.engine, load_gazetteer(of)) for of in lists]
    folds = read_folds(settings, data)
    lexicon = Lexicon.from_files(dict(words.files))
    models = [model_without(fold, settings, lexicon) for fold in folds]
    sequences_of = [
        (
            spec.gazetteer,
            chain(
                letter_sequences(of, Engine(spec), settings.stacking, source),
                partly_marked_sequences(folds, models, spec, settings.stacking, source),
            ),
        )
        for source, (spec, of) in enumerate(zip(specs, ([*letters, *rewritten], letters), strict=True))
    ]
    # It takes minutes; who waits sees how far it is.
    model = train_decision(settings.stacking, words, sequences_of, _tell)
    texts = sum(len(fold.texts) for fold in folds)
    model.save(folder, decision_card(model, settings.stacking, letters, texts))


def _tell(progress: Progress) -> None:
    print(f"step {progress.step}: {progress.value:,.1f}, {progress.weights:,} weights", flush=True)


def _types(settings: TrainingSettings, folder: Path) -> None:
    from deid_core.lab.corpora.letters import read_letters
    from deid_core.lab.training.subtypes import train_subtypes

    pipeline = load_pipeline(settings.subtypes.pipeline).model_copy(update={"subtypes": None})
    project = load_settings()
    # Whatever lists are set: the same letters give the same file.
    packaged = load_gazetteer(project.gazetteers.model_copy(update={"lists_dir": None}))
    engine = Engine(EngineSpec.of(pipeline, project.engine, packaged))
    letters = [letter for part in letter_folders(settings.subtypes.letters) for letter in read_letters(part)]
    model, card = train_subtypes(settings.subtypes, engine, letters)
    model.save(folder, card)


def _crf(settings: TrainingSettings, folder: Path, data: Path) -> None:
    from deid_core.lab.training.crf import train
    from deid_core.lab.training.measure import measure
    from deid_core.lab.training.model_card import card
    from deid_core.lab.training.sequences import Sequences, sequences_of
    from deid_core.lab.training.word_knowledge import make_lexicon

    tests = _tests(settings, data, _CARD_NOTES)
    parts = {corpus.corpus: sequences_of(texts) for corpus, texts in _corpora(settings, data)}
    sequences = Sequences([], [])
    for corpus in settings.train:
        sequences += parts[corpus.corpus] * corpus.repeat
    lexicon, areas = make_lexicon(settings.lexicon, _lists())
    print(f"{len(sequences):,} texts, {sequences.tokens:,} tokens", flush=True)
    model = train(settings, lexicon, sequences)
    scores = {
        name: measure(model, texts, settings.labels, gazetteer=lexicon.gazetteer) for name, texts in tests.items()
    }
    sizes = {name: (len(part), part.tokens) for name, part in parts.items()}
    text = card(model, settings, load_corpora(), sizes, scores, areas)
    model.save(folder, text)
    print(text[text.index("## Size") :])


def _search(settings: TrainingSettings, folder: Path, data: Path) -> None:
    from deid_core.lab.training.search import search

    texts = [text for corpus, of in _corpora(settings, data) if corpus.corpus in settings.search.train for text in of]
    for trial in search(settings, _lexicon_of(folder), texts):
        print(json.dumps(asdict(trial)), flush=True)


def _transfer(settings: TrainingSettings, folder: Path, data: Path) -> None:
    from deid_core.lab.training.experiments import transfer

    domains = {"news": _domain(settings, data, made=False), "notes": _domain(settings, data, made=True)}
    _print(transfer(settings, _lexicon_of(folder), domains, _tests(settings, data, settings.curve.notes)))


def _curve(settings: TrainingSettings, folder: Path, data: Path) -> None:
    from deid_core.lab.training.experiments import learning_curve

    news = _domain(settings, data, made=False)
    _print(learning_curve(settings, _lexicon_of(folder), news, _tests(settings, data, settings.curve.notes)))


def _threshold(settings: TrainingSettings, folder: Path, data: Path) -> None:
    from deid_core.lab.training.measure import measure

    model, lists = load_model(str(folder.absolute())), _lists()
    cells = ("threshold", "tested on", "precision", "recall", "F1", "F2")
    print(markdown_head(cells), flush=True)
    tests = _tests(settings, data, settings.curve.notes)
    for threshold in (None, *settings.curve.thresholds):
        for test, texts in tests.items():
            scores = measure(model, texts, _PERSONS_AND_PLACES, threshold, gazetteer=lists).micro
            figures = [f"{value:.3f}" for value in (scores.precision, scores.recall, scores.f(1), scores.f(2))]
            print(markdown_row([str(threshold or "best path"), test, *figures]), flush=True)


def _print(trainings: Iterator[Trained]) -> None:
    """A Markdown table, a line as soon as a model is trained."""
    cells = ("trained on", "tokens", "tested on", "PER P", "PER R", "PER F1", "LOC P", "LOC R", "LOC F1")
    print(markdown_head(cells), flush=True)
    for trained in trainings:
        for test, evaluation in trained.scores.items():
            scores = [evaluation.by_label[label] for label in _PERSONS_AND_PLACES]
            figures = [f"{value:.3f}" for s in scores for value in (s.precision, s.recall, s.f(1))]
            print(markdown_row([trained.name, f"{trained.tokens:,}", test, *figures]), flush=True)


def _corpora(settings: TrainingSettings, data: Path) -> list[tuple[TrainingCorpus, list[AnnotatedText]]]:
    from deid_core.lab.training.sequences import read_texts

    return [(corpus, read_texts(corpus, data, settings.labels, settings.text_tokens)) for corpus in settings.train]


def _domain(settings: TrainingSettings, data: Path, *, made: bool) -> Sequences:
    """The model's training sequences of made notes, or of all other corpora, weighed as for the model."""
    from deid_core.lab.training.sequences import Sequences, sequences_of

    sequences = Sequences([], [])
    for corpus, texts in _corpora(settings, data):
        if (corpus.corpus == _NOTES) is made:
            sequences += sequences_of(texts) * corpus.repeat
    return sequences


def _tests(settings: TrainingSettings, data: Path, notes: int) -> dict[str, list[AnnotatedText]]:
    """The development corpora and made notes of the generator's test half, whose templates no training has seen."""
    tests = {name: read_named(name, data, settings.labels, text_tokens=settings.text_tokens) for name in settings.dev}
    tests["notes, test half"] = read_named("synthetic-test", data, settings.labels)[:notes]
    return tests


def _lists() -> Gazetteer:
    return load_gazetteer(load_settings().gazetteers)


def _lexicon_of(folder: Path) -> Lexicon:
    files = {name: folder / name for name in (CLUSTERS_FILE, LIKENESS_FILE)}
    if missing := [f"{path}: is missing; run `deid train crf`" for path in files.values() if not path.is_file()]:
        raise ConfigurationError(missing)
    return Lexicon.from_files({name: path.read_bytes() for name, path in files.items()}, _lists())


_COMMANDS: dict[str, Callable[[TrainingSettings, Path, Path], None]] = {
    "crf": _crf,
    "search": _search,
    "transfer": _transfer,
    "curve": _curve,
    "threshold": _threshold,
    "stacking": _decision,
}
