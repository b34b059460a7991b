"""Name-likeness: scores how much a word resembles the words of a list, from its character n-grams.

One linear model per class (first name, surname, town, street, common word, medical word), all over the same hashed
n-grams of "^word$" with 2 to 5 characters: log odds = weights · n-grams / sqrt(number of n-grams) + bias. It also
scores names that no list contains, and needs no list when it is used. lab/training/word_knowledge_training.py trains
it. Numba is loaded when the first word is scored, not before, so that a model's files can be read without it.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deid_core.text.arrays import bounds_of, code_points

MAX_LETTERS = 40
"""Longer words are truncated: a "word" may have megabytes."""
_MOST_NGRAMS = 4 * (3 * MAX_LETTERS + 2)
"""Of a word with its marks; "ŉ" and similar letters become up to three at the beginning of a capitalised word."""
_ROOTS = np.array([count**0.5 for count in range(_MOST_NGRAMS + 1)])


@dataclass(frozen=True, slots=True, eq=False)
class CharNgramScorer:
    """classes: their names. weights: int8, shape (buckets, classes), in units of scales.

    scales, biases: float32, shape (classes,).
    """

    classes: tuple[str, ...]
    weights: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]
    biases: npt.NDArray[np.float32]

    @staticmethod
    def quantised(
        classes: tuple[str, ...], weights: npt.NDArray[np.float32], biases: npt.NDArray[np.float32]
    ) -> CharNgramScorer:
        """Return the model with weights (buckets, classes) rounded to 8 bits; 1 weight in 10,000 is clipped."""
        scales = (np.quantile(np.abs(weights), 0.9999, axis=0) / 127).astype(np.float32)
        whole = np.clip(np.rint(weights / scales), -127, 127).astype(np.int8)
        return CharNgramScorer(classes, whole, scales, biases.astype(np.float32))

    def scores(self, word: str) -> npt.NDArray[np.float32] | None:
        """Return the log odds of each class, float32 (classes,); None if the word does not begin with a letter."""
        scores, lettered = self.many_scores((word,))
        return scores[0] if lettered[0] else None

    def many_scores(self, words: Sequence[str]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Return log odds, float32 (words, classes), and whether each word begins with a letter, which it must."""
        from deid_core.crf.features.ngrams import add_ngrams

        lettered = np.array([word[:1].isalpha() for word in words], np.bool_)
        marked = [_marked(word) for word in words]
        totals, counts = np.zeros((len(words), len(self.classes)), np.int64), np.empty(len(words), np.int64)
        add_ngrams(code_points("".join(marked)), bounds_of(marked), self.weights, totals, counts)
        return (totals * self.scales / _ROOTS[counts][:, None] + self.biases).astype(np.float32), lettered

    def to_bytes(self) -> bytes:
        """Return the model as .npz; `from_bytes` reads it."""
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer, classes=np.array(self.classes), weights=self.weights, scales=self.scales, biases=self.biases
        )
        return buffer.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> CharNgramScorer:
        """Return the model of `to_bytes`. Raises one of word_knowledge.DAMAGED if the data are no such model."""
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            classes = tuple(str(name) for name in arrays["classes"])
            model = CharNgramScorer(classes, arrays["weights"], arrays["scales"], arrays["biases"])
        fits = model.weights.ndim == 2 and model.weights.shape[1] == len(classes)
        if not (fits and len(model.weights) and model.scales.shape == model.biases.shape == (len(classes),)):
            raise ValueError("the name-likeness model does not fit together")
        if model.weights.dtype != np.int8 or not (np.isfinite(model.scales) & np.isfinite(model.biases)).all():
            raise ValueError("the name-likeness model has weights that are none")
        return model


def buckets(word: str, count: int) -> npt.NDArray[np.int32]:
    """Return the buckets, below `count`, of a word's n-grams.

    "MÜLLER" and "müller" count as "Müller": the words of a list are capitalised, those of a letter not always.
    """
    from deid_core.crf.features.ngrams import LONGEST, SHORTEST, ngram_buckets

    codes = code_points(_marked(word))
    found = np.empty(len(codes) * (LONGEST - SHORTEST + 1), np.int32)
    return found[: ngram_buckets(codes, count, found)]


def _marked(word: str) -> str:
    word = word[:MAX_LETTERS]
    return f"^{word.title() if word.isupper() else word[:1].upper() + word[1:]}$"
