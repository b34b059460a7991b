"""System `crf-liu`: the feature-based CRF of seed 003 (section 4.2, Table 4), which took its features from Liu et al.

Sequences are sentences: what a line, cell or final mark ends. Trained by CRFsuite with L-BFGS and elastic net.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.crf.model_folder import load_model
from deid_core.lab.systems.sentences import END_MARKS, sentences
from deid_core.lab.systems.word_features import EDGE, Values, part_of_speech_tagger
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.crf import CrfRecogniser
from deid_core.recognisers.settings import CrfSettings
from deid_core.text.document import Document
from deid_core.text.tokens import Tokens
from deid_core.text.vocabulary import Vocabulary

NAME = "crf-liu"

_WINDOW = 2
_LONGEST_AFFIX = 5
_MAX_LENGTH = 50
_BRACKETS = ("()", "[]", "{}")
_NER_MODEL = "crf-de"
_NER_LABELS = ("PER", "LOC", "ORG")
Features = list[str]


class LiuFeatures:
    """The features of Table 4 for the tokens of a document; vocabulary: of the documents.

    spaCy's named entities and parts of speech, for which no German model is in a package, are those of the shipped
    model of recogniser `crf` and of HanTa.
    """

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary, tagger: Values | None = None) -> None:
        settings = CrfSettings.model_validate({"kind": "crf", "model": _NER_MODEL, "labels": list(_NER_LABELS)})
        self._entities = CrfRecogniser(settings, load_model(_NER_MODEL).compiled(gazetteer), vocabulary)
        tag = tagger or part_of_speech_tagger()
        self._part_of_speech = cache(lambda word: "".join(tag(word)))

    def sequences(self, document: Document) -> Iterator[tuple[int, int, list[Features]]]:
        """Yield [start_token, end_token) of each sentence and the features of its tokens."""
        entities = _entity_tags(document.tokens, self._entities.recognise(document)).tolist()
        for start, end, words in sentences(document):
            yield start, end, self._features(words, entities[start:end])

    def _features(self, words: Sequence[str], entities: Sequence[str]) -> list[Features]:
        edges = [EDGE] * _WINDOW
        around = [*edges, *words, *edges]
        tags = [*edges, *map(self._part_of_speech, words), *edges]
        of_sentence = sentence_features(words)
        return [
            [
                *_ngrams("w", around[at : at + 2 * _WINDOW + 1]),
                *_ngrams("p", tags[at : at + 2 * _WINDOW + 1]),
                *_with_tags(around[at + _WINDOW], tags[at + _WINDOW - 1 : at + _WINDOW + 2]),
                *of_sentence,
                *_own_features(words[at]),
                f"ner={entities[at]}",
            ]
            for at in range(len(words))
        ]


def sentence_features(words: Sequence[str]) -> Features:
    """Return the length in tokens, whether the last one is a final mark, and whether a bracket has no partner."""
    text = "".join(words)
    unmatched = any(text.count(pair[0]) != text.count(pair[1]) for pair in _BRACKETS)
    return [f"length={min(len(words), _MAX_LENGTH)}", f"end={words[-1] in END_MARKS}", f"unmatched={unmatched}"]


def shape(word: str) -> str:
    """Return the abstract shape of a word: "7534-Df" is "####-Aa"."""
    return "".join("#" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c for c in word)


def _ngrams(name: str, around: Sequence[str]) -> Iterator[str]:
    """Yield the unigrams, bigrams and trigrams of a window."""
    for length in range(1, 4):
        for at in range(len(around) - length + 1):
            yield f"{name}{at - _WINDOW}:{length}={'|'.join(around[at : at + length])}"


def _with_tags(word: str, tags: Sequence[str]) -> Iterator[str]:
    """Yield the word with each choice of the tags before, of and after it."""
    before, own, after = tags
    for name, chosen in (
        ("-", (before,)), ("0", (own,)), ("+", (after,)), ("-0", (before, own)), ("0+", (own, after)),
        ("-+", (before, after)), ("-0+", (before, own, after)),
    ):  # fmt: skip
        yield f"wp{name}={word}|{'|'.join(chosen)}"


@cache
def _own_features(word: str) -> tuple[str, ...]:
    lengths = range(1, min(len(word), _LONGEST_AFFIX) + 1)
    kinds = {
        "all_caps": word.isupper(),
        "capitalised": word[0].isupper(),
        "caps_inside": any(map(str.isupper, word[1:])),
        "digit": any(map(str.isdigit, word)),
        "punctuation": not word.isalnum(),
        "ascii": word.isascii(),
    }
    return (
        *(f"prefix={word[:length]}" for length in lengths),
        *(f"suffix={word[-length:]}" for length in lengths),
        *(name for name, has in kinds.items() if has),
        f"shape={shape(word)}",
    )


def _entity_tags(tokens: Tokens, found: Any) -> npt.NDArray[np.str_]:
    tags = np.full(len(tokens), "O", "<U3")
    for span in found:
        start = int(np.searchsorted(tokens.ends, span.start, side="right"))
        tags[start : int(np.searchsorted(tokens.starts, span.end))] = str(span.label)
    return tags
