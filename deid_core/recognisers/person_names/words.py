"""Which words may be of a name, by the lists, their shape and how the note is written.

name_walk.py asks it how far a name goes; the other modules of the folder, whether what stands there is a name at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.flags import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME
from deid_core.recognisers.person_names.layout import NoteLayout
from deid_core.recognisers.person_names.parts import ALL_CAPITALS, CAPITAL_INITIALS, INITIALS, NOUN
from deid_core.text.document import Document
from deid_core.text.vocabulary import TypeFeature

_NAME_FIELD = CueFlag.NAME_FIELD.value
_KINSHIP = CueFlag.KINSHIP.value
_PARTICLE = CueFlag.PARTICLE.value
_CLINICAL_ROLE = CueFlag.CLINICAL_ROLE.value
_SALUTATION = CueFlag.SALUTATION.value
_TITLE = CueFlag.TITLE.value
_FIELD_OR_SALUTATION = _NAME_FIELD | _SALUTATION

MIN_RARE = 3
"""Shorter words that no list has are abbreviations more often than names."""
_VERBAL = re.compile(r"(?:t|te|ten|en|ig|lich)$")
"""Endings of what is said of "frau" and "herr" more often than it is a name."""
_FEW_CAPITALS, _MANY_CAPITALS, _MANY_IN_CAPITALS = 0.15, 0.6, 0.35
"""Shares of a note's words: capitalised in a note of small letters; capitalised, and all in capitals, in the other."""
_MIN_WORDS = 30
"""Shorter notes have no habit of writing in capitals or without them."""


class NameWords(NoteLayout):
    """The words of one document as parts of names.

    bits, triggers, parts: bits of each token, those of wordlists, triggers and name_parts; column: where the first come
    from.
    """

    def __init__(
        self,
        document: Document,
        bits: npt.NDArray[np.uint32],
        triggers: npt.NDArray[np.uint32],
        parts: npt.NDArray[np.uint8],
        column: TypeFeature,
    ) -> None:
        super().__init__(document, bits, triggers)
        self.parts: Sequence[int] = parts.data
        self._column = column
        words = int(np.count_nonzero(bits & IS_WORD))
        capital = int(np.count_nonzero(bits & CAPITALISED))
        enough = words >= _MIN_WORDS
        self.small_note = enough and capital < _FEW_CAPITALS * words
        """Whether the note writes without capitals, names as well."""
        self.capital_note = (
            enough
            and capital > _MANY_CAPITALS * words
            and int(np.count_nonzero(parts & ALL_CAPITALS)) > _MANY_IN_CAPITALS * words
        )
        """Whether the note is written in capitals, so that a word in capitals is no abbreviation."""

    def bits_of(self, index: int) -> int:
        """The bits of a word as if it began with a capital."""
        bits = self.bits[index]
        return bits if bits & CAPITALISED or not bits & IS_WORD else self._column.of(self.word(index).title())

    def listed(self, index: int) -> bool:
        """A given name, or a surname that is no common word."""
        bits = self.bits_of(index)
        return not bits & STOP and bool(bits & GIVEN_NAME or (bits & SURNAME and not bits & COMMON))

    def listed_part(self, index: int) -> bool:
        """Whether a part of a hyphenated capitalised word is a surname that is no common word: "Xyla-Sabri"."""
        parts = self.word(index).split("-")
        if len(parts) == 1 or not self.bits[index] & CAPITALISED:
            return False
        of_parts = [self._column.of(part.title()) for part in parts]
        return any(bits & SURNAME and not bits & (COMMON | STOP) for bits in of_parts)

    def given(self, index: int) -> bool:
        """A given name that is no common word, or hyphenated with one: "Jan-Muster"."""
        bits = self.bits_of(index)
        if bits & (STOP | COMMON):
            return False
        # A dash alone has no first part.
        first, hyphen, _ = self.word(index).partition("-")
        return bool(bits & GIVEN_NAME) or bool(hyphen and first and self._column.of(first.title()) & GIVEN_NAME)

    def rare(self, index: int) -> bool:
        """A word that no list of words has, nor by its ending is a noun."""
        bits = self.bits[index]
        return (
            not bits & (COMMON | STOP)
            and bool(bits & IS_WORD)
            and len(self.word(index)) >= MIN_RARE
            and not self.parts[index] & NOUN
        )

    def noun_like(self, index: int) -> bool:
        """Whether a word has the ending of a noun that no name has."""
        return bool(self.parts[index] & NOUN)

    def likely(self, first: int, last: int, *, listed: bool) -> bool:
        """Whether a word behind a role is a name: on a list, or, unless it must be, rare and no noun by its ending."""
        words = [i for i in range(first, last) if self.bits[i] & IS_WORD and not self.is_particle(i)]
        if any(self.listed(i) for i in words) or self._broken_listed(first, last):
            return True
        names = [i for i in words if not self.is_initial(i)]
        initial = self.is_initial(first)
        return (
            not listed
            and bool(names)
            and all(self.rare(i) and (initial or self.capital_note or not self.word(i).isupper()) for i in names)
        )

    def is_initial(self, index: int, *, small: bool = False) -> bool:
        """Whether the token is "A." or "A.B."."""
        return index < self._count and bool(self.parts[index] & (INITIALS if small else CAPITAL_INITIALS))

    def is_particle(self, index: int) -> bool:
        """Whether the token is a small word of a name."""
        if self.triggers[index] & _PARTICLE:
            return True
        return self.word(index) == "und" and index > 0 and self.word(index - 1) == "von"

    def addressed_small(self, index: int) -> bool:
        """Whether a common word is a name in a note of small letters: "dr. quast", "sehr geehrte frau bauch,"."""
        if not (self.small_note and self.adjacent(index)):
            return False
        # "hausarzt (fuchs, …)", "op: quast/knarz"
        before = self.triggers[index - 2 if index > 1 and self.word(index - 1) in {"(", ":"} else index - 1]
        if before & _KINSHIP and self.word(index + 1) == "(" and self.word(index + 2).isdigit():
            # "bruder hauke (10)"
            return True
        addressed = before & _TITLE or (before & _SALUTATION and self.ends_clause(index))
        if (
            before & (_NAME_FIELD | _SALUTATION)
            and self.word(index + 1) == ","
            and self.bits_of(index + 2) & GIVEN_NAME
        ):
            # "betrifft bauch, anna"
            return True
        if before & _CLINICAL_ROLE and not before & _NAME_FIELD:
            # "intubation durch oa quast (7,5er)"
            addressed = self.ends_clause(index) and self.word(index + 1) != "." and not self.noun_like(index)
        return bool(addressed) and not _VERBAL.search(self.word(index))

    def _broken_listed(self, first: int, last: int) -> bool:
        """Whether the parts of a word that a line's end breaks are a listed name together: "Ger-", "hard"."""
        return any(
            self.word(i) == "-" and bool(self._column.of(self.word(i - 1) + self.word(i + 1)) & (GIVEN_NAME | SURNAME))
            for i in range(first + 1, last - 1)
        )
