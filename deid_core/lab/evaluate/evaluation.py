"""An evaluation takes notes with gold and predicted spans and gives all scores of them.

It keeps counts and labels, never a note's text. `comparison.compare` sets two evaluations of the same notes against
each other, `summary` makes JSON objects of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from deid_core.core.note import Note
from deid_core.lab.evaluate.bootstrap import RESAMPLES, SEED, Interval, interval
from deid_core.lab.evaluate.entity_scores import EntityEvaluation, Match
from deid_core.lab.evaluate.leaks import NAMES, LeakEvaluation, LeakShare
from deid_core.lab.evaluate.scores import FN, FP, STATISTICS, TP, LabelledRange
from deid_core.lab.evaluate.token_scores import TokenEvaluation
from deid_core.text.header_end import header_end

Range = TypeVar("Range", bound=LabelledRange)


class Level(StrEnum):
    """What is counted."""

    TOKEN = "token"  # noqa: S105
    """Tokens, PHI or not; of one label, if one is asked for."""
    WORD = "word"
    """The same of tokens that hold a letter or digit."""
    EXACT = "exact"
    """Entities whose place and label are those of a gold span."""
    LENIENT = "lenient"
    """Entities that share a character with a gold span of their label."""


class Evaluation:
    """All scores of one system on one set of notes.

    with_header: whether what is before the salutation counts (seed 000, section 3.1, leaves it out). Without it a
    token or span counts if it starts after the header.
    """

    def __init__(self, *, with_header: bool = True) -> None:
        self.with_header = with_header
        self.tokens = TokenEvaluation(with_header=with_header)
        self.entities = {match: EntityEvaluation(match) for match in Match}
        self.leaks = LeakEvaluation(NAMES)
        """Of names (label PER)."""
        self.all_leaks = LeakEvaluation(None)
        """Of the surfaces of all labels."""

    def add(self, text: str, gold: Iterable[LabelledRange], predicted: Iterable[LabelledRange]) -> None:
        """Counts one note; spans are [start, end) in code points of its text, in any order."""
        golden, found = list(gold), list(predicted)
        self.tokens.add(text, golden, found)
        if not self.with_header:
            golden, found = body_spans(text, golden), body_spans(text, found)
        for leaks in (self.leaks, self.all_leaks):
            leaks.add(text, golden, found)
        for entities in self.entities.values():
            entities.add(golden, found)

    @property
    def notes(self) -> int:
        """How many notes were added."""
        return self.tokens.notes

    def counts(self, level: Level, label: str | None = None) -> npt.NDArray[np.int64]:
        """(true positive, false positive, false negative) of each note, shape (notes, 3), of all labels or one.

        A label that does not occur has none. What bootstrap and randomisation take.
        """
        if level in (Level.TOKEN, Level.WORD):
            tokens = self.tokens if level is Level.TOKEN else self.tokens.words
            if label is None:
                return tokens.counts
            known = label in tokens.labels[1:]
            return tokens.label_counts(label) if known else np.zeros((self.notes, 3), np.int64)
        entities = self.entities[Match(level.value)]
        if label is None:
            return entities.counts
        labels = entities.labels
        return entities.note_counts[:, labels.index(label)] if label in labels else np.zeros((self.notes, 3), np.int64)

    def score(self, level: Level, statistic: str, label: str | None = None) -> float:
        """One score: "precision", "recall", "f1" or "f2".

        Raises KeyError for another statistic.
        """
        return float(STATISTICS[statistic](self.counts(level, label).sum(0)))

    def wrongly_removed(self) -> LeakShare:
        """Words that identify nobody but lie in a predicted span, of all words that identify nobody.

        Precision falls with the share of PHI in a text, though the system be the same; this does not.
        """
        words = self.tokens.words
        true_positive, false_positive, false_negative = words.counts.sum(0)[[TP, FP, FN]].tolist()
        return LeakShare(false_positive, words.tokens - true_positive - false_negative)

    def interval(
        self,
        level: Level,
        statistic: str,
        label: str | None = None,
        *,
        confidence: float = 0.95,
        resamples: int = RESAMPLES,
        seed: int = SEED,
    ) -> Interval:
        """The score with its bootstrap interval over notes. Raises ValueError without notes."""
        counts = self.counts(level, label)
        return interval(counts, STATISTICS[statistic], confidence=confidence, resamples=resamples, seed=seed)


def body_spans(text: str, spans: Iterable[Range]) -> list[Range]:
    """The spans that start after the note's header."""
    body = header_end(Note("", text))
    return [span for span in spans if span.start >= body]
