"""`systems:` of conf/training.yaml: what each system is trained on, and how."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from deid_core.core.settings import FrozenSettings
from deid_core.lab.systems.word_features import Family


class SystemSettings(FrozenSettings):
    """The texts that a system is trained on."""

    letters: list[str]
    """Corpora of letters in conf/corpora.yaml, or paths of folders of letters (with a "/")."""
    every: Annotated[int, Field(gt=0)] = 1
    """Every n-th letter is trained on."""
    offset: Annotated[int, Field(ge=0)] = 0
    """The first letter of them."""
    synthetic: str | None = None
    """A corpus of synthetic notes in conf/corpora.yaml."""
    notes: Annotated[int, Field(ge=0)] = 0
    """How many of its notes are trained on."""


class StatDeidSettings(SystemSettings):
    """Seed 001: one linear support vector machine for each class against the others."""

    families: Annotated[list[Family], Field(min_length=1)]
    min_count: Annotated[int, Field(gt=0)] = 1
    """Tokens that a feature needs to get a weight."""
    c: Annotated[float, Field(gt=0)]
    """Penalty of errors; higher values fit more closely."""


class IterativeSettings(SystemSettings):
    """Seed 004: boosted decision trees in three phases."""

    rounds: Annotated[int, Field(gt=0)] = 30
    """Of boosting."""
    leaf: Annotated[int, Field(gt=0)] = 5
    """Least tokens of a leaf."""
    trusted_bits: Annotated[float, Field(gt=0)] = 0.1
    """Entropy of the classes below a heading, under which it is trusted."""
    min_count: Annotated[int, Field(gt=0)] = 5
    """Occurrences that a trigger, an ending or a heading needs."""
    triggers: Annotated[int, Field(gt=0)] = 300
    """Triggers on each side, those with the highest information gain."""


class TokenCrfSettings(SystemSettings):
    """A CRF of CRFsuite: weights of the L1 and the squared L2 norm (seed 003, section 4.2)."""

    c1: Annotated[float, Field(ge=0)]
    c2: Annotated[float, Field(ge=0)]
    iterations: Annotated[int, Field(gt=0)]


class CrfdSettings(TokenCrfSettings):
    """Seed 001's rival: a CRF with the features of stat-deid."""

    families: Annotated[list[Family], Field(min_length=1)]


class ElasticNetSearchSettings(FrozenSettings):
    """Random search over c1 and c2 of crf-liu: of the texts, a fifth is held out."""

    trials: Annotated[int, Field(gt=0)] = 250
    lowest: Annotated[float, Field(gt=0)] = 1e-4
    highest: Annotated[float, Field(gt=0)] = 10.0
    iterations: Annotated[int, Field(gt=0)] = 40
    every: Annotated[int, Field(gt=0)] = 32
    """Every n-th letter is searched with."""
    processes: Annotated[int, Field(gt=0)] = 2
    seed: int = 3


class CrfLiuSettings(TokenCrfSettings):
    """Seed 003's feature-based CRF."""

    search: ElasticNetSearchSettings = ElasticNetSearchSettings()


class BiLstmCrfSettings(SystemSettings):
    """Seed 003's neural model; the defaults are the paper's, but for sizes."""

    language_model_hidden: Annotated[int, Field(gt=0)] = 256
    """Units of the language model of characters, in each direction."""
    language_model_chars: Annotated[int, Field(gt=0)] = 2_000_000
    """Characters of text that it is trained on."""
    text: Annotated[list[str], Field(default_factory=list)]
    """Patterns of files of German text, below the folder of the corpora, that the language model learns as well."""
    word_size: Annotated[int, Field(gt=0)] = 64
    char_size: Annotated[int, Field(gt=0)] = 32
    hidden: Annotated[int, Field(gt=0)] = 256
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.5
    batch: Annotated[int, Field(gt=0)] = 32
    learning_rate: Annotated[float, Field(gt=0)] = 0.1
    patience: Annotated[int, Field(gt=0)] = 3
    """Epochs without a lower loss after which the learning rate is halved."""
    epochs: Annotated[int, Field(gt=0)] = 150
    seed: int = 3


class DomeSettings(SystemSettings):
    """Seed 002's two transformers."""

    model: str | None = None
    """Folder of a pretrained model; None makes a small one without pretraining."""
    window: Annotated[int, Field(gt=8)] = 256
    """Word pieces that the model sees at once."""
    stride: Annotated[int, Field(gt=0)] = 64
    """Word pieces that two windows share."""
    epochs: Annotated[int, Field(gt=0)] = 10
    batch: Annotated[int, Field(gt=0)] = 16
    learning_rate: Annotated[float, Field(gt=0)] = 5e-5
    layers: Annotated[int, Field(gt=0)] = 2
    hidden: Annotated[int, Field(gt=0)] = 128
    pieces: Annotated[int, Field(gt=0)] = 8000
    """Word pieces of the small model."""
    seed: int = 3


class VoteSettings(SystemSettings):
    """Trained systems and pipelines that vote."""

    members: Annotated[list[str], Field(min_length=2)]
    method: Literal["majority", "stacked"] = "majority"
    """stacked: a logistic regression decides by the members' classes of each token."""
    c: Annotated[float, Field(gt=0)] = 1.0


class StudySettings(SystemSettings):
    """The texts of the papers' tables: letters, or so many notes of each half of the generator."""

    corpora: Annotated[list[str], Field(min_length=1)]
    """Sets of dev letters, or synthetic corpora."""
    seed: int = 2018
    shares: Annotated[list[float], Field(min_length=1)]
    """Of the letters, in the learning curve."""
    samples: Annotated[int, Field(gt=0)] = 3
    """Draws of each share."""
    domain_words: Annotated[int, Field(gt=0)] = 30_000
    """Of each domain, to train with, and as many to test with."""


class SystemsSettings(FrozenSettings):
    """The settings of each system by its name, with _ for -; studies: of the papers' tables."""

    stat_deid: StatDeidSettings
    crfd: CrfdSettings
    hmm: SystemSettings
    iterative: IterativeSettings
    crf_liu: CrfLiuSettings
    bilstm_crf: BiLstmCrfSettings
    dome: DomeSettings
    vote: VoteSettings
    studies: StudySettings
