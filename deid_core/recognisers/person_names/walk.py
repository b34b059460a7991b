"""Where a name ends that begins at a token: initials, particles and words, as long as they can belong to a name.

`recogniser.py` says where a name may begin. A name is written with capitals; behind a trigger in small letters ("dr.
muster") it may be small too, and then its words must not be common ones. The work for a name is bounded.
"""

from __future__ import annotations

from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.flags import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME
from deid_core.lexicon.name_grammar import PARTICLES
from deid_core.recognisers.person_names.parts import CAPITAL_INITIALS, INITIALS, NOBLE, NOBODY, NOUN, YOUNGER
from deid_core.recognisers.person_names.words import MIN_RARE, NameWords

_NEVER_IN_NAME = CueFlag.NEVER_IN_NAME.value
_DATE = CueFlag.DATE.value
_PARTICLE = CueFlag.PARTICLE.value
_SIGNED = CueFlag.SIGNED.value
_TITLE = CueFlag.TITLE.value
_MAX_WORDS = 5
_MAX_TOKENS = 10
_NOT_INSIDE = _NEVER_IN_NAME & ~_DATE
_TORN_OFF = IS_WORD | CAPITALISED | STOP
"""A word may be torn off a name if it has the first of these bits alone."""
_SMALL_VERBS = frozenset(
    """
    lange lang gut klein groß jung alt müde wach stabil krank will sagt kommt klagt gibt hat war wird wurde geht nimmt
    fragt ruft bringt macht meint kann darf soll muss
    """.split()
)
"""Small words that are names as well, and verbs or adjectives where they stand behind "frau" or "herr"."""
_ARTICLES = frozenset(("der", "den", "da"))
"""Particles that begin no name: "die Damen und Herren der Musterkasse"."""
_SHORT = 4
_SHORTENED = frozenset("Th Ch Chr Ph Joh Kl Hch Wilh Fr Alb Ed Jos Herm".split())
"""Given names shortened to something that is a word as well."""


class NameWalk(NameWords):
    """Reads names of one document."""

    def may_begin(self, index: int, *, small: bool = False) -> bool:
        """Whether a name may begin at the token at all; most that stand behind a role are verbs and marks."""
        bits = self.bits[index]
        return bool(bits & CAPITALISED or (small and bits & IS_WORD)) or (
            self.is_initial(index, small=small) or self.is_particle(index)
        )

    def walk(self, index: int, *, small: bool = False) -> tuple[int, int] | None:
        """The token range of the name that begins at `index`, if one does; small: it may be in small letters."""
        if index >= self._count or not self.may_begin(index, small=small):
            return None
        # Most names are two words long and followed by neither hyphen nor full stop: what these rule out is not called.
        count, types, bits, parts = self._count, self._types, self.bits, self.parts
        initials = INITIALS if small else CAPITAL_INITIALS
        at, words, end = index, 0, index
        expects_surname = True
        limit = min(count, index + _MAX_TOKENS)
        while at < limit and words < _MAX_WORDS:
            if at > index and self.opens_column(at):
                break
            short = at + 1 < count and types[at + 1] == self._full_stop and self._is_short(at)
            if (short or parts[at] & initials) and (words or not self.triggers[at] & _SIGNED):
                expects_surname = True
                end = at + 1
                if short:
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
                expects_surname = expects_surname or bool(parts[at] & NOBLE)
                end = at + 1
                if end >= count:
                    break
                if types[end] == self._hyphen and self.broken_at(end):
                    at, end = end + 1, end + 2
                elif bits[end] & _TORN_OFF == IS_WORD and self._torn_at(end):
                    at, end = end, end + 1
            elif bits[at] & CAPITALISED and self._torn_at(at + 1):
                words, expects_surname, at, end = words + 1, False, at + 1, at + 2
            elif at == index and self.word(at) in _ARTICLES:
                break
            elif not (expects_surname and self.is_particle(at) and self._particle_leads_on(at, small)):
                break
            at += 1
        if end == index:
            return None
        if end < count and parts[end] & YOUNGER and bits[end] & IS_WORD and self.adjacent(end):
            # "Muster jun."
            end += 1 + (self.word(end + 1) == "." and self.word(end)[-1] != ".")
        return index, end

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

    def _is_short(self, index: int) -> bool:
        """Whether a shortened given name stands before a full stop and a name: "Ch. Muster", "Joh. Muster"."""
        if not self.bits[index] & CAPITALISED:
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

    def _continues(self, index: int, words: int, expects_surname: bool, small: bool) -> bool:
        bits = self.bits[index]
        if not bits & (IS_WORD if small else CAPITALISED) or self.parts[index] & NOBODY:
            return False
        if self.triggers[index] & _NOT_INSIDE and not (words and expects_surname and bits & SURNAME):
            return False
        if bits & CAPITALISED:
            return self._continues_capital(index, words, expects_surname)
        return self._continues_small(index, words, expects_surname)

    def _continues_capital(self, index: int, words: int, expects_surname: bool) -> bool:
        bits = self.bits[index]
        named = bool(bits & (GIVEN_NAME | SURNAME))
        if not bits & STOP:
            if words == 0 or not (bits & COMMON or self.parts[index] & NOUN):
                return True
            return expects_surname and (named or (words == 1 and self.ends_clause(index)))
        word = self.word(index)
        if words == 0 and self.adjacent(index) and self.triggers[index - 1] & _TITLE and bits & COMMON:
            # "Dr. Gleich": behind a title a name stands, whatever else it means.
            if word.lower() in PARTICLES:
                # "Dr. Zur Muster"
                return self.adjacent(index + 1) and bool(self.bits[index + 1] & CAPITALISED)
            return len(word) > MIN_RARE and not self.triggers[index] and not self.noun_like(index)
        return named and (words == 0 or expects_surname) and len(word) > MIN_RARE

    def _continues_small(self, index: int, words: int, expects_surname: bool) -> bool:
        bits, word = self.bits[index], self.word(index)
        if bits & STOP or len(word) < MIN_RARE or self.triggers[index] & _PARTICLE or word in _SMALL_VERBS:
            return False
        named = bool(self.bits_of(index) & (GIVEN_NAME | SURNAME))
        if words == 0:
            return named or not bits & COMMON or self.addressed_small(index)
        given = bool(self.bits_of(index - 1) & GIVEN_NAME)
        if bits & COMMON:
            # "anna müller"; most verbs that could stand here end otherwise: "anna kommt".
            return given and bool(self.bits_of(index) & SURNAME) and not word.endswith("t")
        return expects_surname and (named or (given and self.rare(index)))

    def _torn_at(self, index: int) -> bool:
        """Whether a scan tore a name before the small word at `index`: "Mus ter", "Xyla-Mus ter"."""
        if not 0 < index < self._count:
            return False
        if self.bits[index] & _TORN_OFF != IS_WORD or self.triggers[index] or not self.adjacent(index):
            return False
        word = self.word(index)
        if len(word) < MIN_RARE:
            return False
        before = self.word(index - 1)
        return bool(self.bits[index - 1] & CAPITALISED) and bool(
            self._column.of(before.rpartition("-")[2] + word) & (GIVEN_NAME | SURNAME)
        )

    def broken_at(self, index: int) -> bool:
        """Whether a hyphen at `index` breaks a word at a line's end: "Mus-", "ter"."""
        return (
            index + 1 < self._count
            and self.word(index) == "-"
            and self.starts[index] == self.ends[index - 1]
            and self.breaks[index + 1]
            and self.gap(index + 1).count("\n") == 1
            and bool(self.bits[index + 1] & IS_WORD)
            and not (self.bits[index + 1] & STOP)
        )

    def _particle_leads_on(self, index: int, small: bool) -> bool:
        """Whether a word that may be a name comes behind the particles; "vom Klinikum" is none."""
        for at in range(index + 1, min(len(self), index + 4)):
            if not self.adjacent(at):
                return False
            if not self.is_particle(at):
                capital = bool(self.bits[at] & CAPITALISED) and not self.bits[at] & STOP
                if self.word(index) == "den" or self.word(at - 1) == "den":
                    # A particle of Dutch names, and an article: "die Frau von den Nachbarn".
                    capital = capital and not self.bits[at] & COMMON
                return capital or (small and (self.rare(at) or self.is_initial(at, small=True)))
        return False
