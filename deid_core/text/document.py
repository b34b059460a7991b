"""The document: a note with its tokens and what several recognisers ask of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from deid_core.core.note import Note
from deid_core.text.header_end import header_end
from deid_core.text.tokens import Tokens
from deid_core.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class Document:
    """A note with its tokens; `vocabulary` is the worker's, which numbers the token's word types."""

    note: Note
    tokens: Tokens
    vocabulary: Vocabulary

    @property
    def text(self) -> str:
        """The note's text as it is read: with blanks for line ends, if the pipeline unwraps, and as long as it was."""
        return self.note.text

    @cached_property
    def header_end(self) -> int:
        """Where the note's header ends, in code points; found once, since more than one reader asks."""
        return header_end(self.note)

    @cached_property
    def sequence(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The note as a CRF's sequence (sequence/note_sequence.py); made once, since two models read it."""
        # Only here: pipelines without a CRF load no numba for it.
        from deid_core.text.sequence import sequence_types

        return sequence_types(self.tokens)

    @cached_property
    def column_starts(self) -> npt.NDArray[np.int64]:
        """Of each token whether a column or cell begins with it (column_starts.py); found once, as two steps ask."""
        # Only here, as above.
        from deid_core.text.column_starts import column_starts

        return column_starts(self.text, self.tokens)

    def word(self, index: int) -> str:
        """The string of the token at `index`."""
        return self.vocabulary.words[int(self.tokens.types[index])]
