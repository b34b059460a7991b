"""How many words are removed in lines in which nothing identifies anybody, mostly medical prose.

Beside a name a word too many costs little. In a line without one it is a diagnosis or drug that a researcher misses.
"""

from __future__ import annotations

from collections.abc import Iterable

from deid_core.lab.evaluate.leaks import LeakShare
from deid_core.lab.evaluate.scores import LabelledRange
from deid_core.text.tokens import TOKEN


class EmptyLineEvaluation:
    """Adds up notes: words of lines that no gold span touches, and those of them that a predicted span touches."""

    def __init__(self) -> None:
        self._words = self._removed = 0

    @property
    def removed(self) -> LeakShare:
        """The removed words, of all words of these lines."""
        return LeakShare(self._removed, self._words)

    def add(self, text: str, gold: Iterable[LabelledRange], predicted: Iterable[LabelledRange]) -> None:
        """Count one note."""
        golden, found = list(gold), list(predicted)
        start = 0
        for line in text.split("\n"):
            end = start + len(line)
            if not _touches(golden, start, end):
                inside = [span for span in found if span.start < end and start < span.end]
                for token in TOKEN.finditer(line):
                    if token.group()[0].isalnum():
                        self._words += 1
                        self._removed += _touches(inside, start + token.start(), start + token.end())
            start = end + 1


def _touches(spans: Iterable[LabelledRange], start: int, end: int) -> bool:
    return any(span.start < end and start < span.end for span in spans)
