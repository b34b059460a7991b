"""What `deid bench` measures beside the engine: CRFsuite's tagger with features taken token by token in Python.

The features are those of seed 000's Table 3 as far as they concern one word and its neighbours: word, affixes to six
letters, shape, previous and next word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sklearn_crfsuite

from deid_core.evaluate.token_scores import token_labels
from deid_core.synthetic import SyntheticNote
from deid_core.tokens import Vocabulary


def train(notes: Sequence[SyntheticNote]) -> Callable[[str], list[str]]:
    """A tagger of texts, trained on these notes; quick rather than good, since only its speed counts here."""
    model = sklearn_crfsuite.CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=20)
    vocabulary = Vocabulary()
    cut = [vocabulary.tokenise(item.note.text) for item in notes]
    labels = [token_labels(tokens, item.gold) for tokens, item in zip(cut, notes, strict=True)]
    model.fit([_features([vocabulary.words[t] for t in tokens.types]) for tokens in cut], labels)

    def tag(text: str) -> list[str]:
        tokens = vocabulary.tokenise(text)
        return list(model.predict_single(_features([vocabulary.words[t] for t in tokens.types])))

    return tag


def _features(words: Sequence[str]) -> list[dict[str, Any]]:
    padded = ["", *words, ""]
    return [
        {
            "word": word,
            "previous": padded[i],
            "next": padded[i + 2],
            "shape": "".join(
                "X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in word[:12]
            ),
            **{f"prefix{n}": word[:n] for n in range(1, 7)},
            **{f"suffix{n}": word[-n:] for n in range(1, 7)},
        }
        for i, word in enumerate(words)
    ]
