"""Where the tokens of a document stand: lines, cells, columns of blanks, and what stands behind a trigger's word.

name_words.py adds what the words are, name_walk.py how far a name goes; the other modules of the folder ask all three.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.lexicon.cue_words import CueFlag
from deid_core.text.document import Document

_ABBREVIATED = CueFlag.ABBREVIATED.value
_AMBIGUOUS_FIELD = CueFlag.AMBIGUOUS_FIELD.value
_TITLE = CueFlag.TITLE.value

COLUMN_GAP = 3
"""So many blanks part columns."""
_FEMALE = frozenset(("in", "ssa", "a"))
"""Endings of a title that are tokens of their own: "Dr.in", "Dott.ssa"."""
_OPENING = frozenset({":", "(", '"', "„", "»", "«", "‚", "“"})
_DASHES = frozenset("-–—")
_ENDS_CLAUSE = frozenset(",;./)(")


class NoteLayout:
    """The tokens of one document with their bits.

    bits: wordlists' bits of each token; triggers: triggers' bits of each token.
    """

    def __init__(self, document: Document, bits: npt.NDArray[np.uint32], triggers: npt.NDArray[np.uint32]) -> None:
        self.bits: list[int] = bits.tolist()
        # Few of a note's triggers and places are asked for: a view costs less than a list of all of them.
        self.triggers: Sequence[int] = triggers.data
        self.starts: Sequence[int] = document.tokens.starts.data
        self.ends: Sequence[int] = document.tokens.ends.data
        # What a view of truth values gives are truth values, which its type does not say.
        self.breaks = cast("Sequence[bool]", document.tokens.breaks.data)
        self._text = document.text
        self._types: Sequence[int] = document.tokens.types.data
        self._words = document.vocabulary.words
        # The types of these marks: to compare numbers costs less than to look up a word. None: no note had it yet.
        self._full_stop, self._hyphen = document.vocabulary.known("."), document.vocabulary.known("-")
        self._count = len(self.starts)

    def __len__(self) -> int:
        return self._count

    def word(self, index: int) -> str:
        """The token's string, "" beyond the ends."""
        return self._words[self._types[index]] if 0 <= index < self._count else ""

    def gap(self, index: int) -> str:
        """What stands between the token before and this one."""
        return self._text[self.ends[index - 1] if index else 0 : self.starts[index]]

    def adjacent(self, index: int) -> bool:
        """Whether the token stands on the line and in the column of the one before it."""
        return 0 < index < self._count and not self.opens_column(index)

    def opens_column(self, index: int) -> bool:
        """Whether a line, cell or column of blanks begins at the token."""
        return index == 0 or self.breaks[index] or self.starts[index] - self.ends[index - 1] >= COLUMN_GAP

    def ends_column(self, index: int) -> bool:
        """Whether the line, cell or column of blanks ends behind the token."""
        return index + 1 >= self._count or self.opens_column(index + 1)

    def ends_clause(self, index: int) -> bool:
        """Whether the column ends behind the token, or a mark that ends a clause stands there."""
        return self.ends_column(index) or self.word(index + 1) in _ENDS_CLAUSE

    def is_blank_column(self, index: int) -> bool:
        """Whether a column that blanks make begins at the token: what is below a signature more often than a field."""
        return self.starts[index] - self.ends[index - 1] >= COLUMN_GAP and not self.breaks[index]

    def ends_line(self, index: int) -> bool:
        """Whether the line or cell ends behind the token."""
        return index + 1 >= self._count or self.breaks[index + 1]

    def trigger(self, index: int) -> int:
        """The trigger's bits of the token, 0 behind the last."""
        return self.triggers[index] if index < self._count else 0

    def past_stop(self, index: int) -> int:
        """The token behind a trigger and the full stop of an abbreviation."""
        after = index + 1
        if self.triggers[index] & _ABBREVIATED and self.word(after) == ".":
            return after + 1
        return self._past_title(after) if self.triggers[index] & _TITLE else after

    def _past_title(self, after: int) -> int:
        """The token behind the rest of a title at `after`."""
        word, behind = self.word(after), self.word(after + 1)
        if word in _FEMALE and self.starts[after] == self.ends[after - 1]:
            return after + 1
        if word == "-" and self.word(after + 2) == ".":
            # "Dipl.-Psych .": the full stop is a token of its own.
            return after + 3
        if (word == "-" and behind[-1:] == ".") or (word == "h." and behind == "c."):
            # "Dipl.-Psych.", "Dr. h. c."
            return after + 2
        return after

    def past_mark(self, index: int) -> int:
        """The token behind a trigger and the colon, bracket or quotation mark that may stand there.

        "Patient/in:" and "Versicherte(r):" are one trigger.
        """
        after = self.past_stop(index)
        if self.triggers[index] & _AMBIGUOUS_FIELD and self.word(after).isdigit():
            # "Fall 1:", "FALL 1 – "
            if self.word(after + 1) in _DASHES and self.adjacent(after + 1):
                return after + 2
            after += self.word(after + 1) == ":"
        elif self.word(after) == "/" and self.word(after + 1) in {"in", "innen"}:
            after += 2
        elif self.word(after) == "(" and self.word(after + 1) in {"r", "in", "n"} and self.word(after + 2) == ")":
            after += 3
        for _ in range(2):
            if self.word(after) in _OPENING:
                after += 1
        return after

    def detection(self, first: int, last: int, phi: PhiType, rule: str, score: float) -> Detection:
        """A detection of the tokens first to last (exclusive)."""
        return Detection(self.starts[first], self.ends[last - 1], label_of(phi), phi, "context", rule, score)
