"""A CRF over features of tokens, trained by CRFsuite: of system `crf-liu`, and of stat-deid's features (`crfd`).

`crfd` is seed 001's rival (section 7.4): exactly the features of stat-deid, and the best sequence of classes over a
sentence. It tells what the sequence adds to local context.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pycrfsuite

from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.systems.base import TokenisingSystem, fingerprint, read_files, write_files
from deid_core.lab.systems.settings import TokenCrfSettings
from deid_core.lab.systems.token_classes import CLASSES, bio_tags, spans_of_tags
from deid_core.lab.systems.word_features import Family
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

_SETTINGS_FILE, _MODEL_FILE = "system.json", "model.crfsuite"


class SequenceFeatures(Protocol):
    """What a CRF sees: sequences of tokens with their features."""

    def sequences(self, document: Document) -> Iterator[tuple[int, int, list[list[str]]]]:
        """Yield [start_token, end_token) of each sequence and the features of its tokens."""


class TokenCrf(TokenisingSystem):
    """The trained system. vocabulary: the one that `features` was made with; model: a file of CRFsuite.

    families: of features, of `crfd`.
    """

    def __init__(
        self,
        name: str,
        features: SequenceFeatures,
        vocabulary: Vocabulary,
        model: bytes,
        families: Sequence[str] = (),
    ) -> None:
        super().__init__(vocabulary)
        self.name, self._families = name, list(families)
        self._features, self._model = features, model
        self._tagger = pycrfsuite.Tagger()
        self._tagger.open_inmemory(model)
        self.fingerprint = fingerprint(self._files())

    @staticmethod
    def from_folder(folder: Path, name: str, features: SequenceFeatures, vocabulary: Vocabulary) -> TokenCrf:
        """Return the system that `save` wrote. Raises ConfigurationError if it is not there or of other classes."""
        written, [model] = read_files(folder, name, (_SETTINGS_FILE, _MODEL_FILE))
        return TokenCrf(name, features, vocabulary, model, written["families"])

    @staticmethod
    def families(folder: Path, name: str) -> list[Family]:
        """Return the families of features of the system in a folder. Raises ConfigurationError as `from_folder`."""
        written, _ = read_files(folder, name, (_SETTINGS_FILE,))
        found: list[Family] = written["families"]
        return found

    def save(self, folder: Path) -> None:
        """Write the system. Its features are words of the training texts."""
        write_files(folder, self._files())

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note."""
        document = self.document(note)
        found: list[str] = []
        for _, _, features in self._features.sequences(document):
            found += self._tagger.tag(features)
        return spans_of_tags(document.tokens, found, self.name, "crf")

    def _files(self) -> dict[str, bytes]:
        settings = {"name": self.name, "classes": list(CLASSES), "families": self._families}
        return {_SETTINGS_FILE: json.dumps(settings).encode(), _MODEL_FILE: self._model}


Tagged = tuple[list[list[str]], list[str]]
"""A sequence: the features and the tag of each token."""


def tagged_sequences(
    features: SequenceFeatures, vocabulary: Vocabulary, examples: Iterable[tuple[Note, Sequence[GoldSpan]]]
) -> Iterator[Tagged]:
    """Yield the sequences of annotated notes."""
    reader = TokenisingSystem(vocabulary)
    for note, gold in examples:
        document = reader.document(note)
        tags = bio_tags(document.tokens, gold)
        for start, end, of_tokens in features.sequences(document):
            yield of_tokens, tags[start:end]


def train_crfsuite(sequences: Iterable[Tagged], *, c1: float, c2: float, iterations: int) -> bytes:
    """Return CRFsuite's model. c1, c2: weights of the L1 and the squared L2 norm."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": c1, "c2": c2, "max_iterations": iterations})
    for features, tags in sequences:
        trainer.append(features, tags)
    with tempfile.TemporaryDirectory(prefix="deid-train-") as folder:
        file = Path(folder, "model.crfsuite")
        trainer.train(str(file))
        return file.read_bytes()


def train_token_crf(
    name: str,
    settings: TokenCrfSettings,
    features: SequenceFeatures,
    vocabulary: Vocabulary,
    examples: Iterable[tuple[Note, Sequence[GoldSpan]]],
) -> TokenCrf:
    """Return the system, trained on notes with their gold spans."""
    sequences = tagged_sequences(features, vocabulary, examples)
    model = train_crfsuite(sequences, c1=settings.c1, c2=settings.c2, iterations=settings.iterations)
    return TokenCrf(name, features, vocabulary, model, getattr(settings, "families", ()))
