"""System `vote`: trained systems and pipelines together, by majority or stacked (Wolpert 1992).

Each member gives a token a class. By majority the class that most members give decides, of equals that of the earlier
member. Stacked, a logistic regression decides by the members' classes of the token and its two neighbours.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.systems.base import fingerprint, read_files, write_files
from deid_core.lab.systems.settings import VoteSettings
from deid_core.lab.systems.token_classes import CLASSES, Codes, spans_of, token_codes
from deid_core.text.document import Document

NAME = "vote"
_FILES = ("system.json", "weights.npz")
_CODES = len(CLASSES) + 1
_Array = npt.NDArray[Any]


class Member(Protocol):
    """A trained system or the engine of a pipeline."""

    def document(self, note: Note) -> Document:
        """Return the note with its tokens."""

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note."""


Load = Callable[[str], Member]


class Vote:
    """The members together. weights: of the stacked vote, float32 (features + 1, classes + 1), empty for a majority."""

    name = NAME

    def __init__(self, names: Sequence[str], weights: _Array, load: Load) -> None:
        self._names, self._weights = list(names), weights.astype(np.float32)
        self._members = [load(name) for name in names]
        self.fingerprint = fingerprint(self._files())

    @staticmethod
    def from_folder(folder: Path, load: Load) -> Vote:
        """Return the system that `save` wrote. Raises ConfigurationError if it or a member is not there."""
        written, [weights] = read_files(folder, NAME, _FILES)
        with np.load(io.BytesIO(weights), allow_pickle=False) as arrays:
            return Vote(written["members"], arrays["weights"], load)

    def save(self, folder: Path) -> None:
        """Write the system; its members stay where they are."""
        write_files(folder, self._files())

    def document(self, note: Note) -> Document:
        """Return the note with its tokens."""
        return self._members[0].document(note)

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note."""
        found = self.member_codes(note)
        if not found.shape[1]:
            return ()
        if len(self._weights):
            table = _table(found)
            codes = (table @ self._weights[:-1] + self._weights[-1]).argmax(1)
        else:
            codes = majority(found)
        return spans_of(self.document(note).tokens, codes, NAME, "stacked" if len(self._weights) else "majority")

    def member_codes(self, note: Note) -> Codes:
        """Return the class that each member gives each token, int64 (members, tokens)."""
        tokens = self.document(note).tokens
        return np.stack([token_codes(tokens, _gold(member.annotate(note))) for member in self._members])

    def _files(self) -> dict[str, bytes]:
        buffer = io.BytesIO()
        np.savez_compressed(buffer, weights=self._weights)
        settings = {"name": NAME, "classes": list(CLASSES), "members": self._names}
        return dict(zip(_FILES, (json.dumps(settings).encode(), buffer.getvalue()), strict=True))


def majority(found: Codes) -> Codes:
    """Return the class that most members give each token; of equals that of the earlier member."""
    votes = (found[:, None] == found[None]).sum(0)
    return np.asarray(found[votes.argmax(0), np.arange(found.shape[1])], np.int64)


def train_vote(settings: VoteSettings, examples: Iterable[tuple[Note, Sequence[GoldSpan]]], load: Load) -> Vote:
    """Return the vote; stacked, its regression is fitted to notes that no member should have been trained on.

    Raises ConfigurationError if a member is not trained or the notes have tokens of fewer than two classes.
    """
    vote = Vote(settings.members, np.zeros((0, _CODES)), load)
    if settings.method == "majority":
        return vote
    from sklearn.linear_model import LogisticRegression

    tables, codes = [], []
    for note, gold in examples:
        tables.append(_table(vote.member_codes(note)))
        codes.append(token_codes(vote.document(note).tokens, gold))
    known = np.concatenate([[], *codes])
    if len(np.unique(known)) < 2:
        raise ConfigurationError(f"{NAME}: the texts to train on need tokens of two classes")
    fitted = LogisticRegression(C=settings.c, max_iter=200).fit(np.concatenate(tables), known.astype(np.int64))
    weights = np.zeros((fitted.coef_.shape[1] + 1, _CODES))
    weights[-1] = np.finfo(np.float32).min
    # Of two classes scikit-learn keeps the weights of the second alone.
    two = len(fitted.classes_) == 2
    of_class = np.concatenate([-fitted.coef_, fitted.coef_]) if two else fitted.coef_
    intercepts = np.concatenate([-fitted.intercept_, fitted.intercept_]) if two else fitted.intercept_
    weights[:-1, fitted.classes_], weights[-1, fitted.classes_] = of_class.T, intercepts
    return Vote(settings.members, weights, load)


def _table(found: Codes) -> _Array:
    """Return a one for each member's class of a token and of its neighbours, float32 (tokens, features)."""
    around = [np.pad(found, ((0, 0), (1, 1)))[:, at : at + found.shape[1]] for at in range(3)]
    eye = np.eye(_CODES, dtype=np.float32)
    return np.concatenate([eye[row] for rows in around for row in rows], 1)


def _gold(spans: Iterable[Span]) -> list[GoldSpan]:
    return [GoldSpan(span.start, span.end, span.label, span.type) for span in spans]
