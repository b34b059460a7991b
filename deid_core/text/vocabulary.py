"""Word types: a feature that depends on a word alone is computed once per type and gathered for every token."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from deid_core.text.arrays import with_room
from deid_core.text.tokens import LINE_END, TOKEN, Tokens, is_abbreviation, plain

if TYPE_CHECKING:
    from deid_core.text.tokeniser_kernel import MatchTable

_Shared = TypeVar("_Shared")
_LONG = 400
"""Texts of at least this many characters are tokenised by tokeniser_kernel.py; for shorter ones it is slower."""
MAX_WORD_CHARS = 250
"""No name and no word is as long; what is (base64, a line of hyphens) must not cost more than a word. Some features
take the square of a word's length."""


class Vocabulary:
    """Numbers word types in the order in which they are first seen.

    An engine has one vocabulary; its tables of word types grow with it.
    """

    def __init__(self) -> None:
        self.words: list[str] = []
        self.characters = 0
        """Characters of all word types. Together with their number it bounds the memory."""
        self._numbers: dict[str, int] = {}
        self._table: MatchTable | None = None
        self._shared: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self.words)

    def number(self, word: str) -> int:
        """Return the number of the word's type, a new one if it has none yet."""
        found = self._numbers.get(word)
        if found is None:
            found = self._numbers[word] = len(self.words)
            self.words.append(word)
            self.characters += len(word)
        return found

    def known(self, word: str) -> int | None:
        """Return the number of the word's type, None if no text had it yet. Adds nothing to the tables."""
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

    def tokenise(self, text: str, *, max_new: int | None = None) -> Tokens:
        """Split a text into tokens; starts and ends depend on the text alone, type numbers on earlier texts as well.

        Raises TooManyNewWords if a text of at least 400 characters has more than `max_new` words that no text had yet.
        """
        if len(text) < _LONG:
            return self.tokenise_by_expression(text)
        if self._table is None:
            from deid_core.text.tokeniser_kernel import MatchTable

            self._table = MatchTable(self._match_number, self.number("."))
        return self._table.tokenise(text, max_new)

    def tokenise_by_expression(self, text: str) -> Tokens:
        """Return the same tokens as `tokenise`, by the expression TOKEN."""
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
        """Return the type number of a match of TOKEN, or -1 - number for a word with the full stop of a sentence.

        The type of a match with more than MAX_WORD_CHARS characters is that of its first ones.
        """
        matched = plain(matched)
        is_long = len(matched) > MAX_WORD_CHARS
        if len(matched) > 1 and matched[-1] == "." and (is_long or not is_abbreviation(matched)):
            return -1 - self.number(matched[:-1][:MAX_WORD_CHARS])
        return self.number(matched[:MAX_WORD_CHARS])


class TypeFeature:
    """A number for each word type, computed once per type and gathered for all tokens of a note.

    compute: maps a word to a number that fits dtype; must depend on the word alone.
    """

    def __init__(self, vocabulary: Vocabulary, compute: Callable[[str], int], dtype: npt.DTypeLike = np.uint32) -> None:
        self._vocabulary = vocabulary
        self._compute = compute
        self._values: npt.NDArray[Any] = np.zeros(1024, dtype)
        self._filled = 0

    def gather(self, types: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
        """Return the values of the types; same shape as `types`."""
        known = len(self._vocabulary)
        if known > self._filled:
            self._extend(known)
        # Twice as fast as indexing.
        return self._values.take(types)

    def of(self, word: str) -> int:
        """Return the value of one word, whether the vocabulary has it or not."""
        number = self._vocabulary.known(word)
        if number is None or number >= self._filled:
            return self._compute(word)
        value: int = self._values.item(number)
        return value

    def _extend(self, known: int) -> None:
        self._values = with_room(self._values, known)
        # All at once: setting a single value of an array is slow.
        self._values[self._filled : known] = list(map(self._compute, self._vocabulary.words[self._filled : known]))
        self._filled = known
