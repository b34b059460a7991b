"""Trains the learned decision: a CRF over the words of marked letters and over what the recognisers say of them.

Each letter is trained on with the lists of the packages alone and with the larger lists, both in what recognisers say
and in the feature family `listed`, so that the model knows both; with the first also written again with other names
and other carelessness (rewrite.py). Rules were mended by reading errors on some of these letters, so they find more
there than elsewhere; so that the model does not trust them more than they deserve, some of what they find is left out
at random.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from deid_core.corpora.letters import Letter
from deid_core.decide.classes import CLASS_OF, OUTSIDE
from deid_core.decide.evidence import EvidenceReader
from deid_core.engine import Engine
from deid_core.recognise.base import Document
from deid_core.recognise.terms import touched_tokens
from deid_core.sequence.crfsuite_file import round_weights
from deid_core.sequence.families import build_templates
from deid_core.sequence.features import LINE, Templates
from deid_core.sequence.lexicon import Lexicon
from deid_core.sequence.model import CrfModel
from deid_core.sequence.note_sequence import sequence_types, sequence_words
from deid_core.spans import GoldSpan
from deid_core.synthetic.draw import Draw
from deid_core.training.crf import estimator
from deid_core.training.settings import DecisionTrainingSettings


class Examples(Sequence[list[list[str]]]):
    """Letters as sequences of attribute strings, made one at a time, and their labels."""

    def __init__(self, evidence: Templates) -> None:
        self._evidence = evidence
        self._sequences: list[tuple[Templates, list[str], list[str]]] = []
        self.labels: list[list[str]] = []

    def add(self, letters: Iterable[Letter], engine: Engine, words: Templates, forget: float, seed: int) -> None:
        """Adds each letter with the evidence of an engine's recognisers, without this share of their detections.

        words: the templates of its words, which may look them up in the engine's lists.
        """
        for letter in letters:
            document = engine.document(letter.note)
            reader, draw = EvidenceReader(), Draw(f"{seed}/{letter.note.note_id}/{len(self)}")
            detections = [found for found in engine.detections(document) if not draw.chance(forget)]
            types = reader.types(document, reader.said(document, detections)).tolist()
            _, numbers = sequence_types(document.tokens)
            said = [reader.vocabulary.words[types[n]] if n >= 0 else LINE for n in numbers.tolist()]
            self._sequences.append((words, sequence_words(document.tokens, document.vocabulary), said))
            of_token = labels(document, letter.gold)
            self.labels.append([of_token[n] if n >= 0 else OUTSIDE for n in numbers.tolist()])

    def __len__(self) -> int:
        return len(self._sequences)

    def __iter__(self) -> Iterator[list[list[str]]]:
        return (self[at] for at in range(len(self)))

    def __getitem__(self, at: int) -> list[list[str]]:  # type: ignore[override]
        templates, words, said = self._sequences[at]
        both = zip(templates.attributes(words), self._evidence.attributes(said), strict=True)
        return [of_word + of_evidence for of_word, of_evidence in both]


def labels(document: Document, gold: Sequence[GoldSpan]) -> list[str]:
    """The class of each token, or OUTSIDE; types that are of no class (postcodes, …) are left to the recognisers."""
    found = [OUTSIDE] * len(document.tokens)
    starts, ends = (np.array(places, np.int32) for places in ([s.start for s in gold], [s.end for s in gold]))
    for span, (first, behind) in zip(gold, touched_tokens(document, starts, ends), strict=True):
        if span.type in CLASS_OF:
            found[first:behind] = [CLASS_OF[span.type]] * (behind - first)
    return found


def train_decision(
    settings: DecisionTrainingSettings, words: CrfModel, examples_of: Iterable[tuple[Engine, Sequence[Letter]]]
) -> CrfModel:
    """The model, without its knowledge of words, which is that of `words`; weights on the grid that makes sums exact.

    examples_of: engines, each with the letters whose evidence is taken from it. Raises ConfigurationError if a feature
    needs a part of the lexicon that is not there.
    """
    lexicon = Lexicon.from_files(dict(words.files))
    examples = Examples(build_templates(settings.evidence, lexicon))
    for engine, letters in examples_of:
        templates = build_templates(settings.features, replace(lexicon, gazetteer=engine.spec.gazetteer))
        examples.add(letters, engine, templates, settings.forget, settings.seed)
    with tempfile.TemporaryDirectory(prefix="deid-train-") as folder:
        file = Path(folder, "model.crfsuite")
        # It takes an hour; who waits sees how far it is.
        estimator(settings.c1, settings.c2, settings.iterations, file, verbose=True).fit(examples, examples.labels)
        crfsuite = round_weights(file.read_bytes())
    files = {name: data for name, data in words.files if name.endswith(".npz")}
    model = CrfModel.of(settings.model, crfsuite, settings.features, files, settings.evidence)
    return model.without_lexicon()
