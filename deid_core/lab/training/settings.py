"""conf/training.yaml: the corpora, features and hyperparameters of each model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from deid_core.core.data_folders import conf_dir
from deid_core.core.errors import ConfigurationError
from deid_core.core.settings import FrozenSettings, Share
from deid_core.core.yaml_file import load_yaml
from deid_core.crf.features.families import FeatureSettings
from deid_core.lab.corpora.letters import SUFFIX, split_of
from deid_core.lab.corpora.named import LettersSource, PhrasesSource, SyntheticSource, load_corpora
from deid_core.lab.systems.settings import SystemsSettings

Positive = Annotated[int, Field(gt=0)]


class TrainingCorpus(FrozenSettings):
    """A corpus of conf/corpora.yaml and how much of it is used."""

    corpus: str
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of its texts, from the first one on."""
    repeat: Positive = 1
    """How often each text is used: this gives a small corpus more weight."""
    without: list[str] = Field(default=[])
    """Corpora whose sentences are removed from this one where both hold the same sentence."""


class SearchSettings(FrozenSettings):
    """Random search over the two weights of the elastic net (seed 003, section 4.2)."""

    trials: Positive = 20
    lowest: Annotated[float, Field(gt=0)] = 1e-3
    highest: Annotated[float, Field(gt=0)] = 10.0
    iterations: Positive = 60
    seed: int = 0
    train: list[str]
    """Names of corpora. Fewer than the model's, since each trial trains a model."""


class CurveSettings(FrozenSettings):
    """Learning curve, domain transfer, thresholds."""

    shares: list[Annotated[float, Field(gt=0, le=1)]]
    """Of the training texts, ascending."""
    samples: Positive = 3
    """Random draws of each share below 1 (seed 003, Figure 2)."""
    iterations: Positive = 60
    seed: int = 0
    notes: Positive = 100
    """Synthetic notes of the test half, measured beside the dev corpora."""
    thresholds: list[Annotated[float, Field(gt=0, lt=1)]]
    """Of recogniser `crf`, descending."""


class WordFile(FrozenSettings):
    """A file with one word a line; hunspell's flags after "/" are ignored."""

    path: str
    licence: str


class WordKnowledgeSettings(FrozenSettings):
    """Sources of a model's word knowledge."""

    cluster_words: Positive = 400_000
    buckets: Positive = 65_536
    seed: int = 0
    name_lists: list[str]
    """Kinds of list of the compiled gazetteer; each is a class of the name-likeness scorer."""
    word_files: dict[str, WordFile]
    """Further classes of the scorer, by name."""


class CrfTrainingSettings(FrozenSettings):
    """Training of recogniser `crf`, and the experiments on it."""

    model: str
    text_tokens: Positive = 400
    labels: list[str]
    train: list[TrainingCorpus]
    dev: list[str]
    features: list[FeatureSettings]
    c1: Annotated[float, Field(ge=0)]
    c2: Annotated[float, Field(ge=0)]
    iterations: Positive
    search: SearchSettings
    curve: CurveSettings
    word_knowledge: WordKnowledgeSettings


LayerSize = Annotated[int, Field(gt=0, multiple_of=4)]


class ConvolutionTrainingSettings(FrozenSettings):
    """Training of the stacking model's layers (convolution.py), which needs PyTorch."""

    word_size: LayerSize
    """Dimension of a word's vector."""
    detection_size: LayerSize
    """Dimension of the vector of the detections at a word."""
    hidden: LayerSize
    """Output channels of each convolution."""
    min_count: Positive
    """How often words with a feature value have to occur, so that it gets a vector."""
    dropout: Share
    """Share of numbers before each layer that is dropped."""
    value_dropout: Share
    """Share of feature values that is dropped."""
    spelling_dropout: Share
    """Share of words whose spelling is dropped, so that their place alone counts."""
    learning_rate: Annotated[float, Field(gt=0)]
    """The highest of the layers, which change at every step: with a high one the training breaks down."""
    vector_learning_rate: Annotated[float | None, Field(gt=0)] = None
    """The highest of the vectors; that of the layers if left out. A vector changes only when a batch has its value."""
    epochs: Positive
    seed: int
    share: Annotated[float, Field(gt=0, lt=1)]
    """Of the emissions, what the layers have; the rest is the weights'."""


class StackingTrainingSettings(FrozenSettings):
    """Training of the stacking model (ensemble/stacking)."""

    model: str
    pipeline: str
    """The pipeline whose recognisers the model weighs; its own stacking model is left out."""
    letters: list[str]
    """Corpora of letters in conf/corpora.yaml, or paths of folders of letters (with a "/")."""
    medical_phrases: str
    """Corpus of phrases that augmented letters get between their lines (augmentation.py)."""
    seed: int
    """Seed of the augmentation and of the detection dropout."""
    augmentations: Positive
    """How often each letter is augmented in each way, with other draws."""
    detection_dropout: Share
    """Share of detections that is left out in training (stacking.py)."""
    partially_annotated: Annotated[list[str], Field(min_length=1)]
    """Corpora of `crf.train` in which only persons, places and organisations are annotated (partial_annotation.py)."""
    folds: Annotated[int, Field(gt=1)]
    """Folds of those corpora; detections of recogniser `crf` in a fold come from a model trained without it."""
    features: list[FeatureSettings]
    detections: list[FeatureSettings]
    c1: Annotated[float, Field(ge=0)]
    c2: Annotated[float, Field(ge=0)]
    iterations: Positive
    convolution: ConvolutionTrainingSettings | None = None
    """None: a model of weights alone."""


class AblationSettings(FrozenSettings):
    """Training of the stacking model without a part of its pipeline (retraining.py)."""

    every: Positive
    """Every n-th letter of the stacking model's is trained on."""
    iterations: Positive
    other_seeds: list[int]
    """Seeds of further trainings with nothing left out: how much their figures differ is the noise of one training."""


class SubtypeTrainingSettings(FrozenSettings):
    """Training of the subtype model (ensemble/subtype)."""

    model: str
    pipeline: str
    """The pipeline whose spans get subtypes."""
    letters: list[str]
    """As for the stacking model."""
    min_count: Positive
    """Occurrences that a feature needs to get a weight."""
    c: Annotated[float, Field(gt=0)]
    """Inverse regularisation strength of the first regression; higher values fit more closely."""
    second_c: Annotated[float, Field(gt=0)]
    """The same of the second regression."""
    folds: Annotated[int, Field(gt=1)]
    """Folds of the letters; the second regression learns from predictions of the first on unseen folds."""


class TrainingSettings(FrozenSettings):
    """conf/training.yaml."""

    crf: CrfTrainingSettings
    train_on_dev_letters: bool = False
    """Whether a folder of `letters` may hold dev letters. Test letters are refused always."""
    stacking: StackingTrainingSettings
    ablation: AblationSettings
    subtypes: SubtypeTrainingSettings
    systems: SystemsSettings


def load_training(path: Path | None = None) -> TrainingSettings:
    """Load the settings.

    Raises ConfigurationError with every problem of the file, such as a corpus that is not meant for its use here, or a
    folder of letters that must not be trained on.
    """
    path = path or conf_dir() / "training.yaml"
    settings = load_yaml(path, TrainingSettings)
    corpora = load_corpora().corpora
    to_train, to_measure = ([name for name, of in corpora.items() if of.use == use] for use in ("train", "dev"))
    letters = [name for name in to_train if isinstance(corpora[name].source, LettersSource)]
    phrases = [name for name in to_train if isinstance(corpora[name].source, PhrasesSource)]
    synthetic = [name for name in to_train if isinstance(corpora[name].source, SyntheticSource)]
    trained = [corpus.corpus for corpus in settings.crf.train]
    systems = {f"systems.{name}": system for name, system in settings.systems}
    sources = [
        (f"{of}.letters", name)
        for of, names in (
            ("stacking", settings.stacking.letters),
            ("subtypes", settings.subtypes.letters),
            *((place, system.letters) for place, system in systems.items()),
        )
        for name in names
    ]
    asked = [
        *[("crf.train", corpus.corpus, "corpus to train with", to_train) for corpus in settings.crf.train],
        *[("crf.search.train", name, "corpus to train with", to_train) for name in settings.crf.search.train],
        *[("crf.dev", name, "corpus to measure with", to_measure) for name in settings.crf.dev],
        *[
            ("stacking.partially_annotated", name, "corpus of `crf.train`", trained)
            for name in settings.stacking.partially_annotated
        ],
        ("stacking.medical_phrases", settings.stacking.medical_phrases, "corpus of phrases to train with", phrases),
        *[
            (place, name, "corpus of letters to train with, nor a path of a folder", letters)
            for place, name in sources
            if not _is_path(name)
        ],
        *[
            (f"{place}.synthetic", system.synthetic, "corpus of synthetic notes to train with", synthetic)
            for place, system in systems.items()
            if system.synthetic is not None
        ],
    ]
    problems = [
        f"{path}: {place}: {name!r} is no {wanted}; there are: {', '.join(known)}"
        for place, name, wanted, known in asked
        if name not in known
    ]
    problems += [
        f"{path}: {place}: {problem}"
        for place, name in sources
        if _is_path(name) and (problem := _folder_problem(Path(name), settings.train_on_dev_letters))
    ]
    others = [name for corpus in settings.crf.train for name in corpus.without if name not in corpora]
    problems += [f"{path}: crf.train: without: there is no corpus {name!r}" for name in others]
    if problems:
        raise ConfigurationError(problems)
    return settings


def letter_folders(sources: Sequence[str]) -> list[Path]:
    """Return the folders of sources of letters, in order: names or paths as `load_training` has checked them."""
    corpora = load_corpora().corpora
    folders = []
    for name in sources:
        source = None if _is_path(name) else corpora[name].source
        folders.append(source.folder if isinstance(source, LettersSource) else Path(name))
    return folders


def _is_path(source: str) -> bool:
    return "/" in source


def _folder_problem(folder: Path, dev_letters: bool) -> str | None:
    """Return why a folder must not be trained on, None if it may. Links of the folder and of its files are resolved."""
    files = sorted(folder.glob(f"*{SUFFIX}"))
    splits = {split_of(path) for path in (folder, *files)}
    if "test" in splits:
        return f"{folder} holds test letters, which nothing is trained on"
    if "dev" in splits and not dev_letters:
        return f"{folder} holds dev letters; set train_on_dev_letters to train on them"
    return None if files else f"{folder} holds no letter, a file that ends in {SUFFIX}"
