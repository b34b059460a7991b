"""Scores of a CRF model alone on annotated texts: exact entities (seed 003, section 4.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deid_core.core.note import Note
from deid_core.crf.model_folder import CrfModel
from deid_core.lab.corpora import AnnotatedText
from deid_core.lab.evaluate.entity_scores import EntityEvaluation, Match
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.crf import CrfRecogniser
from deid_core.recognisers.settings import CrfSettings
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary


def measure(
    model: CrfModel,
    texts: Iterable[AnnotatedText],
    labels: Sequence[str],
    threshold: float | None = None,
    *,
    gazetteer: Gazetteer | None = None,
) -> EntityEvaluation:
    """Return the scores of recogniser `crf` alone. threshold: None takes the best path.

    labels: of the model and the texts that are scored. gazetteer: for models with features of lists.
    """
    vocabulary = Vocabulary()
    settings = CrfSettings.model_validate(
        {"kind": "crf", "model": model.name, "labels": list(labels), "threshold": threshold}
    )
    recogniser = CrfRecogniser(settings, model.compiled(gazetteer), vocabulary)
    evaluation = EntityEvaluation(Match.EXACT)
    for text in texts:
        document = Document(Note(text.id, text.text), vocabulary.tokenise(text.text), vocabulary)
        gold = [span for span in text.spans if span.label in labels]
        evaluation.add(gold, recogniser.recognise(document))
    return evaluation
