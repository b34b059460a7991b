"""Trains a CRF with CRFsuite, through the estimator of sklearn-crfsuite.

L-BFGS runs in one thread without random numbers: the same texts, features and settings give the same bytes on one
machine.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import sklearn_crfsuite

from deid_core.crf.crfsuite_file import round_weights
from deid_core.crf.features.families import build_templates
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.crf.model_folder import CrfModel
from deid_core.lab.training.sequences import AttributeSequences, Sequences
from deid_core.lab.training.settings import CrfTrainingSettings


def estimator(c1: float, c2: float, iterations: int, model_file: Path | None = None) -> sklearn_crfsuite.CRF:
    """Return sklearn-crfsuite's estimator with elastic net. c1, c2: weights of the L1 and the squared L2 norm."""
    return sklearn_crfsuite.CRF(
        algorithm="lbfgs",
        c1=c1,
        c2=c2,
        max_iterations=iterations,
        model_filename=model_file and str(model_file),
    )


def train(
    settings: CrfTrainingSettings,
    word_knowledge: WordKnowledge,
    sequences: Sequences,
    *,
    c1: float | None = None,
    c2: float | None = None,
    iterations: int | None = None,
) -> CrfModel:
    """Return a model with the features of the settings, its weights rounded to the grid.

    c1, c2, iterations override the settings. Raises ConfigurationError if a feature lacks its word knowledge.
    """
    learner = (settings.c1 if c1 is None else c1, settings.c2 if c2 is None else c2, iterations or settings.iterations)
    templates = build_templates(settings.features, word_knowledge)
    with tempfile.TemporaryDirectory(prefix="deid-train-") as folder:
        file = Path(folder, "model.crfsuite")
        estimator(*learner, file).fit(AttributeSequences(templates, sequences.words), sequences.tags)
        crfsuite = round_weights(file.read_bytes())
    return CrfModel.from_crfsuite(settings.model, crfsuite, settings.features, word_knowledge.to_files())
