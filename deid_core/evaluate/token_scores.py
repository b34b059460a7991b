"""Scores per token, as seed 000 counts them (section 6.2): a token is PHI if a span covers part of it.

Binary: PHI or not, whatever the class. By class: a token counts for the class of the first span that covers it.
F2 = 5 P R / (4 P + R), equation 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from deid_core.header.locate import header_end
from deid_core.note import Note
from deid_core.tokens import Tokens, Vocabulary

OUTSIDE = "O"


class LabelledRange(Protocol):
    """A gold span, a span, or anything with a place and a label."""

    @property
    def start(self) -> int:
        """First code point."""

    @property
    def end(self) -> int:
        """Code point behind the last."""

    @property
    def label(self) -> str:
        """The class."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Counts of tokens and what follows from them; a score without denominator is 0."""

    true_positive: int
    false_positive: int
    false_negative: int

    @property
    def precision(self) -> float:
        """Share of the found tokens that are right."""
        return _share(self.true_positive, self.true_positive + self.false_positive)

    @property
    def recall(self) -> float:
        """Share of the gold tokens that were found."""
        return _share(self.true_positive, self.true_positive + self.false_negative)

    def f(self, beta: float) -> float:
        """The F score that weighs recall beta times as much as precision."""
        weight = beta * beta
        return _share(
            (1 + weight) * self.true_positive,
            (1 + weight) * self.true_positive + weight * self.false_negative + self.false_positive,
        )


@dataclass
class TokenEvaluation:
    """Adds up notes; `confusion` counts (gold label, predicted label) per token, OUTSIDE for none."""

    with_header: bool = True
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    notes: int = 0

    def add(self, text: str, gold: Iterable[LabelledRange], predicted: Iterable[LabelledRange]) -> list[bool]:
        """Counts one note and returns, for each token that counts, whether it was decided rightly (PHI or not).

        Without header, tokens before the salutation do not count (seed 000, section 3.1).
        """
        tokens = Vocabulary().tokenise(text)
        first = 0
        if not self.with_header:
            first = int(np.searchsorted(tokens.starts, header_end(Note("", text))))
        golden = token_labels(tokens, gold)[first:]
        found = token_labels(tokens, predicted)[first:]
        self.confusion.update(zip(golden, found, strict=True))
        self.notes += 1
        return [(g == OUTSIDE) == (p == OUTSIDE) for g, p in zip(golden, found, strict=True)]

    @property
    def binary(self) -> Scores:
        """PHI or not."""
        return self._scores(lambda label: label != OUTSIDE)

    @property
    def by_label(self) -> Mapping[str, Scores]:
        """Scores of each label that gold or prediction has, sorted by label."""
        labels = sorted({label for pair in self.confusion for label in pair} - {OUTSIDE})
        return {label: self._scores(label.__eq__) for label in labels}

    def _scores(self, counts: Callable[[str], bool]) -> Scores:
        cells = self.confusion.items()
        return Scores(
            sum(n for (gold, found), n in cells if counts(gold) and counts(found)),
            sum(n for (gold, found), n in cells if not counts(gold) and counts(found)),
            sum(n for (gold, found), n in cells if counts(gold) and not counts(found)),
        )


def token_labels(tokens: Tokens, spans: Iterable[LabelledRange]) -> list[str]:
    """The label of each token, OUTSIDE where no span touches it; where two do, the first span's."""
    labels = np.full(len(tokens), OUTSIDE, dtype=object)
    for span in sorted(spans, key=lambda s: (s.start, s.end, s.label), reverse=True):
        first, last = _touched(tokens.starts, tokens.ends, span.start, span.end)
        labels[first:last] = str(span.label)
    return list(labels)


def _touched(starts: npt.NDArray[np.int32], ends: npt.NDArray[np.int32], start: int, end: int) -> tuple[int, int]:
    """Range of the tokens that share a character with [start, end)."""
    return int(np.searchsorted(ends, start, side="right")), int(np.searchsorted(starts, end))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def mcnemar_counts(right_a: Sequence[bool], right_b: Sequence[bool]) -> tuple[int, int]:
    """(A right and B wrong, A wrong and B right) over the same tokens."""
    pairs = Counter(zip(right_a, right_b, strict=True))
    return pairs[(True, False)], pairs[(False, True)]
