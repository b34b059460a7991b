"""A document's tokens with bits, read along a line: which tokens stand next to each other, and what stands between.

What recognisers that read names token by token share. Token ranges are [first, last).
"""

from __future__ import annotations

from collections.abc import Sequence

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.text.document import Document
from deid_core.text.tokens import GAP

_MAX_GAP = 2
"""More blanks than these part columns."""


class TokenLine:
    """One document while it is read; bits: a number for each token."""

    def __init__(self, document: Document, bits: Sequence[int], recogniser: str) -> None:
        self.document = document
        self.text = document.text
        self.bits = bits
        self._recogniser = recogniser
        # Few of a note's places are asked for: views make their numbers one by one, and cost less than lists of all.
        self._starts: Sequence[int] = document.tokens.starts.data
        self._ends: Sequence[int] = document.tokens.ends.data
        self._types: Sequence[int] = document.tokens.types.data
        self._words = document.vocabulary.words
        self._count = len(bits)

    def __len__(self) -> int:
        return self._count

    def word(self, at: int) -> str:
        """The token's string, "" beyond the ends."""
        return self._words[self._types[at]] if 0 <= at < self._count else ""

    def adjacent(self, at: int) -> bool:
        """Whether the token at `at` exists and only blanks part it from the one before."""
        if not 0 < at < self._count:
            return False
        end, start = self._ends[at - 1], self._starts[at]
        return start - end <= _MAX_GAP and not self.text[end:start].strip(GAP)

    def next_bits(self, at: int) -> int:
        """The bits of the token at `at` if it is adjacent to the one before, else 0."""
        return self.bits[at] if self.adjacent(at) else 0

    def next_word(self, at: int) -> str:
        """The token at `at` if it is adjacent to the one before, else ""."""
        return self._words[self._types[at]] if self.adjacent(at) else ""

    def glued(self, at: int) -> bool:
        """Whether nothing stands between the token and the one before."""
        return 0 < at < self._count and self._ends[at - 1] == self._starts[at]

    def same_sentence(self, first: int, last: int) -> bool:
        """Whether no line, column or sentence ends between the tokens."""
        between = self.text[self.start(first) : self.start(last)]
        return "\n" not in between and "\t" not in between and ". " not in between

    def opens(self, at: int) -> bool:
        """Whether the token opens a line, column or sentence."""
        return not self.adjacent(at) or self._words[self._types[at - 1]] in ".:;!?•*"

    def start(self, at: int) -> int:
        """The token's start in the text."""
        return self._starts[at]

    def end(self, at: int) -> int:
        """The token's end in the text."""
        return self._ends[at]

    def text_of(self, first: int, last: int) -> str:
        """The text of a range of tokens."""
        return self.text[self.start(first) : self.end(last - 1)] if first < last else ""

    def detection(self, first: int, last: int, phi: PhiType, rule: str, score: float) -> Detection:
        """A detection of the tokens [first, last)."""
        return self.detection_of(self.start(first), self.end(last - 1), phi, rule, score)

    def detection_of(self, start: int, end: int, phi: PhiType, rule: str, score: float) -> Detection:
        """A detection of a range of the text."""
        return Detection(start, end, label_of(phi), phi, self._recogniser, rule, score)
