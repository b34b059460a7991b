"""System `hmm`: a hidden Markov model after IdentiFinder (seed 001, sections 2.2 and 7.3), trained on letters here.

Of each class it learns a bigram model of words, in which a word is the word itself or, if it is rare, its form. It
finds the most likely sequence of classes of a sentence. Back-off is by fixed shares, not by IdentiFinder's counts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.systems.base import TokenisingSystem, fingerprint, read_files, write_files
from deid_core.lab.systems.sentences import sentences, tagged_sentences
from deid_core.lab.systems.token_classes import CLASSES, spans_of, token_codes

NAME = "hmm"
_FILE = "system.json"
_START = "<s>"
_RARE = 5
"""A word that is seen less often counts as its form."""
_BIGRAM, _UNIGRAM = 0.6, 0.35
"""Shares of the word after the word before, and of the word alone; the rest is for any word."""
_CODES = len(CLASSES) + 1
_FORMS = (
    (re.compile(r"\d\d"), "<two digits>"), (re.compile(r"\d{4}"), "<four digits>"), (re.compile(r"\d+"), "<number>"),
    (re.compile(r"\d[\d./:,-]*"), "<number with marks>"), (re.compile(r"(?=.*\d).*"), "<letters and digits>"),
    (re.compile(r"[A-ZÄÖÜ]\.?"), "<initial>"), (re.compile(r"[^a-zß]+"), "<capitals>"),
    (re.compile(r"[A-ZÄÖÜ].*"), "<capitalised>"), (re.compile(r".*"), "<other>"),
)  # fmt: skip
Counts = dict[str, float]


@cache
def form(word: str) -> str:
    """Return the form of a word: IdentiFinder's word features."""
    return next(name for expression, name in _FORMS if expression.fullmatch(word))


class Hmm(TokenisingSystem):
    """The trained system. words: frequent ones; moves: log probability from class to class, row _CODES is the start.

    unigrams, bigrams: for each class the probability of a word, and of a word after another one.
    """

    name = NAME

    def __init__(
        self, words: Iterable[str], moves: Sequence[Sequence[float]], unigrams: list[Counts], bigrams: list[Counts]
    ) -> None:
        super().__init__()
        self._words, self._moves = frozenset(words), np.array(moves)
        self._unigrams, self._bigrams = unigrams, bigrams
        self.fingerprint = fingerprint(self._files())

    @staticmethod
    def from_folder(folder: Path) -> Hmm:
        """Return the system that `save` wrote. Raises ConfigurationError if it is not there or of other classes."""
        of, _ = read_files(folder, NAME, (_FILE,))
        return Hmm(of["words"], of["moves"], of["unigrams"], of["bigrams"])

    def save(self, folder: Path) -> None:
        """Write the system. It holds words of the training texts."""
        write_files(folder, self._files())

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note."""
        document = self.document(note)
        codes = np.zeros(len(document.tokens), np.int64)
        for start, end, words in sentences(document):
            codes[start:end] = self._best([_shown(word, self._words) for word in words])
        return spans_of(document.tokens, codes, NAME, "hmm")

    def _best(self, shown: Sequence[str]) -> list[int]:
        """Return the most likely classes (Viterbi)."""
        scores = self._moves[_CODES] + self._emissions(_START, shown[0])
        backs = []
        for before, word in pairwise(shown):
            through = scores[:, None] + self._moves[:_CODES]
            backs.append(through.argmax(0))
            scores = through.max(0) + self._emissions(before, word)
        path = [int(scores.argmax())]
        for back in reversed(backs):
            path.append(int(back[path[-1]]))
        return path[::-1]

    def _emissions(self, before: str, word: str) -> npt.NDArray[np.float64]:
        pair = f"{before}\t{word}"
        return np.log(
            [
                _BIGRAM * self._bigrams[code].get(pair, 0.0)
                + _UNIGRAM * self._unigrams[code].get(word, 0.0)
                + (1 - _BIGRAM - _UNIGRAM) / (len(self._words) + len(_FORMS))
                for code in range(_CODES)
            ]
        )

    def _files(self) -> dict[str, bytes]:
        settings: dict[str, Any] = {
            "name": NAME,
            "classes": list(CLASSES),
            "words": sorted(self._words),
            "moves": self._moves.tolist(),
            "unigrams": self._unigrams,
            "bigrams": self._bigrams,
        }
        return {_FILE: json.dumps(settings, ensure_ascii=False).encode()}


def train_hmm(examples: Iterable[tuple[Note, Sequence[GoldSpan]]]) -> Hmm:
    """Return the system, trained on notes with their gold spans."""
    texts = list(tagged_sentences(examples, lambda tokens, gold: token_codes(tokens, gold).tolist()))
    counts = Counter(word for words, _ in texts for word in words)
    known = {word for word, count in counts.items() if count >= _RARE}
    moves = np.ones((_CODES + 1, _CODES))
    unigrams = [Counter[str]() for _ in range(_CODES)]
    bigrams = [Counter[str]() for _ in range(_CODES)]
    first = [Counter[str]() for _ in range(_CODES)]
    for words, codes in texts:
        before, last = _START, _CODES
        for word, code in zip((_shown(word, known) for word in words), codes, strict=True):
            moves[last, code] += 1
            unigrams[code][word] += 1
            bigrams[code][f"{before}\t{word}"] += 1
            first[code][before] += 1
            before, last = word, code
    pairs = [
        {pair: count / first[code][pair.partition("\t")[0]] for pair, count in of.items()}
        for code, of in enumerate(bigrams)
    ]
    singles = [{word: count / max(of.total(), 1) for word, count in of.items()} for of in unigrams]
    return Hmm(known, np.log(moves / moves.sum(1, keepdims=True)).tolist(), singles, pairs)


def _shown(word: str, known: Iterable[str]) -> str:
    return word if word in known else form(word)
