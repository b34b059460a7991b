"""What the papers' tables are made on: texts to train with, texts to test with, and scores of tokens, PHI or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan, Span
from deid_core.lab.evaluate.evaluation_sets import LETTERS, EvaluationSet, generated_set, letters_set
from deid_core.lab.evaluate.scores import Scores
from deid_core.lab.evaluate.significance import TwoProportions
from deid_core.lab.systems.registry import Example, examples
from deid_core.lab.systems.sentences import words_of
from deid_core.lab.systems.settings import StudySettings
from deid_core.lab.systems.token_classes import token_codes
from deid_core.text.document import Document

SIGNIFICANT = 0.05
"""Seed 001's alpha (section 8.2)."""
_Mask = npt.NDArray[np.bool_]


class Annotator(Protocol):
    """A trained system or the engine of a pipeline."""

    def document(self, note: Note) -> Document:
        """Return the note with its tokens."""

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """Return the spans of a note."""


class StudyCorpus(NamedTuple):
    """Texts of one kind. train: of other writers than test, or of the generator's other half."""

    name: str
    train: list[Example]
    test: EvaluationSet


class Decisions(NamedTuple):
    """The tokens of many notes: their words in lower case, whether they are PHI, whether the system says so."""

    words: list[str]
    gold: _Mask
    found: _Mask

    def scores(self, chosen: _Mask | None = None, *, phi: bool = True) -> Scores:
        """Return the scores of PHI, or of the other tokens; chosen: only of these tokens."""
        mask = np.ones(len(self.gold), bool) if chosen is None else chosen
        gold, found = (self.gold, self.found) if phi else (~self.gold, ~self.found)
        return Scores(*(int(part[mask].sum()) for part in (gold & found, ~gold & found, gold & ~found)))


def study_corpus(name: str, settings: StudySettings) -> StudyCorpus:
    """Return the corpus of a made set, or of a set of dev letters with train letters to train with."""
    if name in LETTERS:
        return StudyCorpus(name, list(examples(settings)), letters_set(name))
    made, test = (
        generated_set(name, settings.notes, seed=settings.seed, split=split, with_header=True)
        for split in ("train", "test")
    )
    return StudyCorpus(name, list(zip(made.notes, made.gold, strict=True)), test)


def decisions(system: Annotator, of: EvaluationSet) -> Decisions:
    """Return what a system decides for each token of a set."""
    words: list[str] = []
    gold, found = [], []
    for note, spans in zip(of.notes, of.gold, strict=True):
        document = system.document(note)
        words += (word.lower() for word in words_of(document))
        predicted = [GoldSpan(s.start, s.end, s.label, s.type) for s in system.annotate(note)]
        gold.append(token_codes(document.tokens, spans) > 0)
        found.append(token_codes(document.tokens, predicted) > 0)
    return Decisions(words, np.concatenate(gold), np.concatenate(found))


def score_cells(name: str, scores: Scores, other: Scores | None = None) -> tuple[object, ...]:
    """Return name, precision, recall and F; a * if F differs from the other's by the z-test (seed 001, section 8.2)."""
    marked = ""
    if other is not None and scores.gold and other.gold:
        test = TwoProportions(scores.f(1), scores.gold, other.f(1), other.gold).test()
        marked = "*" if test.p < SIGNIFICANT else ""
    return (name, f"{scores.precision:.3f}", f"{scores.recall:.3f}", f"{scores.f(1):.3f}{marked}")


def ambiguous(of: Decisions) -> _Mask:
    """Return the tokens whose word is PHI in one place and not in another (seed 001, section 5.2 and Table 2)."""
    return ambiguous_words(of.words, of.gold)


def ambiguous_words(words: Sequence[str], gold: _Mask) -> _Mask:
    """Return the same of words, in lower case, of which it is known whether they are PHI; marks are none of them."""
    phi = {word for word, is_phi in zip(words, gold.tolist(), strict=True) if is_phi}
    other = {word for word, is_phi in zip(words, gold.tolist(), strict=True) if not is_phi}
    return is_one_of(words, (word for word in phi & other if any(map(str.isalnum, word))))


def is_one_of(words: Sequence[str], chosen: Iterable[str]) -> _Mask:
    """Return for each word whether it is among those."""
    known = frozenset(chosen)
    return np.array([word in known for word in words], bool)
