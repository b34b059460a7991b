"""System `stat-deid`: seed 001's support vector machine, which classifies each token by its local context alone.

The features of a token are those of the words at five offsets, the two words before it, the two words after it, and
the heading above it. At use everything that depends on one word is computed once for its word type: the weights of its
features at an offset, added up, are a row of a table. A token takes one row for each offset.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, hstack

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.systems.base import TokenisingSystem, fingerprint, read_files, write_files
from deid_core.lab.systems.headings import token_headings
from deid_core.lab.systems.sentences import sentences
from deid_core.lab.systems.settings import StatDeidSettings
from deid_core.lab.systems.token_classes import CLASSES, Codes, spans_of, token_codes
from deid_core.lab.systems.word_features import EDGE, LINE, Family, WordFamily, normal, word_family
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.text.document import Document
from deid_core.text.note_sequence import FIRST_TYPE, NO_TOKEN, sequence_types
from deid_core.text.vocabulary import Vocabulary

NAME = "stat-deid"
_SETTINGS_FILE, _FEATURES_FILE, _WEIGHTS_FILE = "system.json", "features.json", "weights.npz"
_FILES = (_SETTINGS_FILE, _FEATURES_FILE, _WEIGHTS_FILE)
_REACH = 2
_BIGRAMS = {"before": (-2, -1), "after": (1, 2)}
_Array = npt.NDArray[Any]
Feature = tuple[str, ...]
"""(family, offset, value) of a word; ("bigrams", side, word, word); ("heading", heading)."""


class _Contexts(NamedTuple):
    """The tokens of a text. types: word types at the offsets -2 to 2, int64 (tokens, 5)."""

    types: _Array
    headings: list[str]


class _Words:
    """The word types of many texts, their normal forms and their features at each offset."""

    def __init__(self, families: Iterable[Family], gazetteer: Gazetteer) -> None:
        self.vocabulary = Vocabulary()
        self._of_word: list[tuple[Family, WordFamily]] = []
        self._others: set[Family] = set()
        for name in families:
            if family := word_family(name, gazetteer):
                self._of_word.append((name, family))
            else:
                self._others.add(name)
        self._values: list[list[tuple[str, ...]]] = []
        self._normal: list[str] = []

    def contexts(self, document: Document) -> _Contexts:
        """Return the words around each token; a line's end is a word as well."""
        types, numbers = sequence_types(document.tokens)
        padded = np.pad(types.astype(np.int64), _REACH)
        at = np.flatnonzero(numbers != NO_TOKEN) + _REACH
        around = padded[at[:, None] + np.arange(-_REACH, _REACH + 1)]
        headings = token_headings(document.text, document.tokens) if "heading" in self._others else []
        return _Contexts(around, headings)

    def word_features(self, kind: int, offset: int) -> Iterator[Feature]:
        """Yield the features of a word type (of `contexts`) for the token that is so many words before it."""
        self._extend()
        for (name, family), values in zip(self._of_word, self._values[kind], strict=True):
            if offset in family.window:
                yield from ((name, str(offset), value) for value in values)

    def text_features(self, contexts: _Contexts) -> Iterator[list[Feature]]:
        """Yield for each token the features that depend on more than one word."""
        self._extend()
        for number, around in enumerate(contexts.types.tolist()):
            found: list[Feature] = []
            if "bigrams" in self._others:
                found += (
                    ("bigrams", side, self._normal[around[a + _REACH]], self._normal[around[b + _REACH]])
                    for side, (a, b) in _BIGRAMS.items()
                )
            if "heading" in self._others and contexts.headings[number]:
                found.append(("heading", contexts.headings[number]))
            yield found

    def __len__(self) -> int:
        return len(self.vocabulary) + FIRST_TYPE

    def _extend(self) -> None:
        words = [EDGE, LINE, *self.vocabulary.words] if not self._values else self.vocabulary.words
        for word in words[len(self._values) - (FIRST_TYPE if self._values else 0) :]:
            self._values.append([family.values(word) for _, family in self._of_word])
            self._normal.append(normal(word))


class StatDeidFeatures:
    """The features of stat-deid for a model of sequences (`crfd`, seed 001, section 7.4)."""

    def __init__(self, families: Iterable[Family], gazetteer: Gazetteer) -> None:
        self._words = _Words(families, gazetteer)
        self.vocabulary = self._words.vocabulary

    def sequences(self, document: Document) -> Iterator[tuple[int, int, list[list[str]]]]:
        """Yield [start_token, end_token) of each sentence and the features of its tokens."""
        contexts = self._words.contexts(document)
        of_text = list(self._words.text_features(contexts))
        of_tokens = [
            ["|".join(f) for at, kind in enumerate(kinds) for f in self._words.word_features(kind, at - _REACH)]
            + ["|".join(f) for f in features]
            for kinds, features in zip(contexts.types.tolist(), of_text, strict=True)
        ]
        for start, end, _ in sentences(document):
            yield start, end, of_tokens[start:end]


class StatDeid(TokenisingSystem):
    """The trained system. features: number of each feature's row in weights, float32 (features + 1, classes + 1).

    The last row holds the intercepts.
    """

    name = NAME

    def __init__(
        self, families: Sequence[Family], features: Sequence[Feature], weights: _Array, gazetteer: Gazetteer
    ) -> None:
        self._families, self._features = list(families), list(features)
        self._weights = weights.astype(np.float16).astype(np.float32)
        self._row_of = {feature: row for row, feature in enumerate(features)}
        self._words = _Words(families, gazetteer)
        super().__init__(self._words.vocabulary)
        self._tables = np.zeros((0, 2 * _REACH + 1, weights.shape[1]), np.float32)
        self.fingerprint = fingerprint(self._files())

    @staticmethod
    def from_folder(folder: Path, gazetteer: Gazetteer) -> StatDeid:
        """Return the system that `save` wrote. Raises ConfigurationError if it is not there or of other classes."""
        written, [features, weights] = read_files(folder, NAME, _FILES)
        with np.load(io.BytesIO(weights), allow_pickle=False) as arrays:
            return StatDeid(written["families"], [*map(tuple, json.loads(features))], arrays["weights"], gazetteer)

    def save(self, folder: Path) -> None:
        """Write the system. Its features are words of the training texts."""
        write_files(folder, self._files())

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note: neighbours of one class are one span."""
        document = self.document(note)
        return spans_of(document.tokens, self.codes(document), NAME, "svm")

    def codes(self, document: Document) -> Codes:
        """Return the class of each token."""
        contexts = self._words.contexts(document)
        self._extend()
        scores = self._weights[-1] + self._tables[contexts.types, np.arange(2 * _REACH + 1)].sum(1)
        for number, features in enumerate(self._words.text_features(contexts)):
            for row in map(self._row_of.get, features):
                if row is not None:
                    scores[number] += self._weights[row]
        return np.asarray(scores.argmax(1), np.int64)

    def _extend(self) -> None:
        """Add a row at each offset for the word types that are new."""
        known, total = len(self._tables), len(self._words)
        if known == total:
            return
        added = np.zeros((total - known, *self._tables.shape[1:]), np.float32)
        for kind in range(known, total):
            for offset in range(-_REACH, _REACH + 1):
                rows = [
                    row for f in self._words.word_features(kind, offset) if (row := self._row_of.get(f)) is not None
                ]
                added[kind - known, offset + _REACH] = self._weights[rows].sum(0)
        self._tables = np.concatenate([self._tables, added])

    def _files(self) -> dict[str, bytes]:
        buffer = io.BytesIO()
        np.savez_compressed(buffer, weights=self._weights.astype(np.float16))
        settings = {"name": NAME, "classes": list(CLASSES), "families": self._families}
        texts = (settings, self._features)
        written = [json.dumps(text, ensure_ascii=False).encode() for text in texts]
        return dict(zip(_FILES, [*written, buffer.getvalue()], strict=True))


def train_stat_deid(
    settings: StatDeidSettings, gazetteer: Gazetteer, examples: Iterable[tuple[Note, Sequence[GoldSpan]]]
) -> StatDeid:
    """Return the system, trained on notes with their gold spans.

    Raises ConfigurationError if a package is missing or the notes have tokens of fewer than two classes.
    """
    features, matrix, codes = _table(settings, gazetteer, examples)
    known = np.unique(codes)
    if len(known) < 2:
        raise ConfigurationError(f"{NAME}: the texts to train on need tokens of two classes")
    return StatDeid(settings.families, features, _fitted(matrix, codes, settings.c), gazetteer)


def _table(
    settings: StatDeidSettings, gazetteer: Gazetteer, examples: Iterable[tuple[Note, Sequence[GoldSpan]]]
) -> tuple[list[Feature], csr_matrix, Codes]:
    """Return the features that are frequent enough, a row of ones for each token, and the tokens' classes."""
    words = _Words(settings.families, gazetteer)
    contexts, codes = [], []
    for note, gold in examples:
        tokens = words.vocabulary.tokenise(note.text)
        contexts.append(words.contexts(Document(note, tokens, words.vocabulary)))
        codes.append(token_codes(tokens, gold))
    features: list[Feature] = []
    blocks = []
    types = np.concatenate([of.types for of in contexts])
    for offset in range(-_REACH, _REACH + 1):
        # Of each word type once; then the rows of the types are those of the tokens.
        of_types = [words.word_features(kind, offset) for kind in range(len(words))]
        found, table = _ones(of_types)
        blocks.append(table[types[:, offset + _REACH]])
        features += found
    found, table = _ones(row for of in contexts for row in words.text_features(of))
    blocks.append(table)
    features += found
    matrix = hstack(blocks, format="csr", dtype=np.float64)
    frequent = np.asarray(matrix.sum(0)).ravel() >= settings.min_count
    return [f for f, keep in zip(features, frequent, strict=True) if keep], matrix[:, frequent], np.concatenate(codes)


def _ones(rows: Iterable[Iterable[Feature]]) -> tuple[list[Feature], csr_matrix]:
    """Return the distinct features of the rows in order of appearance, and a matrix with a one for each of a row."""
    numbers: dict[Feature, int] = {}
    columns: list[int] = []
    bounds = [0]
    for row in rows:
        columns += [numbers.setdefault(feature, len(numbers)) for feature in row]
        bounds.append(len(columns))
    shape = (len(bounds) - 1, len(numbers))
    return list(numbers), csr_matrix((np.ones(len(columns), np.float32), columns, bounds), shape)


def _fitted(matrix: csr_matrix, codes: Codes, c: float) -> _Array:
    """Return the weights of each class against the others, and the intercepts, float64 (features + 1, classes + 1).

    A class that no token has is never the best one.
    """
    from sklearn.svm import LinearSVC

    weights = np.zeros((matrix.shape[1] + 1, len(CLASSES) + 1))
    weights[-1] = np.finfo(np.float16).min
    for code in np.unique(codes).tolist():
        # The dual takes a tenth of the time of the primal.
        fitted = LinearSVC(C=c, dual=True, random_state=0, tol=1e-3).fit(matrix, codes == code)
        weights[:-1, code], weights[-1, code] = fitted.coef_[0], fitted.intercept_[0]
    return weights
