"""Partially annotated texts, in which only persons, places and organisations are annotated, for the stacking model.

Letters written for a project resemble each other. News, Wikipedia and court decisions are other German by others. A
word outside their annotations may still be a date, an age or a profession, and an organisation may be a hospital. So
the stacking model learns from the labels that a word may have, not from one label.

Recogniser `crf` was trained on the same texts and finds more in them than in others. So its detections in a text come
from a model that was trained on the other folds (Wolpert 1992).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from deid_core.core.labels import Label
from deid_core.core.note import Note
from deid_core.crf.features.families import build_templates
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.crf.model_folder import CrfModel
from deid_core.ensemble.stacking.type_groups import OUTSIDE, TYPE_GROUPS
from deid_core.lab.corpora import AnnotatedText
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.training.owlqn_trainer.dataset import AllowedLabels
from deid_core.lab.training.owlqn_trainer.token_streams import Stream
from deid_core.lab.training.owlqn_trainer.train import fit_crf
from deid_core.lab.training.sequences import Sequences, read_texts, sequences_of
from deid_core.lab.training.settings import StackingTrainingSettings, TrainingSettings
from deid_core.lab.training.stacking import AnnotatedRange, LabelledSequence, labelled_sequence
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec

UNANNOTATED: AllowedLabels = (OUTSIDE, "age", "date", "id", "phone", "postcode", "profession", "salute", "title")
"""The labels that a word outside annotations may have. Hospitals and departments are missing, although words like
"Krankenhaus" occur there: such texts never show where no hospital is, and the model would find hospitals anywhere."""
UNCERTAIN = Label.OTHER
"""Label of entities that the corpora's label maps drop: citations, works, words derived from names."""
POSSIBLE: Mapping[str, AllowedLabels] = {
    Label.PER: ("person", "title"),
    Label.LOC: ("town", "hospital", "street"),
    Label.ORG: ("organisation", "department", "hospital"),
    UNCERTAIN: (OUTSIDE, *TYPE_GROUPS),
}
"""The labels that a word may have, for each label of its annotation."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Texts of a fold, and the training sequences of all others for the model of recogniser `crf` that reads it."""

    texts: list[AnnotatedText]
    others: Sequences


def read_folds(settings: TrainingSettings, data: Path) -> list[Fold]:
    """Return the partially annotated corpora in folds; labels of spans are the keys of POSSIBLE.

    Raises ConfigurationError if a file does not exist or cannot be read.
    """
    folds = [Fold([], Sequences([], [])) for _ in range(settings.stacking.folds)]
    for corpus in settings.crf.train:
        partially_annotated = corpus.corpus in settings.stacking.partially_annotated
        dropped = UNCERTAIN if partially_annotated else None
        texts = read_texts(corpus, data, settings.crf.labels, settings.crf.text_tokens, dropped=dropped)
        # Folds are contiguous: neighbouring texts are of the same article or decision.
        ends = [len(texts) * number // len(folds) for number in range(len(folds) + 1)]
        parts = [texts[start:end] for start, end in pairwise(ends)]
        for number, fold in enumerate(folds):
            if partially_annotated:
                fold.texts.extend(parts[number])
            others = (part for other, part in enumerate(parts) if not partially_annotated or other != number)
            sequences = sequences_of(_without_uncertain(text) for part in others for text in part) * corpus.repeat
            fold.others.words.extend(sequences.words)
            fold.others.tags.extend(sequences.tags)
    return folds


def _without_uncertain(text: AnnotatedText) -> AnnotatedText:
    return replace(text, spans=tuple(span for span in text.spans if span.label != UNCERTAIN))


def model_without(fold: Fold, settings: TrainingSettings, word_knowledge: WordKnowledge) -> CrfModel:
    """Train a model of recogniser `crf` with the settings of `deid train crf` on all texts except the fold."""
    stream = Stream([build_templates(settings.crf.features, word_knowledge)])
    for words in fold.others.words:
        stream.add(words)
    tags: list[list[AllowedLabels]] = [[(tag,) for tag in of_text] for of_text in fold.others.tags]
    weights = fit_crf([stream], tags, c1=settings.crf.c1, c2=settings.crf.c2, steps=settings.crf.iterations)
    return CrfModel.from_weights(
        f"{settings.crf.model}, one fold left out", weights, settings.crf.features, word_knowledge.to_files()
    )


def partially_annotated_sequences(
    folds: Sequence[Fold], models: Sequence[CrfModel], spec: EngineSpec, settings: StackingTrainingSettings, source: int
) -> Iterator[LabelledSequence]:
    """Yield the texts of the folds with detections of engines whose recogniser `crf` has not seen the fold.

    source: number of the source of lists (`train_stacking`).
    """
    for fold, model in zip(folds, models, strict=True):
        engine = Engine(replace(spec, model=model))
        for text in fold.texts:
            draw = Draw(f"{settings.seed}/{source}/{text.id}")
            annotations = [AnnotatedRange(span.start, span.end, POSSIBLE[span.label]) for span in text.spans]
            yield labelled_sequence(
                Note(text.id, text.text), annotations, UNANNOTATED, engine, settings.detection_dropout, draw
            )
