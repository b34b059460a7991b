"""What `deid bench` compares the CRF's tagger with: python-crfsuite's, with the same model, features and notes.

Two ways to take features in Python stand beside it: `by_word` makes a word's attribute strings once a note, which is
better than most users do; `by_token` makes a dictionary for each token anew, as sklearn-crfsuite's tutorial does. All
start from the tokens of a note and end with a label for each.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pycrfsuite

from deid_core.crf.features.templates import JOIN, Templates
from deid_core.crf.model_folder import CrfModel
from deid_core.crf.tagger import CrfTagger
from deid_core.text.note_sequence import sequence_types, sequence_words
from deid_core.text.tokens import EDGE
from deid_core.text.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Taggers:
    """Each tags the same notes with the same model, and gives the labels of all their tokens and line breaks.

    known: the compiled CRF once it has met all word types. new: the same with every word type to be computed first.
    by_word, by_token: python-crfsuite; see the module.
    """

    known: Callable[[], list[str]]
    new: Callable[[], list[str]]
    by_word: Callable[[], list[str]]
    by_token: Callable[[], list[str]]


def taggers(model: CrfModel, texts: Sequence[str]) -> Taggers:
    """The taggers over these texts. Raises ConfigurationError if the model is damaged."""
    vocabulary = Vocabulary()
    cut = [vocabulary.tokenise(text) for text in texts]
    crf, templates = model.compiled(), model.templates()
    tagger = CrfTagger(crf, vocabulary)
    theirs = pycrfsuite.Tagger()
    with tempfile.NamedTemporaryFile() as file:
        # `open_inmemory` keeps no reference to the bytes it reads from; `open` has a copy of its own.
        file.write(model.crfsuite_bytes())
        file.flush()
        theirs.open(file.name)

    def ours(tagger: CrfTagger) -> list[str]:
        # A note at a time, as the engine does it.
        tagged = []
        for tokens in cut:
            types, _ = sequence_types(tokens)
            tagged.append(tagger.tag(types, np.array([0, len(types)], np.int64)).tolist())
        return [tagger.labels[label] for label in chain.from_iterable(tagged)]

    def with_features(features: Callable[[Sequence[str]], object]) -> list[str]:
        return list(chain.from_iterable(theirs.tag(features(sequence_words(tokens, vocabulary))) for tokens in cut))

    return Taggers(
        known=lambda: ours(tagger),
        new=lambda: ours(CrfTagger(crf, vocabulary)),
        by_word=lambda: with_features(lambda words: list(templates.attributes(words))),
        by_token=lambda: with_features(lambda words: [_features(templates, words, at) for at in range(len(words))]),
    )


def _features(templates: Templates, words: Sequence[str], at: int) -> dict[str, list[str]]:
    """The features of one token as a dictionary, made from nothing but its neighbours."""

    def word(offset: int) -> str:
        return words[at + offset] if 0 <= at + offset < len(words) else EDGE

    features = {
        slot.key: [value for offset in slot.offsets for value in template.values(word(offset))]
        for template in templates.single
        for slot in template.slots
    }
    for pair in templates.pairs:
        left, right = pair.value(word(pair.left)), pair.value(word(pair.right))
        if left and right:
            features[pair.key] = [f"{left}{JOIN}{right}"]
    return features
