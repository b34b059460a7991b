"""Read a document's tokens along a line: which tokens are adjacent, and what separates them.

The one base of recognisers that read names and places token by token. Token ranges are [start_token, end_token).
"""

from __future__ import annotations

from collections.abc import Sequence

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.text.document import Document
from deid_core.text.tokens import GAP

_MAX_GAP = 2
"""More blanks separate columns."""


class TokenLine:
    """One document while it is read.

    bits: flags of each token. recogniser: the name that its detections carry.
    """

    def __init__(self, document: Document, bits: Sequence[int], recogniser: str) -> None:
        self.document = document
        self.text = document.text
        self.bits = bits
        self._recogniser = recogniser
        # Few tokens are read: views convert them one by one, which costs less than lists of all.
        self._starts: Sequence[int] = document.tokens.starts.data
        self._ends: Sequence[int] = document.tokens.ends.data
        self._types: Sequence[int] = document.tokens.types.data
        self._words = document.vocabulary.words
        self._count = len(bits)

    def __len__(self) -> int:
        return self._count

    def word(self, at: int) -> str:
        """Return the token's string, "" before the first and after the last token."""
        return self._words[self._types[at]] if 0 <= at < self._count else ""

    def adjacent(self, at: int) -> bool:
        """Return whether the token exists and only blanks separate it from the one before."""
        if not 0 < at < self._count:
            return False
        end, start = self._ends[at - 1], self._starts[at]
        return start - end <= _MAX_GAP and not self.text[end:start].strip(GAP)

    def next_bits(self, at: int) -> int:
        """Return the flags of the token if it is adjacent to the one before, else 0."""
        return self.bits[at] if self.adjacent(at) else 0

    def next_word(self, at: int) -> str:
        """Return the token's string if it is adjacent to the one before, else ""."""
        return self._words[self._types[at]] if self.adjacent(at) else ""

    def glued(self, at: int) -> bool:
        """Return whether nothing separates the token from the one before."""
        return 0 < at < self._count and self._ends[at - 1] == self._starts[at]

    def same_sentence(self, token: int, later: int) -> bool:
        """Return whether no line, cell or sentence ends between two tokens."""
        between = self.text[self.start(token) : self.start(later)]
        return "\n" not in between and "\t" not in between and ". " not in between

    def opens(self, at: int) -> bool:
        """Return whether the token opens a line, column or sentence."""
        return not self.adjacent(at) or self._words[self._types[at - 1]] in ".:;!?•*"

    def start(self, at: int) -> int:
        """Return the token's start in the text."""
        return self._starts[at]

    def end(self, at: int) -> int:
        """Return the token's end in the text."""
        return self._ends[at]

    def text_of(self, start_token: int, end_token: int) -> str:
        """Return the text of a range of tokens."""
        return self.text[self.start(start_token) : self.end(end_token - 1)] if start_token < end_token else ""

    def detection(self, start_token: int, end_token: int, phi: PhiType, rule: str, score: float) -> Detection:
        """Return a detection of the tokens [start_token, end_token)."""
        return self.detection_of(self.start(start_token), self.end(end_token - 1), phi, rule, score)

    def detection_of(self, start: int, end: int, phi: PhiType, rule: str, score: float) -> Detection:
        """Return a detection of a range of the text."""
        return Detection(start, end, label_of(phi), phi, self._recogniser, rule, score)
