"""`systems:` of conf/training.yaml: what each system is trained on, and how."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from deid_core.core.settings import FrozenSettings
from deid_core.lab.systems.word_features import Family


class SystemSettings(FrozenSettings):
    """The texts that a system is trained on."""

    letters: list[str]
    """Corpora of letters in conf/corpora.yaml, or paths of folders of letters (with a "/")."""
    every: Annotated[int, Field(gt=0)] = 1
    """Every n-th letter is trained on."""
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


class SystemsSettings(FrozenSettings):
    """The settings of each system by its name, with _ for -."""

    stat_deid: StatDeidSettings
    iterative: IterativeSettings
