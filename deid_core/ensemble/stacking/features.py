"""What the recognisers say of each token, as words of a second sequence that goes along with the note's own.

The evidence of a token is a string of values parted by blanks: for each detection that covers it the recogniser and
rule, the recogniser and label, the finer type (both with B for the first token, I behind it), and how sure it was; and
the part of the letter, and whether a column or cell begins. Tokens of which nothing is said have these alone. A learned
decision (learned.py) weighs it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Detection
from deid_core.ensemble.stacking.feature_set_interner import FeatureSetInterner
from deid_core.text.closing import CLOSING, CLOSING_LINE, FIRST_LETTERS
from deid_core.text.document import Document
from deid_core.text.token_ranges import touched_tokens
from deid_core.text.vocabulary import Vocabulary

_LIKELY, _SURE = 0.6, 0.9
_DEGREES = "-~+"
"""Of sureness: below _LIKELY, below _SURE, and from there."""
_PARTS = ("header", "body", "closing")
_COLUMNS = ("", "begins:column", "begins:cell")
"""By the numbers of column_starts.py."""
_CLOSING_BELOW = re.compile(rf"\n[ \t]*(?=[{FIRST_LETTERS}])(?:{CLOSING.pattern})", re.IGNORECASE)
"""CLOSING_LINE below another line: a search that begins with a character is several times faster than one for "^".
Behind it their first letters, since most lines begin with another and need not be tried with each of the formulas."""
_NO_NUMBER = -1
"""Of what no token had yet."""


Kind = tuple[Label, PhiType, str, str]
"""A detection's label, type, recogniser and rule."""


class DetectionArrays(NamedTuple):
    """The detections of a document as arrays, a place for each: so they are taken apart once.

    starts, ends: int32. touched: int64 (detections, 2), the tokens that each covers or cuts: the first, and the one
    behind the last. kinds: int64, places in StackingFeatures.kinds. scores: float64.
    """

    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    touched: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]


class StackingFeatures:
    """Numbers the evidence of documents; the vocabulary grows with what it meets, which is little.

    What is said of a token is found step by step (evidence_steps.py), one detection after the other; strings are joined
    only for what no token had before.
    """

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.kinds: dict[Kind, int] = {}
        """The kinds of detections met so far, numbered as they came."""
        # What each kind may say: of its first token and of its others, for each degree of sureness.
        self._values: list[str] = []
        self._steps = FeatureSetInterner()
        # For each state and place, that is part and column, the number of its evidence.
        self._numbers = np.full((256, len(_PARTS) * len(_COLUMNS)), _NO_NUMBER, np.int32)

    def __len__(self) -> int:
        """How many states its tables have; at least as many as kinds of evidence."""
        return len(self._steps.said)

    def types(self, document: Document, said: DetectionArrays) -> npt.NDArray[np.int32]:
        """The number of each token's evidence in the vocabulary; int32, shape (tokens,)."""
        bounds = _bounds(document)
        # Two values, of the first token and of the others, for each degree of sureness.
        degrees = (said.scores >= _LIKELY).astype(np.int64) + (said.scores >= _SURE)
        values = 2 * (len(_DEGREES) * said.kinds + degrees)
        states = self._steps.walk(values, said.touched, bounds[-1])
        while len(self._numbers) < len(self):
            self._numbers = np.append(self._numbers, np.full_like(self._numbers, _NO_NUMBER), axis=0)
        places = np.repeat(np.arange(len(_PARTS)) * len(_COLUMNS), np.diff(bounds)) + document.column_starts
        numbers: npt.NDArray[np.int32] = self._numbers[states, places]
        for at in np.flatnonzero(numbers == _NO_NUMBER).tolist():
            state, place = int(states[at]), int(places[at])
            numbers[at] = self._numbers[state, place] = self._number(state, place)
        return numbers

    def said(self, document: Document, detections: Sequence[Detection]) -> DetectionArrays:
        """The detections as arrays."""
        if not detections:
            nothing = np.zeros(0, np.int32)
            return DetectionArrays(nothing, nothing, np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0))
        columns = zip(*detections, strict=True)
        starts, ends = np.array(next(columns), np.int32), np.array(next(columns), np.int32)
        *kinds, scores = columns
        found = list(map(self.kinds.get, zip(*kinds, strict=True)))
        if None in found:
            found = [self._kind(detection) for detection in detections]
        return DetectionArrays(
            starts,
            ends,
            touched_tokens(document, starts, ends),
            np.array(found, np.int64),
            np.array(scores, np.float64),
        )

    def _kind(self, detection: Detection) -> int:
        found = self.kinds.get(detection[2:6])
        if found is None:
            found = self.kinds[detection[2:6]] = len(self.kinds)
            label, phi, recogniser = detection[2:5]
            rule = f"{recogniser}.{detection.rule.partition('/')[0]}"
            for degree in _DEGREES:
                for place in "BI":
                    self._values.append(
                        f"{place}{recogniser}:{label} {place}:{phi} {rule} {recogniser}:{label}{degree}"
                    )
        return found

    def _number(self, state: int, place: int) -> int:
        said = {value for number in self._steps.said[state] for value in self._values[number].split(" ")}
        part, column = divmod(place, len(_COLUMNS))
        begins = [_COLUMNS[column]] if column else []
        return self.vocabulary.number(" ".join([f"in:{_PARTS[part]}", *begins, *(sorted(said) or ["nothing"])]))


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
