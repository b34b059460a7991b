"""Rows of numbers for each word type of a vocabulary: its emission scores, and what its vector adds to the layers.

Types: 0 is the word outside the sequence (EDGE), 1 the line break (LINE), then the vocabulary's word types in order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from deid_core.text.arrays import with_room
from deid_core.text.note_sequence import FIRST_TYPE
from deid_core.text.vocabulary import Vocabulary

_WORDS_AT_ONCE = 8192


class WordTypeRows(ABC):
    """Rows of numbers for each word type of a vocabulary; grows with it. A subclass begins with those of EDGE, LINE.

    Words with equal keys share a row, as many numbers do, whose digits no feature distinguishes; a subclass chooses the
    keys. rows: int32 (types,), the row of each; may have spare capacity.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._filled = 0
        self._known: dict[bytes, int] = {}
        self.rows: npt.NDArray[np.int32] = np.zeros(1024, np.int32)

    def __len__(self) -> int:
        return self._filled

    def extend(self) -> None:
        """Compute the rows of all word types that are new since the last call."""
        words = self._vocabulary.words
        while self._filled < len(words) + FIRST_TYPE:
            first = self._filled - FIRST_TYPE
            self._append(tuple(words[first : first + _WORDS_AT_ONCE]))

    @abstractmethod
    def _append(self, words: tuple[str, ...]) -> None:
        """Add the rows of word types; if it fails, as for lack of memory, the object stays as it was."""

    def _share_rows(self, keys: Iterable[bytes], add: Callable[[slice, npt.NDArray[np.int64]], None]) -> None:
        """Give each word the row of its key. keys: of each word. add: computes new rows, and stores them last of all.

        It is told which rows are new, and the number of the first word of each.
        """
        known, new, firsts, of_words = self._known, dict[bytes, int](), list[int](), list[int]()
        for word, key in enumerate(keys):
            row = known.get(key)
            if row is None:
                row = new.setdefault(key, len(known) + len(new))
                if row == len(known) + len(firsts):
                    firsts.append(word)
            of_words.append(row)
        filled = self._filled + len(of_words)
        rows = with_room(self.rows, filled)
        # Entries beyond those in use may be overwritten: nobody reads them.
        rows[self._filled : filled] = of_words
        add(slice(len(known), len(known) + len(new)), np.array(firsts, np.int64))
        self.rows = rows
        # If this is interrupted it holds the first of the new rows, which exist.
        known.update(new)
        self._filled = filled
