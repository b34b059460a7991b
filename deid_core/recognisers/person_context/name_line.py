"""A document's tokens as possible parts of names: columns and lines, word lists, spelling, use of capitals.

name_reader.py reads whole names from it. The recognisers ask it about single tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.word_flags import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME
from deid_core.recognisers.person_context.spelling_flags import PartFlag
from deid_core.text.document import Document
from deid_core.text.token_line import TokenLine
from deid_core.text.vocabulary import TypeFeature

_SALUTATION = CueFlag.SALUTATION.value
_TITLE = CueFlag.TITLE.value
_KINSHIP = CueFlag.KINSHIP.value
_CLINICAL_ROLE = CueFlag.CLINICAL_ROLE.value
_NAME_FIELD = CueFlag.NAME_FIELD.value
_FIELD_OR_SALUTATION = _NAME_FIELD | _SALUTATION
_PARTICLE = CueFlag.PARTICLE.value
_INITIALS = PartFlag.INITIALS.value
_CAPITAL_INITIALS = PartFlag.CAPITAL_INITIALS.value
_NOUN = PartFlag.NOUN.value
_ALL_CAPITALS = PartFlag.ALL_CAPITALS.value

COLUMN_GAP = 3
"""Number of blanks that separate columns."""
MIN_RARE = 3
"""Shorter words that no list has are more often abbreviations than names."""
_ENDS_CLAUSE = frozenset(",;./)(")
_VERBAL = re.compile(r"(?:t|te|ten|en|ig|lich)$")
"""Endings of words after "frau" and "herr" that are more often verbs or adjectives than names."""
_FEW_CAPITALS, _MANY_CAPITALS, _MANY_ALL_CAPITALS = 0.15, 0.6, 0.35
"""Shares of a note's words. Below the first the note is in lower case. Above the other two, of capitalised words and
of words all in capitals, it is in capitals."""
_MIN_WORDS = 30
"""Shorter notes are taken as written in normal case."""


class NameLine(TokenLine):
    """The tokens of one document as possible parts of names.

    word_flags, cue_flags, part_flags: flags of each token (CueFlag and PartFlag the last two), shape (tokens,).
    word_feature: where the word flags come from.
    """

    def __init__(
        self,
        document: Document,
        word_flags: npt.NDArray[np.uint32],
        cue_flags: npt.NDArray[np.uint32],
        part_flags: npt.NDArray[np.uint8],
        word_feature: TypeFeature,
    ) -> None:
        self.flags: list[int] = word_flags.tolist()
        super().__init__(document, self.flags, "person_context")
        # Only a few tokens are asked for these: a view costs less than a list of all of them.
        self.cues: Sequence[int] = cue_flags.data
        self.parts: Sequence[int] = part_flags.data
        self.types: Sequence[int] = document.tokens.types.data
        self.starts: Sequence[int] = document.tokens.starts.data
        self.ends: Sequence[int] = document.tokens.ends.data
        # A view of a bool array gives bools. Its type does not say so.
        self.breaks = cast("Sequence[bool]", document.tokens.breaks.data)
        self.count = len(self.flags)
        # To compare type numbers costs less than to look up words. None: no note had the mark yet.
        self.full_stop_type, self.hyphen_type = document.vocabulary.known("."), document.vocabulary.known("-")
        self._word_feature = word_feature
        words = int(np.count_nonzero(word_flags & IS_WORD))
        capitalised = int(np.count_nonzero(word_flags & CAPITALISED))
        enough = words >= _MIN_WORDS
        self.lower_case_note = enough and capitalised < _FEW_CAPITALS * words
        """Whether the note is written without capitals, names included."""
        self.upper_case_note = (
            enough
            and capitalised > _MANY_CAPITALS * words
            and int(np.count_nonzero(part_flags & _ALL_CAPITALS)) > _MANY_ALL_CAPITALS * words
        )
        """Whether the note is written in capitals, so that a word in capitals is no abbreviation."""

    def gap(self, index: int) -> str:
        """Return the text between the token before and this one."""
        return self.text[self.ends[index - 1] if index else 0 : self.starts[index]]

    def adjacent(self, index: int) -> bool:
        """Whether the token is on the line and in the column of the token before it."""
        return 0 < index < self.count and not self.opens_column(index)

    def opens_column(self, index: int) -> bool:
        """Whether a line, cell or column of blanks begins at the token."""
        return index == 0 or self.breaks[index] or self.starts[index] - self.ends[index - 1] >= COLUMN_GAP

    def ends_column(self, index: int) -> bool:
        """Whether the line, cell or column of blanks ends after the token."""
        return index + 1 >= self.count or self.opens_column(index + 1)

    def ends_clause(self, index: int) -> bool:
        """Whether the column ends after the token, or a mark follows that ends a clause."""
        return self.ends_column(index) or self.word(index + 1) in _ENDS_CLAUSE

    def opens_blank_column(self, index: int) -> bool:
        """Whether a column separated by blanks alone begins at the token: below a signature rather than in a form."""
        return self.starts[index] - self.ends[index - 1] >= COLUMN_GAP and not self.breaks[index]

    def ends_line(self, index: int) -> bool:
        """Whether the line or cell ends after the token."""
        return index + 1 >= self.count or self.breaks[index + 1]

    def cue_at(self, index: int) -> int:
        """Return the cue flags of the token, 0 after the last one."""
        return self.cues[index] if index < self.count else 0

    def flags_of(self, word: str) -> int:
        """Return the word flags of a string."""
        return self._word_feature.of(word)

    def flags_as_capitalised(self, index: int) -> int:
        """Return the word flags that the token would have with a capital."""
        flags = self.flags[index]
        return flags if flags & CAPITALISED or not flags & IS_WORD else self._word_feature.of(self.word(index).title())

    def is_listed(self, index: int) -> bool:
        """Whether the token is a given name, or a surname that is no common word."""
        flags = self.flags_as_capitalised(index)
        return not flags & STOP and bool(flags & GIVEN_NAME or (flags & SURNAME and not flags & COMMON))

    def is_given_name(self, index: int) -> bool:
        """Whether the token is a given name and no common word, or begins with one and a hyphen: "Jan-Muster"."""
        flags = self.flags_as_capitalised(index)
        if flags & (STOP | COMMON):
            return False
        # A dash alone has no first part.
        first, hyphen, _ = self.word(index).partition("-")
        return bool(flags & GIVEN_NAME) or bool(hyphen and first and self._word_feature.of(first.title()) & GIVEN_NAME)

    def is_rare(self, index: int) -> bool:
        """Whether no word list has the token and its ending is not that of a noun."""
        flags = self.flags[index]
        return (
            not flags & (COMMON | STOP)
            and bool(flags & IS_WORD)
            and len(self.word(index)) >= MIN_RARE
            and not self.parts[index] & _NOUN
        )

    def is_noun_like(self, index: int) -> bool:
        """Whether the token has the ending of a noun that no name has."""
        return bool(self.parts[index] & _NOUN)

    def is_likely(self, start_token: int, end_token: int, *, listed: bool) -> bool:
        """Whether the tokens are probably a name: one is on a list, or, unless `listed`, all are rare."""
        words = [i for i in range(start_token, end_token) if self.flags[i] & IS_WORD and not self.is_particle(i)]
        if any(self.is_listed(i) for i in words) or self._is_listed_across_lines(start_token, end_token):
            return True
        names = [i for i in words if not self.is_initial(i)]
        initial = self.is_initial(start_token)
        return (
            not listed
            and bool(names)
            and all(self.is_rare(i) and (initial or self.upper_case_note or not self.word(i).isupper()) for i in names)
        )

    def is_initial(self, index: int, *, lower: bool = False) -> bool:
        """Whether the token is "A." or "A.B."; lower: also "a."."""
        return index < self.count and bool(self.parts[index] & (_INITIALS if lower else _CAPITAL_INITIALS))

    def is_particle(self, index: int) -> bool:
        """Whether the token is a particle of a name."""
        if self.cues[index] & _PARTICLE:
            return True
        return self.word(index) == "und" and index > 0 and self.word(index - 1) == "von"

    def is_addressed_in_lower_case(self, index: int) -> bool:
        """Whether a common word is a name in a note in lower case: "dr. quast", "sehr geehrte frau bauch,"."""
        if not (self.lower_case_note and self.adjacent(index)):
            return False
        # "hausarzt (fuchs, …)", "op: quast/knarz"
        before = self.cues[index - 2 if index > 1 and self.word(index - 1) in {"(", ":"} else index - 1]
        if before & _KINSHIP and self.word(index + 1) == "(" and self.word(index + 2).isdigit():
            # "bruder hauke (10)"
            return True
        addressed = before & _TITLE or (before & _SALUTATION and self.ends_clause(index))
        if (
            before & _FIELD_OR_SALUTATION
            and self.word(index + 1) == ","
            and self.flags_as_capitalised(index + 2) & GIVEN_NAME
        ):
            # "betrifft bauch, anna"
            return True
        if before & _CLINICAL_ROLE and not before & _NAME_FIELD:
            # "intubation durch oa quast (7,5er)"
            addressed = self.ends_clause(index) and self.word(index + 1) != "." and not self.is_noun_like(index)
        return bool(addressed) and not _VERBAL.search(self.word(index))

    def _is_listed_across_lines(self, start_token: int, end_token: int) -> bool:
        """Whether the parts of a word hyphenated at a line end are a listed name together: "Ger-", "hard"."""
        return any(
            self.word(i) == "-" and bool(self.flags_of(self.word(i - 1) + self.word(i + 1)) & (GIVEN_NAME | SURNAME))
            for i in range(start_token + 1, end_token - 1)
        )
