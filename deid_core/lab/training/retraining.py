"""The stacking model trained again for a pipeline that lacks a part, so that what is left can make up for the part.

The training is a small one, the same for every pipeline, so that only differences between its models mean anything:
every n-th train letter, as it is, with the lists of the settings, few steps, no non-medical texts, and no layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora.letters import AnnotatedLetter, read_letters
from deid_core.lab.training.settings import TrainingSettings, letter_folders
from deid_core.lab.training.stacking import letter_sequences, train_stacking
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec


def ablation_letters(settings: TrainingSettings) -> list[AnnotatedLetter]:
    """Return every n-th letter of the stacking model's training. Raises ConfigurationError for mistakes in them."""
    letters = [letter for folder in letter_folders(settings.stacking.letters) for letter in read_letters(folder)]
    return letters[:: settings.ablation.every]


def retrained(spec: EngineSpec, settings: TrainingSettings, letters: Sequence[AnnotatedLetter]) -> EngineSpec:
    """Return the spec with a stacking model for its own detections of these letters; thresholds stay.

    A pipeline without the recogniser `crf` uses its word knowledge still. Raises ConfigurationError if the pipeline has
    no stacking model.
    """
    if spec.pipeline.stacking is None or spec.model is None:
        raise ConfigurationError(f"pipeline {spec.pipeline.name} has no stacking model to train again")
    before = spec.pipeline.model_copy(update={"stacking": None, "subtypes": None})
    engine = Engine(replace(spec, pipeline=before, stacking=None, subtypes=None))
    few = settings.stacking.model_copy(update={"iterations": settings.ablation.iterations, "convolution": None})
    sequences = letter_sequences(letters, engine, few)
    return replace(spec, stacking=train_stacking(few, spec.model, [(spec.gazetteer, sequences)]))
