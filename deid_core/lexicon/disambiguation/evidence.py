"""Evidence for and against a list word being a name where it stands: the table behind `ambiguous: context`.

A word is doubtful if it is also a common, medical or clinic word, an eponym, short, or not in mixed case. A match is
asked for what its lists say it may be: a person, else a street, else a place, else a word of its first list other than
streets. The first row that holds decides; where "no" is all that a row says, the next kind is asked.

| asked of | what stands there                                                    | it is          | rule      | score |
|----------|----------------------------------------------------------------------|----------------|-----------|-------|
| persons  | no capital, or a word of title, kin or office ("die Mutter")         | no             |           |       |
|          | salutation, title, "Familie", "geb." before it                       | person         | title     | 0.98  |
|          | a function word ("Die", "Sehr")                                      | no             |           |       |
|          | "Morbus" or "M." before an eponym, a medical noun behind             | no             |           |       |
|          | an undoubted first name before, or ", first name" behind             | person         | pair      | 0.95  |
|          | an initial before it (for doubtful words not A. M. N. R. V.)         | person         | initial   | 0.90  |
|          | a person directly before it that was taken, not a medical word       | person         | name      | 0.85  |
| streets  | a house number behind, the word undoubted or more than a suffix      | street         | number    | 0.98  |
|          | in no other list, undoubted, with a street's suffix or several words | street         | (none)    | 0.80  |
| places   | no capital                                                           | no             |           |       |
|          | postcode before it                                                   | town           | postcode  | 0.98  |
|          | "wohnhaft in", "Raum", "Stadt" before it                             | place          | residence | 0.95  |
|          | "in" or "aus" before it, not a medical word or eponym, three letters | place          | in        | 0.85  |
| words    | "Morbus" or "M." before an eponym, a medical noun behind             | no             |           |       |
|          | the word is doubtful; but a country that is no other word ("USA")    | no; country    | (none)    | 0.70  |
|          | a surname opens a sentence or line                                   | no             |           |       |
|          | persons: "nach", "Typ" before, "positiv" behind (eponyms.py)         | no             |           |       |
|          | nothing                                                              | its first list | (none)    | 0.70  |

A form that no list has as it stands (inflected, in capitals) counts 0.1 less. The numbers order the evidence; they
are not probabilities. judge.py applies the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.cue_words import ALSO_SURNAMES, CueFlag, cue_flags
from deid_core.lexicon.disambiguation.eponyms import eponym_flags
from deid_core.lexicon.disambiguation.flags import (
    ANATOMICAL,
    BY_INITIAL,
    BY_NAME,
    BY_NUMBER,
    BY_PAIR,
    BY_POSTCODE,
    BY_PREPOSITION,
    BY_RESIDENCE,
    BY_STREET,
    BY_TITLE,
    BY_WORD,
    CAPITAL,
    COMMA,
    DOUBTFUL,
    ENDS_SENTENCE,
    EPONYM,
    INITIAL,
    INTRODUCES,
    LISTED,
    MEDICAL,
    MEDICAL_NOUN,
    MIN_LETTERS,
    MORBUS,
    NOBODY,
    PARTICLE,
    POSTCODE,
    PREPOSITION,
    RESIDENCE,
    STOP,
    STREET_SUFFIXED,
)
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.kinds import NAME_KINDS, ListKind, bit
from deid_core.lexicon.gazetteer.matcher import Matches
from deid_core.lexicon.name_grammar import PARTICLES
from deid_core.text.document import Document
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_CIVIL_ROLE = CueFlag.CIVIL_ROLE.value
_NAME_FIELD = CueFlag.NAME_FIELD.value
_KINSHIP = CueFlag.KINSHIP.value
_CLINICAL_ROLE = CueFlag.CLINICAL_ROLE.value
_EVIDENCE = {
    BY_TITLE: ("title", 0.98),
    BY_PAIR: ("pair", 0.95),
    BY_INITIAL: ("initial", 0.9),
    BY_NAME: ("name", 0.85),
    BY_POSTCODE: ("postcode", 0.98),
    BY_NUMBER: ("number", 0.98),
    BY_STREET: ("", 0.8),
    BY_RESIDENCE: ("residence", 0.95),
    BY_PREPOSITION: ("in", 0.85),
    BY_WORD: ("", 0.7),
}
"""Each one's name and score."""
_VARIANT_LESS = 0.1

_STREET = bit(ListKind.STREET)
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
    """What a match is taken for: by which evidence ("" for none but the list), and how sure."""

    kind: ListKind
    evidence: str
    score: float


VERDICTS: tuple[Verdict, ...] = tuple(
    Verdict(kind, evidence, score if exact else round(score - _VARIANT_LESS, 2))
    for evidence, score in _EVIDENCE.values()
    for kind in NAME_KINDS
    for exact in (False, True)
)
"""All there are; made once, since a note has dozens of names."""


class Judged(NamedTuple):
    """The matches that are names; arrays have shape (names,), ascending.

    first: tokens where the names begin, before the match if an initial or a particle belongs to it. last: behind their
    last tokens. verdicts: places in VERDICTS.
    """

    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    verdicts: npt.NDArray[np.int64]


class NameEvidence:
    """Judges matches by what the words are and what stands around them; see the module's table.

    kinds: of the recogniser, in order: where evidence does not tell persons from places, the first that has the word.
    """

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary, kinds: Iterable[ListKind]) -> None:
        kinds = tuple(kinds)
        # Of each mask of lists the first kind that it has, as its place in NAME_KINDS.
        self._kind_of = np.zeros(1 << len(NAME_KINDS), np.int64)
        masks = np.arange(len(self._kind_of))
        for kind in reversed(kinds):
            self._kind_of[(masks & bit(kind)) != 0] = NAME_KINDS.index(kind)
        self._column = _name_flags(gazetteer, vocabulary)
        self._eponym_column = eponym_flags(vocabulary)

    def judge(self, document: Document, matches: Matches) -> Judged:
        """The matches that are names, and as what."""
        # Only here: pipelines that ask for no evidence load no numba for it.
        from deid_core.lexicon.disambiguation.judge import judge

        tokens = document.tokens
        bits = self.bits_of(document)
        found = np.empty((len(matches), 3), np.int64)
        judge(
            np.stack((matches.first, matches.last, matches.lists.astype(np.int64)), axis=1),
            matches.exact,
            self._numbered(document, matches),
            bits,
            self._eponym_column.gather(tokens.types),
            tokens.starts,
            tokens.ends,
            tokens.breaks,
            self._kind_of,
            found,
        )
        taken = found[:, 2].nonzero()[0]
        first, kinds, evidence = found[taken].T
        verdicts = ((evidence - 1) * len(NAME_KINDS) + kinds) * 2 + matches.exact[taken]
        return Judged(first, matches.last[taken], verdicts)

    def _numbered(self, document: Document, matches: Matches) -> npt.NDArray[np.bool_]:
        """Whether a house number stands behind a match that may be a street; shape (matches,)."""
        numbered = np.zeros(len(matches), bool)
        streets = ((matches.lists & _STREET) != 0).nonzero()[0]
        ends = document.tokens.ends[matches.last[streets] - 1]
        for number, end in zip(streets.tolist(), ends.tolist(), strict=True):
            numbered[number] = _HAS_NUMBER.match(document.text, end) is not None
        return numbered

    def bits_of(self, document: Document) -> npt.NDArray[np.uint32]:
        """The bits of this module for each token of a document; shape (tokens,)."""
        bits: npt.NDArray[np.uint32] = self._column.gather(document.tokens.types)
        return bits


def _name_flags(gazetteer: Gazetteer, vocabulary: Vocabulary) -> TypeFeature:
    """Return the NameFlag values of the vocabulary's word types, one table per vocabulary."""
    return vocabulary.shared((_name_flags, gazetteer), lambda: TypeFeature(vocabulary, _NameWords(gazetteer).bits))


class _NameWords:
    """The lists that tell names from other words."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._words = {name: frozenset(w.lower() for w in gazetteer.words(name)) for name in _DOUBT_LISTS}
        self._eponyms = frozenset(part for eponym in gazetteer.words("eponym") for part in (eponym, *eponym.split("-")))
        self._suffixes = tuple(gazetteer.words("street_suffix"))

    def bits(self, word: str) -> int:
        """The bits of one word."""
        lower = word.lower()
        if token_kind(word) != WORD:
            return (
                (POSTCODE if _POSTCODE.fullmatch(word) else 0)
                | (COMMA if word == "," else 0)
                | (ENDS_SENTENCE if word in ".:;!?•*" else 0)
            )
        bits = POSTCODE if _POSTCODE.fullmatch(word) else 0
        if word[0].isupper():
            bits |= CAPITAL
        if self._listed(lower):
            bits |= DOUBTFUL | LISTED
        if len(word) < MIN_LETTERS or not word[0].isupper() or word.isupper():
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
        if cue_flags(word) & (_KINSHIP | _CLINICAL_ROLE | _CIVIL_ROLE | _NAME_FIELD) and lower not in ALSO_SURNAMES:
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
        stem = lower[:-1] if lower.endswith("s") and len(lower) > MIN_LETTERS else lower
        return any(lower in words or stem in words for words in self._words.values())
