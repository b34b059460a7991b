"""Features of the subtype classifier: each is a slot ("before 1") and a symbol, its value ("herr").

Symbols are words in small letters, `<type>` for a neighbouring span, a line end, `#n` for a number, and the recogniser
and rule that found the span. A neighbouring span counts as one word, so that "Herr Dr. Muster" has "herr" in slot
"before 2" whatever the title is. The window is short, which bounds the work for hostile text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import inlined, jit
from deid_core.core.labels import PhiType
from deid_core.core.spans import Span
from deid_core.ensemble.stacking.type_groups import TYPE_GROUPS
from deid_core.text.document import Document
from deid_core.text.vocabulary import TypeFeature, Vocabulary

SLOTS = (
    "found by", "type", "in header", "height", "lines below", "words", "characters", "first word", "last word", "word",
    "before 1", "before 2", "before 3", "before", "line above 1", "line above 2", "line above 3", "line above",
    "near before", "after 1", "after 2", "after", "line begins", "line above begins",
)  # fmt: skip
"""Features of the span, its place and its context. A numbered slot is the nth word on that side, the same without a
number all words beyond those; "line above" are words before the beginning of the line."""
(
    _FOUND_BY, _TYPE, _HEADER, _HEIGHT, _BELOW, _WORDS, _CHARACTERS, _FIRST, _LAST, _WORD,
    _BEFORE, _, _, _, _, _, _, _, _NEAR, _AFTER, _, _, _LINE_BEGINS, _ABOVE_BEGINS,
) = range(len(SLOTS))  # fmt: skip
GROUPS = tuple(types for types in TYPE_GROUPS.values() if len(types) > 1)
"""The stacking model's groups of several types. The classifier chooses one type of a span's group."""
TYPES = tuple(phi for types in GROUPS for phi in types)
"""The columns of weights and probabilities; those of a group are adjacent."""
GROUP_OF = {phi: group for group, types in enumerate(GROUPS) for phi in types}
NO_GROUP = -1
"""The group of a type that is not classified."""
LINE = "\n"

_STEPS_BEFORE = 6
_STEPS_AFTER = 5
_NUMBERED_BEFORE = 3
_NUMBERED_AFTER = 2
_INNER = 4
"""The first words of a span that are features."""
_HEIGHTS = 10
_MOST_LINES_BELOW = 8
_MOST_WORDS = 4
_MOST_CHARACTERS = 6
_MAX_FEATURES = 9 + _INNER + 3 * _STEPS_BEFORE + 2 * _STEPS_AFTER + 2
_Array = npt.NDArray[Any]


class SubtypeFeatures(NamedTuple):
    """The features of spans; those of span n are bounds[n] to bounds[n + 1].

    bounds: int64 (spans + 1,); slots, symbols: int32 (features,).
    """

    bounds: _Array
    slots: _Array
    symbols: _Array


class Symbols:
    """The numbers of symbols in documents of one vocabulary.

    number_of: from a symbol to its number, 0 for a symbol without a weight.
    """

    def __init__(self, number_of: Callable[[str], int], vocabulary: Vocabulary) -> None:
        self.words = TypeFeature(vocabulary, lambda word: number_of(word.lower()), np.int32)
        self.numbers = np.array([number_of(f"#{n}") for n in range(_HEIGHTS)], np.int32)
        self.line = number_of(LINE)

        @cache
        def kind(phi: PhiType, recogniser: str, rule: str) -> tuple[int, int, int]:
            return GROUP_OF.get(phi, NO_GROUP), number_of(f"<{phi}>"), number_of(f"{recogniser} {rule}")

        self._kind = kind

    def kinds(self, spans: Sequence[Span]) -> _Array:
        """Return each span's group, the symbol of its type, and that of its recogniser and rule; int32 (spans, 3)."""
        return np.array([self._kind(span.type, span.recogniser, span.rule) for span in spans], np.int32)


def subtype_features(
    document: Document, places: _Array, touched: _Array, kinds: _Array, chosen: _Array, symbols: Symbols
) -> SubtypeFeatures:
    """Return the features of the chosen spans of a note. Spans are ascending and disjoint.

    places: int32 (spans, 2), start and end of each; touched: its tokens; kinds: see Symbols.
    chosen: int64, the numbers of the chosen spans.
    """
    tokens = document.tokens
    bounds = np.zeros(len(chosen) + 1, np.int64)
    slots, numbers = np.empty((2, len(chosen) * _MAX_FEATURES), np.int32)
    _collect(
        symbols.words.gather(tokens.types), tokens.breaks, places, touched, kinds, chosen, document.header_end,
        symbols.numbers, symbols.line, bounds, slots, numbers,
    )  # fmt: skip
    return SubtypeFeatures(bounds, slots[: bounds[-1]], numbers[: bounds[-1]])


@inlined
def _put(slots: _Array, symbols: _Array, count: int, slot: int, symbol: int) -> int:
    slots[count], symbols[count] = slot, symbol
    return count + 1


@jit("void(i4[::1], b1[::1], i4[:,::1], i8[:,::1], i4[:,::1], i8[::1], i8, i4[::1], i8, i8[::1], i4[::1], i4[::1])")
def _collect(
    words: _Array,
    breaks: _Array,
    places: _Array,
    touched: _Array,
    kinds: _Array,
    chosen: _Array,
    header_end: int,
    numbers: _Array,
    line: int,
    bounds: _Array,
    slots: _Array,
    symbols: _Array,
) -> None:
    """Fill bounds, slots and symbols.

    words: symbol of each token; for the others see `subtype_features`.
    """
    types = kinds[:, 1]
    length = len(words)
    owner = np.full(length, -1, np.int32)
    for span in range(len(touched)):
        owner[touched[span, 0] : touched[span, 1]] = span
    # The number of each token's line, and the first token of each line.
    line_of, begins = np.empty(length, np.int32), np.empty(length + 1, np.int32)
    lines = 0
    for token in range(length):
        if not token or breaks[token]:
            begins[lines] = token
            lines += 1
        line_of[token] = lines - 1
    count = 0
    for number, span in enumerate(chosen):
        start_token, end_token = touched[span, 0], touched[span, 1]
        if start_token < end_token:
            at_line = line_of[start_token]
            count = _put(slots, symbols, count, _FOUND_BY, kinds[span, 2])
            count = _put(slots, symbols, count, _TYPE, types[span])
            if places[span, 0] < header_end:
                count = _put(slots, symbols, count, _HEADER, numbers[1])
            count = _put(slots, symbols, count, _HEIGHT, numbers[_HEIGHTS * at_line // lines])
            count = _put(slots, symbols, count, _BELOW, numbers[min(lines - 1 - at_line, _MOST_LINES_BELOW)])
            count = _put(slots, symbols, count, _WORDS, numbers[min(end_token - start_token, _MOST_WORDS)])
            count = _put(
                slots, symbols, count, _CHARACTERS, numbers[min(places[span, 1] - places[span, 0], _MOST_CHARACTERS)]
            )
            count = _put(slots, symbols, count, _FIRST, words[start_token])
            count = _put(slots, symbols, count, _LAST, words[end_token - 1])
            for token in range(start_token, min(end_token, start_token + _INNER)):
                count = _put(slots, symbols, count, _WORD, words[token])
            token, beyond = start_token - 1, 0
            for step in range(_STEPS_BEFORE):
                if token < 0:
                    break
                near = min(step, _NUMBERED_BEFORE)
                if breaks[token + 1]:
                    if step >= _NUMBERED_BEFORE:
                        break
                    count = _put(slots, symbols, count, _BEFORE + near, line)
                    beyond = _NUMBERED_BEFORE + 1
                other = owner[token]
                symbol = types[other] if other >= 0 else words[token]
                count = _put(slots, symbols, count, _BEFORE + beyond + near, symbol)
                if step and other < 0:
                    count = _put(slots, symbols, count, _NEAR, symbol)
                token = touched[other, 0] - 1 if other >= 0 else token - 1
            token = end_token
            for step in range(_STEPS_AFTER):
                if token >= length:
                    break
                near = min(step, _NUMBERED_AFTER)
                if breaks[token]:
                    count = _put(slots, symbols, count, _AFTER + near, line)
                    if step >= _NUMBERED_AFTER:
                        break
                other = owner[token]
                count = _put(slots, symbols, count, _AFTER + near, types[other] if other >= 0 else words[token])
                token = touched[other, 1] if other >= 0 else token + 1
            for above in range(min(2, at_line + 1)):
                token = begins[at_line - above]
                if token < start_token:
                    other = owner[token]
                    symbol = types[other] if other >= 0 else words[token]
                    count = _put(slots, symbols, count, _LINE_BEGINS + above, symbol)
        bounds[number + 1] = count
