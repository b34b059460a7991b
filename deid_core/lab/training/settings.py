"""conf/training.yaml: which corpora, features and numbers a model is trained with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from deid_core.core.errors import ConfigurationError
from deid_core.core.resources import conf_dir
from deid_core.core.settings import FrozenSettings, Share
from deid_core.core.yaml_file import load_yaml
from deid_core.crf.features.registry import FeatureSettings
from deid_core.lab.corpora.named import LettersSource, load_corpora

Positive = Annotated[int, Field(gt=0)]


class TrainingCorpus(FrozenSettings):
    """A named corpus of conf/corpora.yaml and how much of it is used."""

    corpus: str
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """The first texts of it; 1 is all."""
    repeat: Positive = 1
    """How often its texts are trained on: what weighs a small corpus up."""
    without: list[str] = Field(default=[])
    """Corpora whose sentences are left out of this one where they stand in both, word for word."""


class SearchSettings(FrozenSettings):
    """Random search over the two norms of the elastic net (seed 003, section 4.2)."""

    trials: Positive = 20
    lowest: Annotated[float, Field(gt=0)] = 1e-3
    highest: Annotated[float, Field(gt=0)] = 10.0
    iterations: Positive = 60
    seed: int = 0
    train: list[str]
    """Names of the corpora of the search; fewer than the model's, since a trial costs a training."""


class CurveSettings(FrozenSettings):
    """Learning curve, change of domain, thresholds."""

    shares: list[Annotated[float, Field(gt=0, le=1)]]
    """Of the training texts, ascending."""
    samples: Positive = 3
    """Random draws of each share below 1 (seed 003, Figure 2)."""
    iterations: Positive = 60
    seed: int = 0
    notes: Positive = 100
    """Generated notes of the test split, beside the development corpora."""
    thresholds: list[Annotated[float, Field(gt=0, lt=1)]]
    """Of recogniser `crf`, descending."""


class LexiconSettings(FrozenSettings):
    """What the word knowledge of a model is learned from."""

    cluster_words: Positive = 400_000
    buckets: Positive = 65_536
    seed: int = 0
    name_lists: list[str]
    """Kinds of list of the compiled gazetteer, one class of name-likeness each."""
    word_files: dict[str, str]
    """Class → file with one word a line, hunspell's flags behind "/" left out."""


class StackingTrainingSettings(FrozenSettings):
    """What the learned decision (decide/learned.py) is trained with."""

    model: str
    pipeline: str
    """Whose recognisers' evidence it learns to weigh; its own decision is left out."""
    letters: list[str]
    """Corpora of conf/corpora.yaml: letters written one by one that are there to train with."""
    seed: int
    """Starts what is drawn where letters are written again (rewrite.py) and detections left out."""
    rewritten: Positive
    """How often letters are written again in each way, with other draws."""
    forget: Share
    """The share of detections that is left out (decision.py)."""
    partly_marked: Annotated[list[str], Field(min_length=1)]
    """Corpora of `train` in which only the labels of POSSIBLE (partly_marked.py) are marked, and `labels` are these."""
    folds: Annotated[int, Field(gt=1)]
    """Parts of those corpora; recogniser `crf` says what it finds in a part from a model that has not seen it."""
    features: list[FeatureSettings]
    evidence: list[FeatureSettings]
    c1: Annotated[float, Field(ge=0)]
    c2: Annotated[float, Field(ge=0)]
    iterations: Positive


class SubtypeTrainingSettings(FrozenSettings):
    """What the finer types (finer_type/) are trained with."""

    model: str
    pipeline: str
    """Whose spans get types."""
    letters: list[str]
    """Corpora of conf/corpora.yaml, as for the decision."""
    min_count: Positive
    """How often a fact occurs that gets a weight."""
    c: Annotated[float, Field(gt=0)]
    """Of the first regression, the inverse of the weight of the squared norm; higher fits more closely."""
    c_again: Annotated[float, Field(gt=0)]
    """Of the second one."""
    folds: Annotated[int, Field(gt=1)]
    """Parts of the letters; the second regression learns what the first one says of a part that it has not seen."""


class TrainingSettings(FrozenSettings):
    """conf/training.yaml."""

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
    lexicon: LexiconSettings
    stacking: StackingTrainingSettings
    subtypes: SubtypeTrainingSettings


def load_training(path: Path | None = None) -> TrainingSettings:
    """The settings.

    Raises ConfigurationError with every problem of the file, such as a corpus used for what it is not there for.
    """
    path = path or conf_dir() / "training.yaml"
    settings = load_yaml(path, TrainingSettings)
    corpora = load_corpora().corpora
    to_train, to_measure = ([name for name, of in corpora.items() if of.use == use] for use in ("train", "dev"))
    letters = [name for name in to_train if isinstance(corpora[name].source, LettersSource)]
    trained = [corpus.corpus for corpus in settings.train]
    asked = [
        *[("train", corpus.corpus, "corpus to train with", to_train) for corpus in settings.train],
        *[("search.train", name, "corpus to train with", to_train) for name in settings.search.train],
        *[("dev", name, "corpus to measure with", to_measure) for name in settings.dev],
        *[("stacking.partly_marked", name, "corpus of `train`", trained) for name in settings.stacking.partly_marked],
        *[
            (f"{of}.letters", name, "corpus of letters to train with", letters)
            for of, names in (("stacking", settings.stacking.letters), ("subtypes", settings.subtypes.letters))
            for name in names
        ],
    ]
    problems = [
        f"{path}: {place}: {name!r} is no {wanted}; there are: {', '.join(known)}"
        for place, name, wanted, known in asked
        if name not in known
    ]
    others = [name for corpus in settings.train for name in corpus.without if name not in corpora]
    problems += [f"{path}: train: without: there is no corpus {name!r}" for name in others]
    if problems:
        raise ConfigurationError(problems)
    return settings


def letter_folders(corpora: Sequence[str]) -> list[Path]:
    """The folders of corpora of letters to train on, in order; their names as `load_training` has checked them."""
    sources = (load_corpora().corpora[name].source for name in corpora)
    return [source.folder for source in sources if isinstance(source, LettersSource)]
