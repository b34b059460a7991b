"""Trains the learned decision: a CRF over the words of marked letters and over what the recognisers say of them.

Each letter is trained on with the lists of the packages alone and with the larger lists, both in what recognisers say
and in the feature family `listed`, so that the model knows both; with the first also written again with other names,
other institutions and other carelessness (rewrite.py). Rules were mended by reading errors on some of these letters, so
they find more there than elsewhere; so that the model does not trust them more than they deserve, some of what they
find is left out at random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from deid_core.corpora.letters import Letter
from deid_core.decide.classes import CLASS_OF, OUTSIDE
from deid_core.decide.evidence import EvidenceReader
from deid_core.engine import Engine
from deid_core.recognise.base import Document
from deid_core.recognise.terms import touched_tokens
from deid_core.sequence.families import build_templates
from deid_core.sequence.features import LINE
from deid_core.sequence.lexicon import Lexicon
from deid_core.sequence.model import LEXICON_SUFFIX, CrfModel
from deid_core.sequence.note_sequence import sequence_types, sequence_words
from deid_core.spans import GoldSpan
from deid_core.synthetic.draw import Draw
from deid_core.training.chain.examples import Examples
from deid_core.training.chain.minimise import Progress, minimise
from deid_core.training.chain.objective import Objective
from deid_core.training.chain.streams import Stream
from deid_core.training.chain.to_crfsuite import to_crfsuite
from deid_core.training.settings import DecisionTrainingSettings


class LetterSequence(NamedTuple):
    """A letter as training sees it: the words of its sequence (note_sequence.py), what is said of each, and labels."""

    words: list[str]
    evidence: list[str]
    labels: list[str]


def letter_sequence(letter: Letter, engine: Engine, forget: float, draw: Draw) -> LetterSequence:
    """The letter with the evidence of an engine's recognisers, without this share of their detections."""
    document = engine.document(letter.note)
    reader = EvidenceReader()
    detections = [found for found in engine.detections(document) if not draw.chance(forget)]
    types = reader.types(document, reader.said(document, detections)).tolist()
    _, numbers = sequence_types(document.tokens)
    of_token = labels(document, letter.gold)
    return LetterSequence(
        sequence_words(document.tokens, document.vocabulary),
        [reader.vocabulary.words[types[n]] if n >= 0 else LINE for n in numbers.tolist()],
        [of_token[n] if n >= 0 else OUTSIDE for n in numbers.tolist()],
    )


def labels(document: Document, gold: Sequence[GoldSpan]) -> list[str]:
    """The class of each token, or OUTSIDE; types that are of no class (postcodes, …) are left to the recognisers."""
    found = [OUTSIDE] * len(document.tokens)
    starts, ends = (np.array(places, np.int32) for places in ([s.start for s in gold], [s.end for s in gold]))
    for span, (first, behind) in zip(gold, touched_tokens(document, starts, ends), strict=True):
        if span.type in CLASS_OF:
            found[first:behind] = [CLASS_OF[span.type]] * (behind - first)
    return found


def train_decision(
    settings: DecisionTrainingSettings,
    words: CrfModel,
    letters_of: Sequence[tuple[Engine, Sequence[Letter]]],
    progress: Callable[[Progress], object] = lambda progress: None,
) -> CrfModel:
    """The model, without its knowledge of words, which is that of `words`; weights on the grid that makes sums exact.

    letters_of: engines, each with the letters whose evidence is taken from it, and whose words are looked up in its
    lists. Raises ConfigurationError if a feature needs a part of the lexicon that is not there.
    """
    lexicon = Lexicon.from_files(dict(words.files))
    templates = [
        build_templates(settings.features, replace(lexicon, gazetteer=engine.spec.gazetteer))
        for engine, _ in letters_of
    ]
    of_words, of_evidence = Stream(templates), Stream([build_templates(settings.evidence, lexicon)])
    of_labels: list[list[str]] = []
    for source, (engine, letters) in enumerate(letters_of):
        for letter in letters:
            draw = Draw(f"{settings.seed}/{letter.note.note_id}/{len(of_labels)}")
            sequence = letter_sequence(letter, engine, settings.forget, draw)
            of_words.add(sequence.words, source)
            of_evidence.add(sequence.evidence)
            of_labels.append(sequence.labels)
    objective = Objective(Examples([of_words, of_evidence], of_labels), settings.c2)
    weights = minimise(objective, objective.start, c1=settings.c1, steps=settings.iterations, progress=progress)
    crfsuite = to_crfsuite(objective.model(weights).rounded())
    files = {name: data for name, data in words.files if name.endswith(LEXICON_SUFFIX)}
    model = CrfModel.of(settings.model, crfsuite, settings.features, files, settings.evidence)
    return model.without_lexicon()
