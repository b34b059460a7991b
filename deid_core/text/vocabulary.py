"""Word types: what depends on a word alone is computed once per type and gathered for every token."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from deid_core.text.arrays import with_room
from deid_core.text.tokens import LINE_END, TOKEN, Tokens, is_abbreviation, plain

if TYPE_CHECKING:
    from deid_core.text.kernel import MatchTable

_Shared = TypeVar("_Shared")
_LONG = 400
"""Texts of at least so many characters are cut by compiled code (kernel.py); for a list entry it does not pay."""


class Vocabulary:
    """Numbers word types as they come; a worker holds one and its engine's tables grow with it."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.characters = 0
        """Of all word types together; what bounds its memory beside their number."""
        self._numbers: dict[str, int] = {}
        self._table: MatchTable | None = None
        self._shared: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self.words)

    def number(self, word: str) -> int:
        """The number of the word's type, a new one if it has none yet."""
        found = self._numbers.get(word)
        if found is None:
            found = self._numbers[word] = len(self.words)
            self.words.append(word)
            self.characters += len(word)
        return found

    def known(self, word: str) -> int | None:
        """The number of the word's type, None if no text had it yet: asking adds nothing to the tables."""
        return self._numbers.get(word)

    def shared(self, key: Hashable, make: Callable[[], _Shared]) -> _Shared:
        """Return this vocabulary's object for the key, made on first use.

        The recognisers of an engine share tables of word types this way; a new vocabulary starts without any.
        By convention a key is the function that asks, and its other arguments.
        """
        if key not in self._shared:
            self._shared[key] = make()
        found: _Shared = self._shared[key]
        return found

    def tokenise(self, text: str) -> Tokens:
        """Cuts a text into tokens; the same text gives the same starts and ends, numbers depend on what came before."""
        if len(text) < _LONG:
            return self.tokenise_by_expression(text)
        if self._table is None:
            from deid_core.text.kernel import MatchTable

            self._table = MatchTable(self._match_number, self.number("."))
        return self._table.tokenise(text)

    def tokenise_by_expression(self, text: str) -> Tokens:
        """What `tokenise` gives, by TOKEN itself."""
        starts: list[int] = []
        ends: list[int] = []
        types: list[int] = []
        breaks: list[bool] = []
        before = 0
        for match in TOKEN.finditer(text):
            start, end = match.span()
            number = self._match_number(match.group())
            breaks.append(LINE_END.search(text, before, start) is not None)
            before = end
            if number < 0:
                starts.append(start)
                ends.append(end - 1)
                types.append(-1 - number)
                breaks.append(False)
                start, number = end - 1, self.number(".")
            starts.append(start)
            ends.append(end)
            types.append(number)
        return Tokens(
            np.array(starts, np.int32), np.array(ends, np.int32), np.array(types, np.int32), np.array(breaks, np.bool_)
        )

    def _match_number(self, matched: str) -> int:
        """The number of the type of what TOKEN matches, or, for a word with a sentence's full stop, -1 - the word's."""
        matched = plain(matched)
        if len(matched) > 1 and matched[-1] == "." and not is_abbreviation(matched):
            return -1 - self.number(matched[:-1])
        return self.number(matched)


class TypeFeature:
    """A number for each word type, computed once a type and worker and gathered for all tokens of a note.

    compute: from the word to a number that fits dtype; must depend on the word alone.
    """

    def __init__(self, vocabulary: Vocabulary, compute: Callable[[str], int], dtype: npt.DTypeLike = np.uint32) -> None:
        self._vocabulary = vocabulary
        self._compute = compute
        self._values: npt.NDArray[Any] = np.zeros(1024, dtype)
        self._filled = 0

    def gather(self, types: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
        """Values of the types, shape as `types`."""
        known = len(self._vocabulary)
        if known > self._filled:
            self._extend(known)
        # Half the time of an index.
        return self._values.take(types)

    def of(self, word: str) -> int:
        """The value of one word, whether the vocabulary has it or not."""
        return self._compute(word)

    def _extend(self, known: int) -> None:
        self._values = with_room(self._values, known)
        # At once: a value that is set by itself costs as much as many a computation.
        self._values[self._filled : known] = list(map(self._compute, self._vocabulary.words[self._filled : known]))
        self._filled = known
