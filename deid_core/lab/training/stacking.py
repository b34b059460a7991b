"""Trains the learned decision: a CRF over the words of marked texts and over what the recognisers say of them.

Each letter is trained on with the lists of the packages alone and with the larger lists, both in what recognisers say
and in the feature family `listed`, so that the model knows both; with the first also written again with other names,
other institutions and other carelessness (rewrite.py). Rules were mended by reading errors on some of these letters, so
they find more there than elsewhere; so that the model does not trust them more than they deserve, some of what they
find is left out at random. Beside letters there are texts in which less is marked (partially_annotated.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from deid_core.core.note import Note
from deid_core.crf.features.registry import build_templates
from deid_core.crf.features.word_knowledge import Lexicon
from deid_core.crf.model import LEXICON_SUFFIX, CrfModel
from deid_core.ensemble.stacking.classes import CLASS_OF, OUTSIDE
from deid_core.ensemble.stacking.features import StackingFeatures
from deid_core.lab.corpora.letters import AnnotatedLetter
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.training.crf_trainer.dataset import Possible
from deid_core.lab.training.crf_trainer.owlqn import Progress
from deid_core.lab.training.crf_trainer.token_streams import Stream
from deid_core.lab.training.crf_trainer.train import fit_crf
from deid_core.lab.training.settings import StackingTrainingSettings
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.pipeline.engine import Engine
from deid_core.text.document import Document
from deid_core.text.sequence import sequence_types, sequence_words
from deid_core.text.token_ranges import touched_tokens
from deid_core.text.tokens import LINE


class Mark(NamedTuple):
    """A range [start, end) in code points of a text, and the labels that its words may have."""

    start: int
    end: int
    possible: Possible


class LabelledSequence(NamedTuple):
    """A text as training sees it: the words of its sequence (note_sequence.py), what is said of each, and labels."""

    words: list[str]
    evidence: list[str]
    labels: list[Possible]


def labelled_sequence(
    note: Note, marks: Sequence[Mark], outside: Possible, engine: Engine, forget: float, draw: Draw
) -> LabelledSequence:
    """The text with the evidence of an engine's recognisers, without this share of their detections.

    outside: the labels that a word outside the marks may have.
    """
    document = engine.document(note)
    reader = StackingFeatures()
    detections = [found for found in engine.detections(document) if not draw.chance(forget)]
    types = reader.types(document, reader.arrays(document, detections)).tolist()
    _, numbers = sequence_types(document.tokens)
    of_token = labels(document, marks, outside)
    return LabelledSequence(
        sequence_words(document.tokens, document.vocabulary),
        [reader.vocabulary.words[types[n]] if n >= 0 else LINE for n in numbers.tolist()],
        [of_token[n] if n >= 0 else (OUTSIDE,) for n in numbers.tolist()],
    )


def labels(document: Document, marks: Sequence[Mark], outside: Possible) -> list[Possible]:
    """The labels that each token may have; where marks overlap those of the last one."""
    found = [outside] * len(document.tokens)
    starts, ends = (np.array(places, np.int32) for places in ([m.start for m in marks], [m.end for m in marks]))
    for mark, (first, behind) in zip(marks, touched_tokens(document, starts, ends), strict=True):
        found[first:behind] = [mark.possible] * (behind - first)
    return found


def marks_of(letter: AnnotatedLetter) -> list[Mark]:
    """The classes of a letter's marks; types that are of no class (postcodes, …) are left to the recognisers."""
    return [Mark(span.start, span.end, (CLASS_OF[span.type],)) for span in letter.gold if span.type in CLASS_OF]


def letter_sequences(
    letters: Iterable[AnnotatedLetter], engine: Engine, settings: StackingTrainingSettings, source: int = 0
) -> Iterator[LabelledSequence]:
    """The letters with the evidence of an engine's recognisers. source: of its lists (`train_stacking`)."""
    for number, letter in enumerate(letters):
        draw = Draw(f"{settings.seed}/{source}/{letter.note.note_id}/{number}")
        yield labelled_sequence(letter.note, marks_of(letter), (OUTSIDE,), engine, settings.detection_dropout, draw)


def train_stacking(
    settings: StackingTrainingSettings,
    words: CrfModel,
    sequences_of: Sequence[tuple[Gazetteer, Iterable[LabelledSequence]]],
    progress: Callable[[Progress], object] = lambda progress: None,
) -> CrfModel:
    """The model, without its knowledge of words, which is that of `words`; weights on the grid that makes sums exact.

    sequences_of: of each source its lists and the sequences whose words are looked up in them. Raises
    ConfigurationError if a feature needs a part of the lexicon that is not there.
    """
    lexicon = Lexicon.from_files(dict(words.files))
    templates = [
        build_templates(settings.features, replace(lexicon, gazetteer=gazetteer)) for gazetteer, _ in sequences_of
    ]
    of_words, of_evidence = Stream(templates), Stream([build_templates(settings.evidence, lexicon)])
    of_labels: list[list[Possible]] = []
    for source, (_, sequences) in enumerate(sequences_of):
        for sequence in sequences:
            of_words.add(sequence.words, source)
            of_evidence.add(sequence.evidence)
            of_labels.append(sequence.labels)
    crfsuite = fit_crf(
        [of_words, of_evidence],
        of_labels,
        c1=settings.c1,
        c2=settings.c2,
        steps=settings.iterations,
        progress=progress,
    )
    files = {name: data for name, data in words.files if name.endswith(LEXICON_SUFFIX)}
    model = CrfModel.of(settings.model, crfsuite, settings.features, files, settings.evidence)
    return model.without_lexicon()
