"""Features of the stacking model: what the recognisers found at each token, as words of a second sequence.

This sequence runs parallel to the note's own words. The features of a token are one string of values separated by
blanks. Each detection that covers the token gives its recogniser and rule, its recogniser and label, its type (the last
two with B for the first token and I for the others), and its recogniser and label with a degree of confidence. Every
token also has the part of the letter that it is in, whether a column or cell begins with it, whether it stands where
an eponym does, and whether it is abbreviated.
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
from deid_core.lexicon.disambiguation.abbreviation_places import abbreviation_places
from deid_core.lexicon.disambiguation.eponym_places import eponym_places
from deid_core.lexicon.disambiguation.eponyms import eponym_flags
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.word_flags import word_flags
from deid_core.text.closing import CLOSING, CLOSING_LINE, FIRST_LETTERS
from deid_core.text.document import Document
from deid_core.text.token_ranges import overlapping_tokens
from deid_core.text.vocabulary import Vocabulary

_MEDIUM, _HIGH = 0.6, 0.9
_CONFIDENCES = "-~+"
"""Of a detection's score: below _MEDIUM, below _HIGH, and above."""
_PARTS = ("header", "body", "closing")
_COLUMNS = ("", "begins:column", "begins:cell")
"""By the numbers of text/column_starts.py."""
_MARKS: tuple[list[str], ...] = ([], ["at:abbreviation"], ["at:eponym"], ["at:eponym", "at:abbreviation"])
_CONTEXTS = len(_MARKS) * len(_PARTS) * len(_COLUMNS)
"""Combinations of a part of the letter, a column, and marks of the word."""
_CLOSING_BELOW = re.compile(rf"\n[ \t]*(?=[{FIRST_LETTERS}])(?:{CLOSING.pattern})", re.IGNORECASE)
"""CLOSING_LINE after another line: a search that begins with a character is several times faster than one for "^".
The look-ahead for the first letters of the formulas skips most lines without trying each formula."""
_UNKNOWN = -1
"""In a table of numbers: not looked up yet."""


Kind = tuple[Label, PhiType, str, str]
"""A detection's label, type, recogniser and rule."""


class DetectionArrays(NamedTuple):
    """The detections of a document as arrays, one place for each.

    starts, ends: int32. touched: int64 (detections, 2), the tokens that each covers or cuts, start_token and end_token.
    kinds: int64, places in StackingFeatures.kinds. scores: float64.
    """

    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    touched: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]


class StackingFeatures:
    """Computes and numbers the features of documents; `vocabulary` holds the distinct feature strings.

    The set of detections at a token is interned first; strings are joined only for sets that are new.
    """

    def __init__(self, gazetteer: Gazetteer) -> None:
        self.vocabulary = Vocabulary()
        self._gazetteer = gazetteer
        self.kinds: dict[Kind, int] = {}
        """The kinds of detections met so far, numbered as they came."""
        # The values of each kind: for each confidence those of its first token and those of its others.
        self._values: list[str] = []
        self._interner = FeatureSetInterner()
        # For each feature set and context (part of the letter and column start), the number of its feature string.
        self._numbers = np.full((256, _CONTEXTS), _UNKNOWN, np.int32)

    def __len__(self) -> int:
        """Return the number of feature sets met so far; at least as many as distinct feature strings."""
        return len(self._interner.sets)

    def types(self, document: Document, arrays: DetectionArrays) -> npt.NDArray[np.int32]:
        """Return the number of each token's feature string in the vocabulary; int32 (tokens,)."""
        bounds = _bounds(document)
        # Two values for each confidence: of a first token and of the others.
        confidences = (arrays.scores >= _MEDIUM).astype(np.int64) + (arrays.scores >= _HIGH)
        values = 2 * (len(_CONFIDENCES) * arrays.kinds + confidences)
        sets = self._interner.intern(values, arrays.touched, bounds[-1])
        while len(self._numbers) < len(self):
            self._numbers = np.append(self._numbers, np.full_like(self._numbers, _UNKNOWN), axis=0)
        contexts = np.repeat(np.arange(len(_PARTS)) * len(_COLUMNS), np.diff(bounds)) + document.column_starts
        flags = eponym_flags(document.vocabulary).gather(document.tokens.types)
        contexts = 2 * contexts + eponym_places(flags, document.tokens.breaks)
        flags = word_flags(self._gazetteer, document.vocabulary).gather(document.tokens.types)
        contexts = 2 * contexts + abbreviation_places(document, flags)
        numbers: npt.NDArray[np.int32] = self._numbers[sets, contexts]
        for at in np.flatnonzero(numbers == _UNKNOWN).tolist():
            set_id, context = int(sets[at]), int(contexts[at])
            numbers[at] = self._numbers[set_id, context] = self._number(set_id, context)
        return numbers

    def arrays(self, document: Document, detections: Sequence[Detection]) -> DetectionArrays:
        """Return the detections as arrays."""
        if not detections:
            empty = np.zeros(0, np.int32)
            return DetectionArrays(empty, empty, np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0))
        columns = zip(*detections, strict=True)
        starts, ends = np.array(next(columns), np.int32), np.array(next(columns), np.int32)
        *kinds, scores = columns
        numbers = list(map(self.kinds.get, zip(*kinds, strict=True)))
        if None in numbers:
            numbers = [self._kind(detection) for detection in detections]
        return DetectionArrays(
            starts,
            ends,
            overlapping_tokens(document, starts, ends),
            np.array(numbers, np.int64),
            np.array(scores, np.float64),
        )

    def _kind(self, detection: Detection) -> int:
        number = self.kinds.get(detection[2:6])
        if number is None:
            number = self.kinds[detection[2:6]] = len(self.kinds)
            label, phi, recogniser = detection[2:5]
            rule = f"{recogniser}.{detection.rule.partition('/')[0]}"
            for confidence in _CONFIDENCES:
                for place in "BI":
                    self._values.append(
                        f"{place}{recogniser}:{label} {place}:{phi} {rule} {recogniser}:{label}{confidence}"
                    )
        return number

    def _number(self, set_id: int, context: int) -> int:
        values = {value for number in self._interner.sets[set_id] for value in self._values[number].split(" ")}
        place, marks_of_word = divmod(context, len(_MARKS))
        part, column = divmod(place, len(_COLUMNS))
        marks = [f"in:{_PARTS[part]}", *([_COLUMNS[column]] if column else []), *_MARKS[marks_of_word]]
        return self.vocabulary.number(" ".join([*marks, *(sorted(values) or ["nothing"])]))


def _bounds(document: Document) -> list[int]:
    """Return the tokens at which the header, the body and the closing of the letter begin, and the number of tokens."""
    text, starts = document.text, document.tokens.starts
    body = int(np.searchsorted(starts, document.header_end))
    closing = len(starts)
    formulas = [formula.start() + 1 for formula in _CLOSING_BELOW.finditer(text)]
    if not formulas and CLOSING_LINE.match(text):
        formulas = [0]
    if formulas:
        closing = max(body, int(np.searchsorted(starts, formulas[-1])))
    return [0, body, closing, len(starts)]
