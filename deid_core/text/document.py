"""The document: a note with its tokens and with what several recognisers need of them, computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType
from deid_core.core.note import Note
from deid_core.text.arrays import code_points
from deid_core.text.header_end import header_end
from deid_core.text.normalisation import Places
from deid_core.text.tokens import Tokens
from deid_core.text.vocabulary import Vocabulary

_Shared = TypeVar("_Shared")


@dataclass(frozen=True)
class Document:
    """A note with its tokens; `vocabulary` is the engine's and numbers the tokens' word types.

    places: where the characters of `text` are in the note as it is stored, if its text was normalised. known: names and
    addresses that others than the note say of it, with their types; treated as if its header said them.
    """

    note: Note
    tokens: Tokens
    vocabulary: Vocabulary
    places: Places | None = None
    known: tuple[tuple[str, PhiType], ...] = ()

    @property
    def text(self) -> str:
        """The note's normalised text; if the pipeline unwraps, with blanks for forced line ends."""
        return self.note.text

    @cached_property
    def codes(self) -> npt.NDArray[np.uint32]:
        """The text's code points, shape (len(text),), for compiled code."""
        return code_points(self.text)

    @cached_property
    def header_end(self) -> int:
        """End of the note's header, in code points; 0 if there is none."""
        return header_end(self.note)

    @cached_property
    def sequence(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The note as a CRF's sequence (note_sequence.py); two models read it."""
        # Imported here: pipelines without a CRF need no numba for it.
        from deid_core.text.note_sequence import sequence_types

        return sequence_types(self.tokens)

    @cached_property
    def column_starts(self) -> npt.NDArray[np.int64]:
        """For each token whether a column or cell begins with it (column_starts.py)."""
        # Imported here, as above.
        from deid_core.text.column_starts import column_starts

        return column_starts(self.codes, self.tokens)

    @cached_property
    def _shared(self) -> dict[Hashable, Any]:
        return {}

    def shared(self, key: Hashable, make: Callable[[], _Shared]) -> _Shared:
        """Return this document's object for the key, made on first use; as Vocabulary.shared."""
        if key not in self._shared:
            self._shared[key] = make()
        found: _Shared = self._shared[key]
        return found

    def ranges(self, of_note: Sequence[tuple[int, int]]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return starts and ends, in `text`, of ranges [start, end) of the note as it is stored."""
        starts, ends = np.array(of_note, np.int32).reshape(-1, 2).T
        return (starts, ends) if self.places is None else self.places.in_text(starts, ends)

    def word(self, token: int) -> str:
        """Return the string of a token."""
        return self.vocabulary.words[int(self.tokens.types[token])]
