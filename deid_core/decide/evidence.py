"""What the recognisers say of each token, as words of a second sequence that goes along with the note's own.

The evidence of a token is a string of values parted by blanks: for each detection that covers it the recogniser and
rule, the recogniser and label, the finer type (both with B for the first token, I behind it), and how sure it was; and
the part of the letter. Tokens of which nothing is said have the part alone. A learned decision (learned.py) weighs it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deid_core.recognise.base import Document
from deid_core.recognise.closing import CLOSING, CLOSING_LINE
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary

_LIKELY, _SURE = 0.6, 0.9
_PARTS = ("header", "body", "closing")
_CLOSING_BELOW = re.compile(rf"\n[ \t]*(?:{CLOSING.pattern})", re.IGNORECASE)
"""CLOSING_LINE below another line: a search that begins with a character is several times faster than one for "^"."""
_NO_NUMBER = -1
"""Of what no token had yet."""


class EvidenceReader:
    """Numbers the evidence of documents; the vocabulary grows with what it meets, which is little.

    What is said of a token is found step by step, from nothing, one detection after the other: a step is one look-up,
    and strings are joined only for what no token had before.
    """

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        # For each degree of sureness: from a detection's label, type, recogniser and rule to what it says of its first
        # token and of its others, as places in _values.
        self._of_detections: dict[str, dict[tuple[object, ...], tuple[int, int]]] = {"-": {}, "~": {}, "+": {}}
        self._values: list[str] = []
        # For each state, nothing being the first: the values said, and the state that each further one leads to.
        self._said: list[tuple[int, ...]] = [()]
        self._steps: list[dict[int, int]] = [{}]
        # For each state and part the number of its evidence.
        self._numbers = np.full((256, len(_PARTS)), _NO_NUMBER, np.int32)
        for part in range(len(_PARTS)):
            self._numbers[0, part] = self._number(0, part)

    def __len__(self) -> int:
        """How many states its tables have; at least as many as kinds of evidence."""
        return len(self._said)

    def types(
        self, document: Document, detections: Sequence[Detection], ranges: Sequence[tuple[int, int]]
    ) -> npt.NDArray[np.int32]:
        """The number of each token's evidence in the vocabulary; int32, shape (tokens,).

        ranges: the tokens that each detection touches (terms.touched_tokens).
        """
        states = self._states(detections, ranges)
        bounds = _bounds(document)
        numbers = np.repeat(self._numbers[0], np.diff(bounds))
        if states:
            tokens, of_tokens = np.fromiter(states, np.int64), np.fromiter(states.values(), np.int64)
            parts = np.searchsorted(bounds[1:-1], tokens, side="right")
            said = self._numbers[of_tokens, parts]
            for at in np.flatnonzero(said == _NO_NUMBER).tolist():
                state, part = int(of_tokens[at]), int(parts[at])
                said[at] = self._numbers[state, part] = self._number(state, part)
            numbers[tokens] = said
        return numbers

    def _states(self, detections: Sequence[Detection], ranges: Sequence[tuple[int, int]]) -> dict[int, int]:
        """The state of each token of which something is said."""
        states: dict[int, int] = {}
        known, steps = states.get, self._steps
        for detection, (first, behind) in zip(detections, ranges, strict=True):
            if first >= behind:
                continue
            score = detection.score
            degree = "+" if score >= _SURE else "~" if score >= _LIKELY else "-"
            values = self._of_detections[degree].get(detection[2:6])
            if values is None:
                values = self._add_detection(detection, degree)
            value, inside = values
            for token in range(first, behind):
                state = known(token, 0)
                following = steps[state].get(value)
                states[token] = self._add_state(state, value) if following is None else following
                value = inside
        return states

    def _add_detection(self, detection: Detection, degree: str) -> tuple[int, int]:
        """The values of a detection's first token and of its others."""
        rule = detection.rule.partition("/")[0]
        rest = f"{detection.recogniser}.{rule} {detection.recogniser}:{detection.label}{degree}"
        for place in "BI":
            self._values.append(f"{place}{detection.recogniser}:{detection.label} {place}:{detection.type} {rest}")
        found = self._of_detections[degree][detection[2:6]] = (len(self._values) - 2, len(self._values) - 1)
        return found

    def _add_state(self, state: int, value: int) -> int:
        added = self._steps[state][value] = len(self._said)
        self._said.append((*self._said[state], value))
        self._steps.append({})
        if added >= len(self._numbers):
            self._numbers = np.append(self._numbers, np.full_like(self._numbers, _NO_NUMBER), axis=0)
        return added

    def _number(self, state: int, part: int) -> int:
        said = {value for place in self._said[state] for value in self._values[place].split(" ")}
        return self.vocabulary.number(" ".join([f"in:{_PARTS[part]}", *(sorted(said) or ["nothing"])]))


def _bounds(document: Document) -> list[int]:
    """Where the header, the body and the closing of the letter begin, and where the last one ends, in tokens."""
    text, starts = document.text, document.tokens.starts
    body = int(np.searchsorted(starts, document.header_end))
    closing = len(starts)
    formulas = [formula.start() + 1 for formula in _CLOSING_BELOW.finditer(text)]
    if not formulas and CLOSING_LINE.match(text):
        formulas = [0]
    if formulas:
        closing = max(body, int(np.searchsorted(starts, formulas[-1])))
    return [0, body, closing, len(starts)]
