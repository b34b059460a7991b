"""How each shipped model is trained, and the experiments on recogniser `crf`: one function each.

All take the settings of conf/training.yaml. `train_...` writes a model folder with its card. The experiments write
nothing and yield trials or trained models. `deid train` calls them; a program or notebook can do the same. Corpora
are those of conf/corpora.yaml; `data` is the folder of their files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from deid_core.core.data_folders import gazetteer_dir
from deid_core.core.errors import ConfigurationError
from deid_core.core.extras import how_to_install
from deid_core.crf.features.word_knowledge import CLUSTERS_FILE, LIKENESS_FILE, WordKnowledge
from deid_core.crf.model_folder import CARD_FILE, CONVOLUTION_FILE, CrfModel, load_model
from deid_core.ensemble.stacking.type_groups import TYPE_GROUP_OF
from deid_core.lab.corpora import AnnotatedText
from deid_core.lab.corpora.letters import AnnotatedLetter, read_letters
from deid_core.lab.corpora.named import load_corpora, read_named
from deid_core.lab.evaluate.entity_scores import EntityEvaluation
from deid_core.lab.training import experiments
from deid_core.lab.training.augmentation import augmented_letters
from deid_core.lab.training.crfsuite_trainer import train
from deid_core.lab.training.measure import measure
from deid_core.lab.training.model_card import (
    CorpusRecord,
    CrfRecord,
    ScoreRecord,
    StackingRecord,
    WordListRecord,
    model_card,
    record_of,
    refreshed_card,
)
from deid_core.lab.training.owlqn_trainer.owlqn import Progress
from deid_core.lab.training.partial_annotation import model_without, partially_annotated_sequences, read_folds
from deid_core.lab.training.search import Trial, search
from deid_core.lab.training.sequences import Sequences, read_texts, sequences_of
from deid_core.lab.training.settings import (
    StackingTrainingSettings,
    TrainingCorpus,
    TrainingSettings,
    WordKnowledgeSettings,
    letter_folders,
)
from deid_core.lab.training.stacking import letter_sequences, train_stacking
from deid_core.lab.training.subtypes import train_subtypes
from deid_core.lab.training.type_sequences import type_sequence_models
from deid_core.lab.training.word_knowledge_training import make_word_knowledge
from deid_core.lexicon.gazetteer import load_gazetteer
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.sources import load_sources
from deid_core.pipeline.config import EngineSettings, load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import spec_with_lists
from deid_core.pipeline.settings_file import GAZETTEER_DIR_VARIABLE, Settings, load_settings

SYNTHETIC_TRAIN, SYNTHETIC_TEST = "synthetic-train", "synthetic-test"
_CARD_NOTES = 200
"""Synthetic notes on which a model is measured for its card."""
PERSONS_AND_PLACES = ("PER", "LOC")


def train_crf_model(
    settings: TrainingSettings, folder: Path, data: Path, log: Callable[[str], object] = lambda line: None
) -> None:
    """Train the model of recogniser `crf`: word knowledge, CRF, and a card with its scores on the dev corpora.

    Raises ConfigurationError if a corpus, a list or a package is missing.
    """
    tests = _tests(settings, data, _CARD_NOTES)
    parts = {corpus.corpus: sequences_of(texts) for corpus, texts in _corpora(settings, data)}
    sequences = Sequences([], [])
    for corpus in settings.crf.train:
        sequences += parts[corpus.corpus] * corpus.repeat
    word_knowledge, areas = make_word_knowledge(settings.crf.word_knowledge, _gazetteer())
    log(f"{len(sequences):,} texts, {sequences.tokens:,} tokens")
    model = train(settings.crf, word_knowledge, sequences)
    scores = {
        name: measure(model, texts, settings.crf.labels, gazetteer=word_knowledge.gazetteer)
        for name, texts in tests.items()
    }
    record = CrfRecord(
        kind="crf",
        name=settings.crf.model,
        corpora=[_corpus_record(corpus, parts[corpus.corpus]) for corpus in settings.crf.train],
        text_tokens=settings.crf.text_tokens,
        c1=settings.crf.c1,
        c2=settings.crf.c2,
        iterations=settings.crf.iterations,
        word_lists=word_list_records(settings.crf.word_knowledge, areas),
        scores=[record for name, evaluation in scores.items() for record in _score_records(name, evaluation)],
    )
    model.save(folder, model_card(record, dict(model.files)))


def train_stacking_model(
    settings: TrainingSettings,
    folder: Path,
    data: Path,
    progress: Callable[[Progress], object] = lambda progress: None,
    log: Callable[[str], object] = lambda line: None,
    *,
    layers_alone: bool = False,
) -> None:
    """Train the stacking model from letters, with and without the larger lists, and from partially annotated texts.

    The folder gets the weights before the layers are trained. layers_alone: the weights stay those of the folder.
    Raises ConfigurationError if a corpus, a letter, the larger lists, the pipeline's recogniser `crf` or PyTorch is
    missing, if there are no weights or layers to train, or if the training of the layers breaks down.
    """
    project, stacking = load_settings(), settings.stacking
    if layers_alone and stacking.convolution is None:
        raise ConfigurationError("--layers: the settings have no stacking.convolution")
    kept = load_model(str(folder.absolute())) if layers_alone else None
    if stacking.convolution is not None and find_spec("torch") is None:
        raise ConfigurationError(f"stacking.convolution needs the extra 'neural': {how_to_install('neural')}")
    if project.gazetteers.lists_dir is None:
        raise ConfigurationError(
            f"the stacking model is trained with and without the larger lists: set {GAZETTEER_DIR_VARIABLE}"
        )
    pipeline = load_pipeline(stacking.pipeline)
    if pipeline.crf is None:
        raise ConfigurationError(f"pipeline {pipeline.name} has no recogniser crf, whose word knowledge is needed")
    words = load_model(pipeline.crf.model)
    letters: list[AnnotatedLetter] = []
    augmented: list[AnnotatedLetter] = []
    phrases = [line for text in read_named(stacking.medical_phrases, data) for line in text.text.split("\n")]
    for part in letter_folders(stacking.letters):
        letters += read_letters(part)
        for number in range(stacking.augmentations):
            augmented += augmented_letters(part, stacking.seed + number, phrases)
    base = pipeline.model_copy(update={"stacking": None, "subtypes": None})
    lists = (project.gazetteers.model_copy(update={"lists_dir": None}), project.gazetteers)
    specs = [spec_with_lists(base, _limits(project), load_gazetteer(of)) for of in lists]
    folds = read_folds(settings, data)
    word_knowledge = WordKnowledge.from_files(dict(words.files))
    models = [model_without(fold, settings, word_knowledge) for fold in folds]
    sources = [
        (
            spec.gazetteer,
            chain(
                letter_sequences(of, Engine(spec), stacking, source),
                partially_annotated_sequences(folds, models, spec, stacking, source),
            ),
        )
        for source, (spec, of) in enumerate(zip(specs, ([*letters, *augmented], letters), strict=True))
    ]
    record = StackingRecord(
        kind="stacking",
        name=stacking.model,
        pipeline=stacking.pipeline,
        letters=stacking.letters,
        letter_count=len(letters),
        annotations=dict(Counter(TYPE_GROUP_OF[s.type] for of in letters for s in of.gold if s.type in TYPE_GROUP_OF)),
        augmentations=stacking.augmentations,
        medical_phrases=len(phrases),
        detection_dropout=stacking.detection_dropout,
        seed=stacking.seed,
        partially_annotated=stacking.partially_annotated,
        partially_annotated_texts=sum(len(fold.texts) for fold in folds),
        c1=stacking.c1,
        c2=stacking.c2,
        iterations=stacking.iterations,
        convolution=stacking.convolution,
    )
    if kept is not None:
        record = _checked_record(folder, kept, record, stacking)

    def save(model: CrfModel) -> None:
        files = dict(model.files)
        trained = record if CONVOLUTION_FILE in files else record.model_copy(update={"convolution": None})
        model.save(folder, model_card(trained, files))

    weights = None if kept is None else kept.weights()
    save(train_stacking(stacking, words, sources, progress, log, weights=weights, keep=save))


def _checked_record(
    folder: Path, kept: CrfModel, record: StackingRecord, settings: StackingTrainingSettings
) -> StackingRecord:
    """Return the record of a folder's weights, with today's layers.

    record: of today's settings and letters. Raises ConfigurationError if the weights were trained with others.
    """
    of_weights = record_of(folder)
    # How many annotations of each label the letters have also depends on how they are read.
    other = {"annotations", "convolution"}
    if (
        kept.features() != (settings.features, settings.detections)
        or not isinstance(of_weights, StackingRecord)
        or of_weights.model_dump(exclude=other) != record.model_dump(exclude=other)
    ):
        raise ConfigurationError(
            f"--layers: the weights of {folder} are of other settings or letters; leave --layers out to train both"
        )
    return of_weights.model_copy(update={"convolution": settings.convolution})


def train_subtype_model(settings: TrainingSettings, folder: Path) -> None:
    """Train the subtype model from letters and from the spans that its pipeline finds in them.

    The lists are those of the packages, whatever lists are set: the same letters give the same file.
    Raises ConfigurationError if a letter, the pipeline or one of its models is missing.
    """
    pipeline = load_pipeline(settings.subtypes.pipeline).model_copy(update={"subtypes": None})
    project = load_settings()
    packaged = load_gazetteer(project.gazetteers.model_copy(update={"lists_dir": None}))
    engine = Engine(spec_with_lists(pipeline, _limits(project), packaged))
    folders = letter_folders(settings.subtypes.letters)
    letters = [letter for part in folders for letter in read_letters(part)]
    model, card = train_subtypes(settings.subtypes, engine, letters)
    model.save(folder, card)


def refresh_cards(folders: Iterable[Path]) -> None:
    """Render the cards of model folders again, from their files and the records in the cards; nothing is trained."""
    for folder in folders:
        (folder / CARD_FILE).write_text(refreshed_card(folder), encoding="utf-8")


def search_regularisation(settings: TrainingSettings, folder: Path, data: Path) -> Iterator[Trial]:
    """Yield the trials of a random search over the elastic net, with the word knowledge of the model folder."""
    texts = [
        text for corpus, of in _corpora(settings, data) if corpus.corpus in settings.crf.search.train for text in of
    ]
    return search(settings.crf, _word_knowledge_from(folder), texts)


def transfer(settings: TrainingSettings, folder: Path, data: Path) -> Iterator[experiments.Trained]:
    """Train on non-medical texts, on synthetic notes and on both; test each model on all dev corpora."""
    domains = {name: _domain(settings, data, synthetic=name == "notes") for name in ("non-medical", "notes")}
    return experiments.transfer(
        settings.crf, _word_knowledge_from(folder), domains, _tests(settings, data, settings.crf.curve.notes)
    )


def learning_curve(settings: TrainingSettings, folder: Path, data: Path) -> Iterator[experiments.Trained]:
    """Train on growing shares of the non-medical corpora; test each model on all dev corpora."""
    non_medical = _domain(settings, data, synthetic=False)
    tests = _tests(settings, data, settings.crf.curve.notes)
    return experiments.learning_curve(settings.crf, _word_knowledge_from(folder), non_medical, tests)


def type_sequences(settings: TrainingSettings, folder: Path, data: Path) -> Iterator[experiments.Trained]:
    """Train on the corpora of the search with what `crf` lacks of seed 000's Table 3; test on all dev corpora."""
    sequences = Sequences([], [])
    for corpus in settings.crf.train:
        if corpus.corpus in settings.crf.search.train:
            sequences += sequences_of(read_texts(corpus, data, settings.crf.labels, settings.crf.text_tokens))
    tests = _tests(settings, data, settings.crf.curve.notes)
    return type_sequence_models(settings.crf, _word_knowledge_from(folder), sequences, tests)


def thresholds(
    settings: TrainingSettings, folder: Path, data: Path
) -> Iterator[tuple[float | None, str, EntityEvaluation]]:
    """Yield (threshold, test set, scores of persons and places) of the model in the folder; None is the best path."""
    model, gazetteer = load_model(str(folder.absolute())), _gazetteer()
    tests = _tests(settings, data, settings.crf.curve.notes)
    for threshold in (None, *settings.crf.curve.thresholds):
        for name, texts in tests.items():
            yield threshold, name, measure(model, texts, PERSONS_AND_PLACES, threshold, gazetteer=gazetteer)


def word_list_records(settings: WordKnowledgeSettings, areas: Mapping[str, float]) -> list[WordListRecord]:
    """Return the classes of the name-likeness scorer with the licences of their sources. areas: under the ROC curve."""
    sources = load_sources(gazetteer_dir() / "sources.yaml").sources
    licences = {name: sorted({s.licence for s in sources if s.kind == name}) for name in settings.name_lists}
    licences |= {name: [file.licence] for name, file in settings.word_files.items()}
    return [WordListRecord(name=name, licences=licences[name], area=round(area, 3)) for name, area in areas.items()]


def _corpus_record(corpus: TrainingCorpus, used: Sequences) -> CorpusRecord:
    known = load_corpora().corpora[corpus.corpus]
    return CorpusRecord(
        corpus=corpus.corpus,
        description=known.description,
        licence=known.licence,
        texts=len(used),
        tokens=used.tokens,
        share=corpus.share,
        repeat=corpus.repeat,
        without=corpus.without,
    )


def _score_records(corpus: str, evaluation: EntityEvaluation) -> list[ScoreRecord]:
    """Return the scores of each label and the micro average, rounded to three decimals."""
    scores = {**evaluation.by_label, "micro": evaluation.micro}
    return [
        ScoreRecord(
            corpus=corpus,
            label=label,
            gold=s.gold,
            precision=round(s.precision, 3),
            recall=round(s.recall, 3),
            f1=round(s.f(1), 3),
        )
        for label, s in scores.items()
    ]


def _corpora(settings: TrainingSettings, data: Path) -> list[tuple[TrainingCorpus, list[AnnotatedText]]]:
    return [
        (corpus, read_texts(corpus, data, settings.crf.labels, settings.crf.text_tokens))
        for corpus in settings.crf.train
    ]


def _domain(settings: TrainingSettings, data: Path, *, synthetic: bool) -> Sequences:
    """Return the training sequences of synthetic notes, or of all other corpora, repeated as for the model."""
    sequences = Sequences([], [])
    for corpus, texts in _corpora(settings, data):
        if (corpus.corpus == SYNTHETIC_TRAIN) is synthetic:
            sequences += sequences_of(texts) * corpus.repeat
    return sequences


def _tests(settings: TrainingSettings, data: Path, notes: int) -> dict[str, list[AnnotatedText]]:
    """Return the dev corpora, and synthetic notes of the generator's test half, whose templates no model has seen."""
    tests = {
        name: read_named(name, data, settings.crf.labels, text_tokens=settings.crf.text_tokens)
        for name in settings.crf.dev
    }
    tests["notes, test half"] = read_named(SYNTHETIC_TEST, data, settings.crf.labels)[:notes]
    return tests


def _limits(project: Settings) -> EngineSettings:
    """Return the engine's limits with an hour a note: a busy machine must not end a training."""
    return project.engine.model_copy(update={"note_time_limit_s": 3600.0})


def _gazetteer() -> Gazetteer:
    return load_gazetteer(load_settings().gazetteers)


def _word_knowledge_from(folder: Path) -> WordKnowledge:
    files = {name: folder / name for name in (CLUSTERS_FILE, LIKENESS_FILE)}
    if missing := [f"{path}: is missing; run `deid train crf`" for path in files.values() if not path.is_file()]:
        raise ConfigurationError(missing)
    return WordKnowledge.from_files({name: path.read_bytes() for name, path in files.items()}, _gazetteer())
