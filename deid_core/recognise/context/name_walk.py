"""Where a name ends that begins at a token: initials, particles and words, as long as they can belong to a name.

`recogniser.py` says where a name may begin. A name is written with capitals; behind a trigger in small letters ("dr.
muster") it may be small too, and then its words must not be common ones. The work for a name is bounded.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from deid_core.header.grammar import PARTICLES
from deid_core.recognise.base import Document
from deid_core.recognise.context.name_layout import NoteLayout
from deid_core.recognise.context.triggers import (
    ANY_TRIGGER,
    DATED,
    FIELD,
    KIN,
    NOT_A_NAME,
    PARTICLE,
    ROLE,
    SALUTE,
    SIGNED,
    TITLE,
)
from deid_core.recognise.wordlists import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME
from deid_core.word_types import TypeColumn

_INITIAL = re.compile(r"[^\W\d_]\.(?:-?[^\W\d_]\.)*")
_NOUN_ENDING = re.compile(
    r"(?:ung|heit|keit|schaft|tion|ismus|itis|ose|thek|tät|enz|anz|gramm|gra(?:ph|f)ie|skopie|tomie|pathie|ämie|urie|therapie|"
    r"schmerz|infarkt|störung|klappe|druck|beschwerde|symptomatik|kontrolle|befund|termin|mittel|wert|verlauf|dyspnoe|"
    r"medikation|anamnese|insuffizienz|logie|arzt|ärztin|abteilung|station|klinik)(?:e[nsr]?|s)?$",
    re.IGNORECASE,
)
"""Endings of nouns that no name has: what a role word may be followed by in telegraphic notes."""
_MAX_WORDS = 5
_MAX_TOKENS = 10
_MIN_RARE = 3
_NOT_INSIDE = ANY_TRIGGER & ~DATED
_SMALL_VERBS = frozenset(
    """
    lange lang gut klein groß jung alt müde wach stabil krank will sagt kommt klagt gibt hat war wird wurde geht nimmt
    fragt ruft bringt macht meint kann darf soll muss
    """.split()
)
"""Small words that are names as well, and verbs or adjectives where they stand behind "frau" or "herr"."""
_NOBLE = frozenset("Freiherr Freifrau Graf Gräfin Ritter Baron Baronin Edler".split())
"""Behind these "von" goes on with the name, and these themselves are a part of it."""
_ARTICLES = frozenset(("der", "den", "da"))
"""Particles that begin no name: "die Damen und Herren der Musterkasse"."""
_YOUNGER = frozenset("jun sen jr junior senior".split())
"""Behind a name a part of it: "Muster jun."."""
_SHORT = 4
_SHORTENED = frozenset("Th Ch Chr Ph Joh Kl Hch Wilh Fr Alb Ed Jos Herm".split())
"""Given names shortened to something that is a word as well."""
_VERBAL = re.compile(r"(?:t|te|ten|en|ig|lich)$")
"""Endings of what is said of "frau" and "herr" more often than it is a name."""
_FEW_CAPITALS, _MANY_CAPITALS, _MANY_IN_CAPITALS = 0.15, 0.6, 0.35
"""Shares of a note's words: capitalised in a note of small letters; capitalised, and all in capitals, in the other."""
_MIN_WORDS = 30
"""Shorter notes have no habit of writing in capitals or without them."""


class NameWalk(NoteLayout):
    """Reads names of one document.

    bits: wordlists' bits of each token; triggers: triggers' bits of each token; column: where bits of a word come from.
    """

    def __init__(
        self,
        document: Document,
        bits: npt.NDArray[np.uint32],
        triggers: npt.NDArray[np.uint32],
        column: TypeColumn,
    ) -> None:
        super().__init__(document, bits, triggers)
        self._column = column
        is_word = (bits & IS_WORD) != 0
        types, words_of = document.tokens.types, document.vocabulary.words
        words = int(np.count_nonzero(is_word))
        capital = int(np.count_nonzero(bits & CAPITALISED))
        enough = words >= _MIN_WORDS
        self.small_note = enough and capital < _FEW_CAPITALS * words
        """Whether the note writes without capitals, names as well."""
        self.capital_note = (
            enough
            and capital > _MANY_CAPITALS * words
            and sum(map(str.isupper, map(words_of.__getitem__, types[is_word].tolist()))) > _MANY_IN_CAPITALS * words
        )
        """Whether the note is written in capitals, so that a word in capitals is no abbreviation."""

    def walk(self, index: int, *, small: bool = False) -> tuple[int, int] | None:
        """The token range of the name that begins at `index`, if one does; small: it may be in small letters."""
        at, words, end = index, 0, index
        expects_surname = True
        while at < min(len(self.starts), index + _MAX_TOKENS) and words < _MAX_WORDS:
            if at > index and not self.adjacent(at):
                break
            if (self.is_initial(at, small=small) or self._is_short(at)) and (words or not self.triggers[at] & SIGNED):
                expects_surname = True
                end = at + 1
                if self._is_short(at):
                    at, end = at + 1, at + 2
                elif (
                    self.word(end) == "-" and self.adjacent(end) and self.is_initial(end + 1) and self.adjacent(end + 1)
                ):
                    at += 1
            elif self._continues(at, words, expects_surname or end > index + words, small):
                words += 1
                # Behind a given name, or a word that no list has, a surname may follow.
                of_word = self.bits_of(at)
                expects_surname = bool(of_word & GIVEN_NAME) or not of_word & (SURNAME | COMMON)
                expects_surname = expects_surname or self.word(at) in _NOBLE
                end = at + 1
                if self.broken_at(end):
                    at, end = end + 1, end + 2
                elif self._torn_at(end):
                    at, end = end, end + 1
            elif self._torn_at(at + 1):
                words, expects_surname, at, end = words + 1, False, at + 1, at + 2
            elif at == index and self.word(at) in _ARTICLES:
                break
            elif not (expects_surname and self.is_particle(at) and self._particle_leads_on(at, small)):
                break
            at += 1
        if end > index and self.adjacent(end) and self.word(end).lower().rstrip(".") in _YOUNGER:
            # "Muster jun."
            end += 1 + (self.word(end + 1) == "." and self.word(end)[-1] != ".")
        return (index, end) if end > index else None

    def with_given(self, named: tuple[int, int], *, small: bool = False) -> tuple[int, int]:
        """The name with the given name that a comma adds to it: "Muster, Anna"."""
        comma = named[1]
        first = comma + 1
        if self.word(comma) != "," or not self.adjacent(first):
            return named
        if not (self.bits_of(first) & GIVEN_NAME or self.is_initial(first)) or self.bits_of(first) & STOP:
            return named
        if not (small or self.bits[first] & CAPITALISED):
            return named
        given = self.walk(first, small=small)
        return (named[0], given[1]) if given else named

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
        parts = self.word(index).split("-")
        return bool(bits & GIVEN_NAME) or (len(parts) > 1 and bool(self._column.of(parts[0].title()) & GIVEN_NAME))

    def rare(self, index: int) -> bool:
        """A word that no list of words has, nor by its ending is a noun."""
        word = self.word(index)
        return (
            not self.bits[index] & (COMMON | STOP)
            and bool(self.bits[index] & IS_WORD)
            and len(word) >= _MIN_RARE
            and not _NOUN_ENDING.search(word)
        )

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
        word = self.word(index)
        return len(word) <= 6 and word[-1:] == "." and bool(_INITIAL.fullmatch(word)) and (small or word[0].isupper())

    def _is_short(self, index: int) -> bool:
        """Whether a given name shortened to more than one letter stands before a name: "Ch. Muster", "Joh. Muster"."""
        if self.word(index + 1) != "." or not self.bits[index] & CAPITALISED:
            return False
        word, behind = self.word(index), index + 2
        return (
            len(word) <= _SHORT
            and (not self.bits[index] & (STOP | COMMON) or word in _SHORTENED)
            and not self.triggers[index]
            and self.adjacent(behind)
            and bool(self.bits[behind] & CAPITALISED)
            and not self.bits[behind] & STOP
            and not self.triggers[behind] & _NOT_INSIDE
        )

    def is_particle(self, index: int) -> bool:
        """Whether the token is a small word of a name."""
        if self.triggers[index] & PARTICLE:
            return True
        return self.word(index) == "und" and index > 0 and self.word(index - 1) == "von"

    def bits_of(self, index: int) -> int:
        """The bits of a word as if it began with a capital."""
        bits = self.bits[index]
        return bits if bits & CAPITALISED or not bits & IS_WORD else self._column.of(self.word(index).title())

    def _continues(self, index: int, words: int, expects_surname: bool, small: bool) -> bool:
        bits = self.bits[index]
        if not bits & IS_WORD or self.word(index).lower() in NOT_A_NAME:
            return False
        if self.triggers[index] & _NOT_INSIDE and not (words and expects_surname and bits & SURNAME):
            return False
        if bits & CAPITALISED:
            return self._continues_capital(index, words, expects_surname)
        return small and self._continues_small(index, words, expects_surname)

    def _continues_capital(self, index: int, words: int, expects_surname: bool) -> bool:
        bits, word = self.bits[index], self.word(index)
        named = bool(bits & (GIVEN_NAME | SURNAME))
        if bits & STOP and words == 0 and self.adjacent(index) and self.triggers[index - 1] & TITLE and bits & COMMON:
            # "Dr. Gleich": behind a title a name stands, whatever else it means.
            if word.lower() in PARTICLES:
                # "Dr. Zur Muster"
                return self.adjacent(index + 1) and bool(self.bits[index + 1] & CAPITALISED)
            return len(word) > _MIN_RARE and not self.triggers[index] and not _NOUN_ENDING.search(word)
        if bits & STOP:
            return named and (words == 0 or expects_surname) and len(word) > _MIN_RARE
        if words == 0:
            return True
        if not (bits & COMMON or _NOUN_ENDING.search(word)):
            return True
        return expects_surname and (named or (words == 1 and self.ends_column(index)))

    def _continues_small(self, index: int, words: int, expects_surname: bool) -> bool:
        bits, word = self.bits[index], self.word(index)
        if bits & STOP or len(word) < _MIN_RARE or self.triggers[index] & PARTICLE or word in _SMALL_VERBS:
            return False
        named = bool(self.bits_of(index) & (GIVEN_NAME | SURNAME))
        if words == 0:
            return named or not bits & COMMON or self.addressed_small(index)
        given = bool(self.bits_of(index - 1) & GIVEN_NAME)
        if bits & COMMON:
            # "anna müller"; most verbs that could stand here end otherwise: "anna kommt".
            return given and bool(self.bits_of(index) & SURNAME) and not word.endswith("t")
        return expects_surname and (named or (given and self.rare(index)))

    def addressed_small(self, index: int) -> bool:
        """Whether a common word is a name in a note of small letters: "dr. quast", "sehr geehrte frau bauch,"."""
        if not (self.small_note and self.adjacent(index)):
            return False
        # "hausarzt (fuchs, …)", "op: quast/knarz"
        before = self.triggers[index - 2 if index > 1 and self.word(index - 1) in {"(", ":"} else index - 1]
        if before & KIN and self.word(index + 1) == "(" and self.word(index + 2).isdigit():
            # "bruder hauke (10)"
            return True
        addressed = before & TITLE or (before & SALUTE and self.ends_column(index))
        if before & (FIELD | SALUTE) and self.word(index + 1) == "," and self.bits_of(index + 2) & GIVEN_NAME:
            # "betrifft bauch, anna"
            return True
        if before & ROLE and not before & FIELD:
            # "intubation durch oa quast (7,5er)"
            addressed = self.ends_column(index) and self.word(index + 1) != "." and not self.noun_like(index)
        return bool(addressed) and not _VERBAL.search(self.word(index))

    def noun_like(self, index: int) -> bool:
        """Whether a word has the ending of a noun that no name has."""
        return _NOUN_ENDING.search(self.word(index)) is not None

    def _broken_listed(self, first: int, last: int) -> bool:
        """Whether the parts of a word that a line's end breaks are a listed name together: "Ger-", "hard"."""
        return any(
            self.word(i) == "-" and bool(self._column.of(self.word(i - 1) + self.word(i + 1)) & (GIVEN_NAME | SURNAME))
            for i in range(first + 1, last - 1)
        )

    def _torn_at(self, index: int) -> bool:
        """Whether a scan tore a name before the small word at `index`: "Ru dolf", "Zipf-Groß mann"."""
        if not 0 < index < len(self.starts):
            return False
        bits = self.bits[index]
        if bits & (CAPITALISED | STOP) or not bits & IS_WORD or self.triggers[index] or not self.adjacent(index):
            return False
        word = self.word(index)
        if len(word) < _MIN_RARE:
            return False
        before = self.word(index - 1)
        return bool(self.bits[index - 1] & CAPITALISED) and bool(
            self._column.of(before.rpartition("-")[2] + word) & (GIVEN_NAME | SURNAME)
        )

    def broken_at(self, index: int) -> bool:
        """Whether a hyphen at `index` breaks a word at a line's end: "Mus-", "ter"."""
        return (
            index + 1 < len(self.starts)
            and self.word(index) == "-"
            and self.starts[index] == self.ends[index - 1]
            and self.breaks[index + 1]
            and self.gap(index + 1).count("\n") == 1
            and bool(self.bits[index + 1] & IS_WORD)
            and not (self.bits[index + 1] & STOP)
        )

    def _particle_leads_on(self, index: int, small: bool) -> bool:
        """Whether a word that may be a name comes behind the particles; "vom Klinikum" is none."""
        for at in range(index + 1, min(len(self.starts), index + 4)):
            if not self.adjacent(at):
                return False
            if not self.is_particle(at):
                capital = bool(self.bits[at] & CAPITALISED) and not self.bits[at] & STOP
                if self.word(index) == "den" or self.word(at - 1) == "den":
                    # A particle of Dutch names, and an article: "die Frau von den Nachbarn".
                    capital = capital and not self.bits[at] & COMMON
                return capital or (small and (self.rare(at) or self.is_initial(at, small=True)))
        return False
