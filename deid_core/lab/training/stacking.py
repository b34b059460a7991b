"""Trains the stacking model: a CRF over the words of annotated texts and the detections of a pipeline's recognisers.

Each letter is used with the lists of the packages and with the larger lists, for the detections and for the feature
family `listed`, so that the model knows both. With the first, letters are also augmented (augmentation.py). Rules were
improved on errors in some of these letters, so they work better there than elsewhere. Dropping a random share of the
detections keeps the model from trusting them too much. Partially annotated texts are added (partial_annotation.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from deid_core.core.labels import PhiType
from deid_core.core.note import Note
from deid_core.crf.features.families import build_templates
from deid_core.crf.features.word_knowledge import WordKnowledge
from deid_core.crf.model_folder import WORD_KNOWLEDGE_FILES, CrfModel
from deid_core.crf.weights import CrfWeights
from deid_core.ensemble.stacking.detection_features import StackingFeatures
from deid_core.ensemble.stacking.type_groups import OUTSIDE, TYPE_GROUP_OF, TYPE_GROUPS
from deid_core.lab.corpora.letters import AnnotatedLetter
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.training.owlqn_trainer.dataset import AllowedLabels
from deid_core.lab.training.owlqn_trainer.owlqn import Progress
from deid_core.lab.training.owlqn_trainer.token_streams import Stream
from deid_core.lab.training.owlqn_trainer.train import fit_crf
from deid_core.lab.training.settings import StackingTrainingSettings
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.pipeline.engine import Engine
from deid_core.text.document import Document
from deid_core.text.note_sequence import sequence_types, sequence_words
from deid_core.text.token_ranges import overlapping_tokens
from deid_core.text.tokens import LINE


class AnnotatedRange(NamedTuple):
    """A range [start, end) in code points of a text, and the labels that its words may have."""

    start: int
    end: int
    allowed: AllowedLabels


class LabelledSequence(NamedTuple):
    """A training sequence: words (text/note_sequence.py), the set of detections at each word, allowed labels."""

    words: list[str]
    detections: list[str]
    labels: list[AllowedLabels]


def labelled_sequence(
    note: Note,
    annotations: Sequence[AnnotatedRange],
    outside: AllowedLabels,
    engine: Engine,
    dropout: float,
    draw: Draw,
    without: Collection[str] = (),
) -> LabelledSequence:
    """Return the text with the detections of an engine, of which the share `dropout` is dropped at random.

    outside: the labels that a word outside annotations may have. without: recognisers whose detections are left out.
    """
    document = engine.document(note)
    reader = StackingFeatures(engine.spec.gazetteer)
    detections = [d for d in engine.detections(document) if d.recogniser not in without and not draw.chance(dropout)]
    types = reader.types(document, reader.arrays(document, detections)).tolist()
    _, numbers = sequence_types(document.tokens)
    of_token = labels(document, annotations, outside)
    return LabelledSequence(
        sequence_words(document.tokens, document.vocabulary),
        [reader.vocabulary.words[types[n]] if n >= 0 else LINE for n in numbers.tolist()],
        [of_token[n] if n >= 0 else (OUTSIDE,) for n in numbers.tolist()],
    )


def labels(document: Document, annotations: Sequence[AnnotatedRange], outside: AllowedLabels) -> list[AllowedLabels]:
    """Return the labels that each token may have; where annotations overlap, those of the last one.

    Annotations have places of the note as it is stored, tokens those of its normalised text.
    """
    found = [outside] * len(document.tokens)
    starts, ends = document.ranges([(annotation.start, annotation.end) for annotation in annotations])
    for annotation, (start_token, end_token) in zip(
        annotations, overlapping_tokens(document, starts, ends), strict=True
    ):
        found[start_token:end_token] = [annotation.allowed] * (end_token - start_token)
    return found


def annotations_of(letter: AnnotatedLetter) -> list[AnnotatedRange]:
    """Return a letter's annotations with the model's labels; web and e-mail addresses have none and are left to rules.

    What else identifies somebody (`other`) has no group, but is not outside either: the sign of a ship is an
    identifier, and the words of an office may be anything.
    """
    text = letter.note.text
    return [
        AnnotatedRange(span.start, span.end, stacking_labels_of(span.type, text[span.start : span.end]))
        for span in letter.gold
        if span.type in TYPE_GROUP_OF or span.type is PhiType.OTHER
    ]


def stacking_labels_of(phi: PhiType, text: str) -> AllowedLabels:
    """Return the labels that the words of an annotation may have. text: of the annotation."""
    if phi is not PhiType.OTHER:
        return (TYPE_GROUP_OF.get(phi, OUTSIDE),)
    return ("id",) if any(map(str.isdecimal, text)) else (OUTSIDE, *TYPE_GROUPS)


def letter_sequences(
    letters: Iterable[AnnotatedLetter], engine: Engine, settings: StackingTrainingSettings, source: int = 0
) -> Iterator[LabelledSequence]:
    """Yield the letters with the detections of an engine. source: number of its source of lists (`train_stacking`)."""
    for number, letter in enumerate(letters):
        draw = Draw(f"{settings.seed}/{source}/{letter.note.note_id}/{number}")
        yield labelled_sequence(
            letter.note, annotations_of(letter), (OUTSIDE,), engine, settings.detection_dropout, draw
        )


def train_stacking(
    settings: StackingTrainingSettings,
    words: CrfModel,
    sources: Sequence[tuple[Gazetteer, Iterable[LabelledSequence]]],
    progress: Callable[[Progress], object] = lambda progress: None,
    log: Callable[[str], object] = lambda line: None,
    *,
    weights: CrfWeights | None = None,
    keep: Callable[[CrfModel], object] = lambda model: None,
) -> CrfModel:
    """Return the model, its weights rounded to the grid, without the word knowledge, which it shares with `words`.

    sources: lists, and the sequences whose words are looked up in them. progress: is told of the steps of the weights'
    training; log: of the batches of the layers'. weights: those of a trained model; then layers alone are trained.
    keep: is given new weights before the layers are trained, which can break down. Raises ConfigurationError if a
    feature needs a missing part of the word knowledge, or if the training of the layers breaks down.
    """
    word_knowledge = WordKnowledge.from_files(dict(words.files))
    templates = [
        build_templates(settings.features, replace(word_knowledge, gazetteer=gazetteer)) for gazetteer, _ in sources
    ]
    of_words, of_detections = Stream(templates), Stream([build_templates(settings.detections, word_knowledge)])
    of_labels: list[list[AllowedLabels]] = []
    for source, (_, sequences) in enumerate(sources):
        for sequence in sequences:
            of_words.add(sequence.words, source)
            of_detections.add(sequence.detections)
            of_labels.append(sequence.labels)
    found = weights or fit_crf(
        [of_words, of_detections],
        of_labels,
        c1=settings.c1,
        c2=settings.c2,
        steps=settings.iterations,
        progress=progress,
    )
    files = {name: data for name, data in words.files if name in WORD_KNOWLEDGE_FILES}
    model = CrfModel.from_weights(settings.model, found, settings.features, files, settings.detections)
    if settings.convolution is not None:
        if weights is None:
            keep(model.without_word_knowledge())
        # Imported here: PyTorch is an extra.
        from deid_core.lab.training.convolution import fit_convolution

        model = model.with_convolution(
            fit_convolution(of_words, of_detections, of_labels, found, settings.convolution, log)
        )
    return model.without_word_knowledge()
