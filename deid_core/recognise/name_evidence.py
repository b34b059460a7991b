"""Evidence for and against a list word being a name where it stands: the table behind `ambiguous: context`.

A word is doubtful if it is also a common, medical or clinic word, an eponym, short, or not in mixed case. A function
word ("Die", "Sehr") is a person's name behind a salutation or title only. In this order:

| what stands there                                              | it is          | rule      | score |
|---|---|---|---|
| "Morbus" or "M." before an eponym, a medical noun behind       | no name        |           |       |
| salutation, title, "Familie", "geb." before it                 | person         | title     | 0.98  |
| an undoubted first name before, or ", first name" behind       | person         | pair      | 0.95  |
| an initial before it (for doubtful words not A. M. N. R. V.)   | person         | initial   | 0.90  |
| a person directly before it that was taken                     | person         | name      | 0.85  |
| postcode before it                                             | town           | postcode  | 0.98  |
| house number behind a street, of several words or undoubted    | street         | number    | 0.98  |
| "wohnhaft in", "Raum", "Stadt" before it                       | place          | residence | 0.95  |
| "in" or "aus" before it, not a medical word or eponym          | place          | in        | 0.85  |
| "nach", "Typ" before it, "positiv", "IIa" behind (eponyms.py)  | no person      |           |       |
| nothing, the word is undoubted                                 | its first list | (none)    | 0.70  |
| nothing, an undoubted surname opens a sentence or line         | no name        |           |       |
| nothing, the word is doubtful                                  | no name        |           |       |

A form that no list has as it stands (inflected, in capitals) counts 0.1 less. The numbers order the evidence; they
are not probabilities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from deid_core.gazetteer.compiled import Gazetteer
from deid_core.gazetteer.kinds import NAME_KINDS, ListKind, bit
from deid_core.gazetteer.matcher import Matches
from deid_core.header.grammar import PARTICLES
from deid_core.recognise.base import Document
from deid_core.recognise.context.triggers import ALSO_SURNAMES, CIVIL, FIELD, KIN, ROLE, trigger_bits
from deid_core.recognise.eponyms import eponym_bits, has_value, is_eponym
from deid_core.tokens import WORD, Vocabulary, token_kind
from deid_core.word_types import TypeColumn

DOUBTFUL, MEDICAL, EPONYM, STREET_SUFFIXED = 1, 2, 4, 8
INTRODUCES, INITIAL, ANATOMICAL, PARTICLE, MORBUS, MEDICAL_NOUN = 16, 32, 64, 128, 256, 512
POSTCODE, RESIDENCE, PREPOSITION, ENDS_SENTENCE, COMMA = 1024, 2048, 4096, 8192, 16384
STOP, LISTED, NOBODY = 32768, 65536, 131072

_PERSON = bit(ListKind.FIRST_NAME) | bit(ListKind.SURNAME)
_PERSONS = (ListKind.FIRST_NAME, ListKind.SURNAME)
_FIRST_NAME = bit(ListKind.FIRST_NAME)
_STREET = bit(ListKind.STREET)
_PLACE = bit(ListKind.TOWN) | bit(ListKind.REGION) | bit(ListKind.COUNTRY)
_MIN_LETTERS = 4
_LONGEST_SUFFIX = 6
_VARIANT_LESS = 0.1

_DOUBT_LISTS = ("common_word", "medical_word", "clinic_word", "stop_word", "month", "title", "salutation")
_INTRODUCING = frozenset(
    "geb. geborene geborener geborenen alias gez. familie ehepaar eheleute hausarzt hausärztin".split()
)
_RESIDENCE = frozenset("raum stadt gemeinde ortsteil landkreis wohnort geburtsort wohnhaft großraum".split())
_PREPOSITIONS = frozenset({"in", "aus"})
"""Not "nach": what stands behind it in a letter is more often a meal or an operation than a town."""
_MEDICAL_NOUNS = (
    "syndrom syndroms syndrome krankheit erkrankung zeichen test tests klassifikation linse bündel knoten linien linie "
    "schema score skala index formel operation op technik methode manöver versuch probe reflex phänomen anomalie "
    "tetralogie katheter kanüle drain drainage prothese klappe stent nadel faszie band dreieck raum grad stadium typ "
    "tumor sarkom lymphom karzinom struma thyreoiditis lähmung parese kontraktur fraktur block periodik protokoll "
    "kriterien ekg monitor lagerung schnitt naht plastik shunt anastomose fistel divertikel ring lappen hernie"
).split()
_TERM_ENDINGS = (
    "-score",
    "-skala",
    "-index",
    "-test",
    "-zeichen",
    "-winkel",
    "-licht",
    "-klassifikation",
    "-syndrom",
    "-technik",
    "-zyste",
    "-linie",
    "-schema",
    "-lagerung",
    "-schnitt",
    "-naht",
    "-katheter",
)
_POSTCODE = re.compile(r"(?:(?:D|A|CH)[-–])?\d{5}")
_INITIAL = re.compile(r"[^\W\d_a-zà-öø-ÿ]\.")
_MEANS_ANATOMY = frozenset({"A.", "M.", "N.", "R.", "V."})
"""Arteria, Musculus or Morbus, Nervus, Ramus, Vena."""
_HAS_NUMBER = re.compile(r"(?:[ \u00a0]{1,2}(?:Nr\.?[ ]?)?|(?<=[sS]tr\.))\d{1,3}(?!\d)")


class Verdict(NamedTuple):
    """A match that is taken: as what, by which evidence ("" for none but the list), and how sure.

    first: the token where the name begins, before the match if an initial or a particle belongs to it.
    """

    first: int
    kind: ListKind
    evidence: str
    score: float


class NameEvidence:
    """Judges matches by what the words are and what stands around them; see the module's table.

    kinds: of the recogniser, in order: where evidence does not tell persons from places, the first that has the word.
    """

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary, kinds: Iterable[ListKind]) -> None:
        kinds = tuple(kinds)
        # Of each mask of lists the first kind that it has.
        masks = range(1 << len(NAME_KINDS))
        self._kind_of = {mask: kind for mask in masks for kind in reversed(kinds) if mask & bit(kind)}
        self._words = {name: frozenset(w.lower() for w in gazetteer.words(name)) for name in _DOUBT_LISTS}
        self._eponyms = frozenset(part for eponym in gazetteer.words("eponym") for part in (eponym, *eponym.split("-")))
        self._suffixes = tuple(gazetteer.words("street_suffix"))
        self._column = TypeColumn(vocabulary, self._bits)
        self._eponym_column = TypeColumn(vocabulary, eponym_bits)

    def judge(self, document: Document, matches: Matches) -> list[Verdict | None]:
        """A verdict for each match, None where it is no name; left to right, since a name may stand behind another."""
        eponyms = self._eponym_column.gather(document.tokens.types)
        reading = _Reading(document, self.bits_of(document), eponyms, matches, self._kind_of)
        return [reading.verdict(number) for number in range(len(matches))]

    def bits_of(self, document: Document) -> npt.NDArray[np.uint32]:
        """The bits of this module for each token of a document; shape (tokens,)."""
        bits: npt.NDArray[np.uint32] = self._column.gather(document.tokens.types)
        return bits

    def _bits(self, word: str) -> int:
        lower = word.lower()
        if token_kind(word) != WORD:
            return (
                (POSTCODE if _POSTCODE.fullmatch(word) else 0)
                | (COMMA if word == "," else 0)
                | (ENDS_SENTENCE if word in ".:;!?•*" else 0)
            )
        bits = POSTCODE if _POSTCODE.fullmatch(word) else 0
        if self._listed(lower):
            bits |= DOUBTFUL | LISTED
        if len(word) < _MIN_LETTERS or not word[0].isupper() or word.isupper():
            bits |= DOUBTFUL
        if lower in self._words["stop_word"]:
            bits |= STOP
        if lower in self._words["medical_word"] or lower in self._words["clinic_word"]:
            bits |= MEDICAL
        if word in self._eponyms:
            bits |= EPONYM | DOUBTFUL
        if word.endswith(self._suffixes):
            bits |= STREET_SUFFIXED
        if lower in _INTRODUCING or (
            word[0].isupper() and (lower in self._words["title"] or lower in self._words["salutation"])
        ):
            bits |= INTRODUCES
        if lower in ("med.", "dent.", "nat.", "phil.", "habil.", "h.c."):
            bits |= INTRODUCES
        if trigger_bits(word) & (KIN | ROLE | CIVIL | FIELD) and lower not in ALSO_SURNAMES:
            # "die Mutter, Anna": nobody's name, though a list has it.
            bits |= DOUBTFUL | NOBODY
        if lower.endswith(_TERM_ENDINGS):
            bits |= DOUBTFUL | MEDICAL
        if _INITIAL.fullmatch(word):
            bits |= INITIAL | (ANATOMICAL if word in _MEANS_ANATOMY else 0)
        if word in PARTICLES:
            bits |= PARTICLE
        if word in ("Morbus", "M.", "Mb."):
            bits |= MORBUS
        if lower.endswith(("syndrom", "krankheit", "klassifikation")) or lower in _MEDICAL_NOUNS:
            bits |= MEDICAL_NOUN
        if lower in _RESIDENCE:
            bits |= RESIDENCE
        if lower in _PREPOSITIONS:
            bits |= PREPOSITION
        return bits

    def _listed(self, lower: str) -> bool:
        stem = lower[:-1] if lower.endswith("s") and len(lower) > _MIN_LETTERS else lower
        return any(lower in words or stem in words for words in self._words.values())


class _Reading:
    """One document while its matches are judged."""

    def __init__(
        self,
        document: Document,
        bits: npt.NDArray[np.uint32],
        eponyms: npt.NDArray[np.uint32],
        matches: Matches,
        kind_of: dict[int, ListKind],
    ) -> None:
        # Views: what is read of them one by one are Python's numbers, which cost less than numpy's.
        self._eponyms: Sequence[int] = eponyms.data
        self._breaks: Sequence[int] = document.tokens.breaks.data
        self._text = document.text
        self._starts: Sequence[int] = document.tokens.starts.data
        self._ends: Sequence[int] = document.tokens.ends.data
        self._bits: Sequence[int] = bits.data
        self._kind_of = kind_of
        self._first = matches.first.tolist()
        self._last = matches.last.tolist()
        self._lists = matches.lists.tolist()
        self._exact = matches.exact.tolist()
        # A match is doubtful if all its words are; sums of undoubted words make that one subtraction a match.
        sure = np.concatenate(([0], np.cumsum((bits & DOUBTFUL) == 0)))
        self._doubtful = (sure[matches.last] == sure[matches.first]).tolist()
        self._person_end = -1

    def verdict(self, number: int) -> Verdict | None:
        """What match `number` is. Call in ascending order."""
        lists = self._lists[number]
        first = self._first[number]
        if lists & _PERSON and (person := self._person(number)):
            self._person_end = self._last[number]
            return self._verdict(number, self._kind_of[lists & _PERSON], *person)
        if lists & _STREET and (found := self._street(number)):
            return self._verdict(number, ListKind.STREET, first, *found)
        if lists & _PLACE and (found := self._place(number)):
            return self._verdict(number, self._kind_of[lists & _PLACE], first, *found)
        lists &= ~_STREET
        if not lists or self._vetoed(number):
            return None
        kind = self._kind_of[lists]
        if self._doubtful[number] and not (kind is ListKind.COUNTRY and self._only_short(number)):
            return None
        if kind is ListKind.SURNAME and self._opens(first):
            return None
        if kind in _PERSONS:
            if self._is_eponym(first, self._last[number]):
                return None
            self._person_end = self._last[number]
        return self._verdict(number, kind, first, "", 0.7)

    def _verdict(self, number: int, kind: ListKind, first: int, evidence: str, score: float) -> Verdict:
        return Verdict(first, kind, evidence, score if self._exact[number] else round(score - _VARIANT_LESS, 2))

    def _only_short(self, number: int) -> bool:
        """USA, Iran: nothing but its length or its capitals speaks against it."""
        return (
            self._exact[number] and self._capital(self._first[number]) and not self._bits[self._first[number]] & LISTED
        )

    def _person(self, number: int) -> tuple[int, str, float] | None:
        """First token, evidence and score of a person's name, None without evidence."""
        first = self._first[number]
        if not self._capital(first) or self._bits[first] & (INTRODUCES | NOBODY):
            return None
        begins, initials, before = first, 0, self._before(first)
        while before >= 0 and (passed := self._bits[before] & (PARTICLE | INITIAL)):
            if passed & INITIAL:
                begins, initials = before, initials | self._bits[before]
            before = self._before(before)
        if before >= 0 and self._bits[before] & INTRODUCES:
            return before + 1, "title", 0.98
        if self._vetoed(number) or self._bits[first] & STOP:
            return None
        if self._paired(number):
            return first, "pair", 0.95
        if initials and not (initials & ANATOMICAL and self._doubtful[number]):
            return begins, "initial", 0.9
        if self._person_end == first and before == first - 1 and not self._bits[first] & MEDICAL:
            return first, "name", 0.85
        return None

    def _paired(self, number: int) -> bool:
        """Whether an undoubted name makes a full name with this match: "Peter Stein", "Stein, Peter"."""
        lists = self._lists[number]
        if number and self._last[number - 1] == self._first[number] and self._before(self._first[number]) >= 0:
            earlier = self._lists[number - 1]
            if (
                earlier & _FIRST_NAME
                and not self._doubtful[number - 1]
                and not self._bits[self._first[number]] & MEDICAL
            ):
                return True
        if number + 1 == len(self._first):
            return False
        behind, last = self._first[number + 1], self._last[number]
        if behind == last and self._before(behind) >= 0:
            if self._bits[behind] & (STOP | INTRODUCES | MEDICAL):
                return False
            sure = not (self._doubtful[number] and self._doubtful[number + 1])
            return bool(lists & _FIRST_NAME and self._lists[number + 1] & _PERSON) and sure
        comma = behind == last + 1 and self._bits[last] & COMMA and self._before(behind) >= 0
        return bool(comma and self._lists[number + 1] & _FIRST_NAME) and not self._doubtful[number + 1]

    def _street(self, number: int) -> tuple[str, float] | None:
        first, last = self._first[number], self._last[number]
        suffixed = bool(self._bits[last - 1] & STREET_SUFFIXED)
        sure = not self._doubtful[number]
        several = last - first > 1
        if (sure or (suffixed and (several or self._has_stem(number)))) and _HAS_NUMBER.match(
            self._text, self._ends[last - 1]
        ):
            return "number", 0.98
        if self._lists[number] & ~_STREET:
            return None
        return ("", 0.8) if sure and (suffixed or several) else None

    def _has_stem(self, number: int) -> bool:
        """Whether a doubtful word is more than a suffix and no term: "Kirchweg 3" is a street, "Ring 3" is not."""
        at = self._first[number]
        return self._ends[at] - self._starts[at] > _LONGEST_SUFFIX and not self._bits[at] & MEDICAL

    def _place(self, number: int) -> tuple[str, float] | None:
        first = self._first[number]
        before = self._before(first)
        if before < 0 or not self._capital(first):
            return None
        bits = self._bits[before]
        if bits & POSTCODE:
            return "postcode", 0.98
        if bits & PREPOSITION and first >= 2 and self._bits[first - 2] & RESIDENCE:
            return "residence", 0.95
        if bits & RESIDENCE:
            return "residence", 0.95
        if bits & PREPOSITION and not self._bits[first] & (MEDICAL | EPONYM) and not self._short(first):
            return "in", 0.85
        return None

    def _vetoed(self, number: int) -> bool:
        first, last = self._first[number], self._last[number]
        if self._bits[first] & EPONYM and first and self._bits[first - 1] & MORBUS:
            return True
        return bool(last < len(self._bits) and self._bits[last] & MEDICAL_NOUN and self._before(last) >= 0)

    def _is_eponym(self, first: int, last: int) -> bool:
        return is_eponym(self._eponyms, self._breaks, first, last) or has_value(self._eponyms, self._breaks, last)

    def _before(self, index: int) -> int:
        """The token before one on the same line; -1 if there is none."""
        return -1 if self._breaks[index] else index - 1

    def _opens(self, index: int) -> bool:
        before = self._before(index)
        return before < 0 or bool(self._bits[before] & ENDS_SENTENCE)

    def _capital(self, index: int) -> bool:
        return self._text[self._starts[index]].isupper()

    def _short(self, index: int) -> bool:
        return self._ends[index] - self._starts[index] < _MIN_LETTERS - 1
