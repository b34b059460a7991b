"""Texts in which only persons, places and organisations are marked, as sequences for the learned decision.

Letters that were written for a project are alike in ways that no reader of them sees. News and court decisions are
other German, by other hands. A word outside their marks may be a date, an age or a profession all the same, and an
organisation may be a hospital: so the decision learns from them which labels a word may have.

Recogniser `crf` was trained on the same texts and finds more in them than elsewhere. So what it says of a text comes
from a model that has seen only the other folds (Wolpert 1992).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from deid_core.core.labels import Label
from deid_core.core.note import Note
from deid_core.crf.features.registry import build_templates
from deid_core.crf.features.word_knowledge import Lexicon
from deid_core.crf.model import CrfModel
from deid_core.ensemble.stacking.classes import CLASSES, OUTSIDE
from deid_core.lab.corpora import AnnotatedText
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.training.crf_trainer.dataset import Possible
from deid_core.lab.training.crf_trainer.token_streams import Stream
from deid_core.lab.training.crf_trainer.train import fit_crf
from deid_core.lab.training.sequences import Sequences, read_texts, sequences_of
from deid_core.lab.training.settings import StackingTrainingSettings, TrainingSettings
from deid_core.lab.training.stacking import LabelledSequence, Mark, labelled_sequence
from deid_core.pipeline.engine import Engine, EngineSpec

UNANNOTATED: Possible = (OUTSIDE, "age", "date", "id", "phone", "profession", "title")
"""The labels of a word outside the marks. Hospitals and departments are not among them, though words that are a part of
one in a letter stand there without a mark ("Krankenhaus"): nothing in news says where there is none, so a model that
may think of them finds them anywhere."""
UNCERTAIN = Label.OTHER
"""The label of what the corpora's label maps drop: citations, works, words derived from names."""
POSSIBLE: Mapping[str, Possible] = {
    Label.PER: ("person", "title"),
    Label.LOC: ("town", "hospital", "street"),
    Label.ORG: ("organisation", "department", "hospital"),
    UNCERTAIN: (OUTSIDE, *CLASSES),
}
"""The labels of a word with a mark of each label."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A part of the texts, and what the model of recogniser `crf` that reads them is trained on: all but them."""

    texts: list[AnnotatedText]
    others: Sequences


def read_folds(settings: TrainingSettings, data: Path) -> list[Fold]:
    """The corpora of the decision that are partly marked, cut into folds; labels of spans are those of POSSIBLE.

    Raises ConfigurationError if a file does not exist or cannot be read.
    """
    folds = [Fold([], Sequences([], [])) for _ in range(settings.stacking.folds)]
    for corpus in settings.train:
        partially_annotated = corpus.corpus in settings.stacking.partially_annotated
        dropped = UNCERTAIN if partially_annotated else None
        texts = read_texts(corpus, data, settings.labels, settings.text_tokens, dropped=dropped)
        # In whole stretches: texts that follow each other are of one article or decision.
        ends = [len(texts) * number // len(folds) for number in range(len(folds) + 1)]
        parts = [texts[first:end] for first, end in pairwise(ends)]
        for number, fold in enumerate(folds):
            if partially_annotated:
                fold.texts.extend(parts[number])
            others = (part for other, part in enumerate(parts) if not partially_annotated or other != number)
            made = sequences_of(_without_uncertain(text) for part in others for text in part) * corpus.repeat
            fold.others.words.extend(made.words)
            fold.others.tags.extend(made.tags)
    return folds


def _without_uncertain(text: AnnotatedText) -> AnnotatedText:
    return replace(text, spans=tuple(span for span in text.spans if span.label != UNCERTAIN))


def model_without(fold: Fold, settings: TrainingSettings, lexicon: Lexicon) -> CrfModel:
    """A model of recogniser `crf` with the settings of `deid train crf`, of all texts but those of the fold."""
    stream = Stream([build_templates(settings.features, lexicon)])
    for words in fold.others.words:
        stream.add(words)
    tags: list[list[Possible]] = [[(tag,) for tag in of_text] for of_text in fold.others.tags]
    crfsuite = fit_crf([stream], tags, c1=settings.c1, c2=settings.c2, steps=settings.iterations)
    return CrfModel.of(f"{settings.model}, one fold left out", crfsuite, settings.features, lexicon.to_files())


def partially_annotated_sequences(
    folds: Sequence[Fold], models: Sequence[CrfModel], spec: EngineSpec, settings: StackingTrainingSettings, source: int
) -> Iterator[LabelledSequence]:
    """The texts of folds with the evidence of engines whose recogniser `crf` has the model without the fold.

    source: of the lists (`train_stacking`).
    """
    for fold, model in zip(folds, models, strict=True):
        engine = Engine(replace(spec, model=model))
        for text in fold.texts:
            draw = Draw(f"{settings.seed}/{source}/{text.id}")
            marks = [Mark(span.start, span.end, POSSIBLE[span.label]) for span in text.spans]
            yield labelled_sequence(
                Note(text.id, text.text), marks, UNANNOTATED, engine, settings.detection_dropout, draw
            )
