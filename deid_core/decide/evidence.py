"""What the recognisers say of each token, as words of a second sequence that goes along with the note's own.

The evidence of a token is a string of values parted by blanks: for each detection that covers it the recogniser and
rule, the recogniser and label, the finer type (both with B for the first token, I behind it), and how sure it was; and
the part of the letter. Tokens of which nothing is said have the part alone. A learned decision (learned.py) weighs it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deid_core.recognise.base import Document
from deid_core.recognise.closing import CLOSING_LINE
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary

_LIKELY, _SURE = 0.6, 0.9
_PARTS = ("header", "body", "closing")


class EvidenceReader:
    """Numbers the evidence of documents; the vocabulary grows with what it meets, which is little."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self._of_detection: dict[tuple[str, str, str, str, str], tuple[str, str]] = {}
        self._numbers: dict[tuple[str, ...], int] = {}

    def types(
        self, document: Document, detections: Sequence[Detection], ranges: Sequence[tuple[int, int]]
    ) -> npt.NDArray[np.int32]:
        """The number of each token's evidence in the vocabulary; int32, shape (tokens,).

        ranges: the tokens that each detection touches (terms.touched_tokens).
        """
        said: dict[int, list[str]] = {}
        for detection, (first, behind) in zip(detections, ranges, strict=True):
            if first < behind:
                begin, inside = self._said(detection)
                said.setdefault(first, []).append(begin)
                for index in range(first + 1, behind):
                    said.setdefault(index, []).append(inside)
        bounds = _bounds(document)
        parts = np.diff(bounds, prepend=0)
        numbers = np.repeat(np.array([self._number([], part) for part in _PARTS], np.int32), parts)
        for index, values in said.items():
            part = 0 if index < bounds[0] else 1 if index < bounds[1] else 2
            numbers[index] = self._number(values, _PARTS[part])
        return numbers

    def _said(self, detection: Detection) -> tuple[str, str]:
        """The values of a detection's first token and of its others."""
        degree = "+" if detection.score >= _SURE else "~" if detection.score >= _LIKELY else "-"
        key = (detection.recogniser, detection.rule, detection.label, detection.type, degree)
        found = self._of_detection.get(key)
        if found is None:
            rule = detection.rule.partition("/")[0]
            rest = f"{detection.recogniser}.{rule} {detection.recogniser}:{detection.label}{degree}"
            begin, inside = (
                f"{place}{detection.recogniser}:{detection.label} {place}:{detection.type} {rest}" for place in "BI"
            )
            found = self._of_detection[key] = (begin, inside)
        return found

    def _number(self, said: list[str], part: str) -> int:
        key = (part, *said)
        number = self._numbers.get(key)
        if number is None:
            values = sorted({value for one in said for value in one.split(" ")}) or ["nothing"]
            number = self._numbers[key] = self.vocabulary.number(" ".join([f"in:{part}", *values]))
        return number


def _bounds(document: Document) -> list[int]:
    """Behind which token the header, the body and the closing of the letter end."""
    starts = document.tokens.starts
    body = int(np.searchsorted(starts, document.header_end))
    closing = len(starts)
    for formula in CLOSING_LINE.finditer(document.text):
        closing = max(body, int(np.searchsorted(starts, formula.start())))
    return [body, closing, len(starts)]
