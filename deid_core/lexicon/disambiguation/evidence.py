"""Evidence for and against a list word being a name where it stands: the table of `ambiguous: context`.

A word is ambiguous if it is also a common, medical or clinic word, an eponym, short, or not in mixed case. A match is
tested for the kinds that its lists allow: first as a person, then as a street, then as a place, then as a word of its
first list other than streets. The first row that applies decides. A row that says only "no" passes on to the next kind.

| tested   | context                                                              | result         | rule      | score |
|----------|----------------------------------------------------------------------|----------------|-----------|-------|
| person   | no capital, or a word of title, kin or office ("die Mutter")         | no             |           |       |
|          | salutation, title, "Familie", "geb." before it                       | person         | title     | 0.98  |
|          | a function word ("Die", "Sehr")                                      | no             |           |       |
|          | "Morbus" or "M." before an eponym, a medical noun after it           | no             |           |       |
|          | an unambiguous first name before, or ", first name" after it         | person         | pair      | 0.95  |
|          | an initial before it (for ambiguous words not A. M. N. R. V.)        | person         | initial   | 0.90  |
|          | directly after an accepted person, and no medical word               | person         | name      | 0.85  |
| street   | a house number after it, the word unambiguous or more than a suffix  | street         | number    | 0.98  |
|          | in no other list, unambiguous, with street suffix or several words   | street         | (none)    | 0.80  |
| place    | no capital                                                           | no             |           |       |
|          | postcode before it                                                   | town           | postcode  | 0.98  |
|          | "wohnhaft in", "Raum", "Stadt" before it                             | place          | residence | 0.95  |
|          | "in" or "aus" before it, not a medical word or eponym, three letters | place          | in        | 0.85  |
| word     | "Morbus" or "M." before an eponym, a medical noun after it           | no             |           |       |
|          | the word is ambiguous; but a country that is no other word ("USA")   | no; country    | (none)    | 0.70  |
|          | a surname opens a sentence or line                                   | no             |           |       |
|          | persons: "nach", "Typ" before, "positiv" after it (eponyms.py)       | no             |           |       |
|          | nothing                                                              | its first list | (none)    | 0.70  |

A form that no list has as it is written (inflected, in capitals) scores 0.1 less. The scores order the evidence; they
are not probabilities. judge.py applies the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from deid_core.core.word_lists import word_set
from deid_core.lexicon.cue_words import ALSO_SURNAMES, CueFlag, cue_flags
from deid_core.lexicon.disambiguation import name_flags as flag
from deid_core.lexicon.disambiguation.eponyms import eponym_flags
from deid_core.lexicon.disambiguation.name_flags import MIN_LETTERS, Evidence
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.kinds import NAME_KINDS, ListKind, bit
from deid_core.lexicon.gazetteer.matcher import Matches
from deid_core.lexicon.name_regexes import PARTICLES
from deid_core.text.document import Document
from deid_core.text.tokens import WORD, token_kind
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_PERSONAL_CUES = (CueFlag.KINSHIP | CueFlag.CLINICAL_ROLE | CueFlag.CIVIL_ROLE | CueFlag.NAME_FIELD).value

_RULES_AND_SCORES = {
    Evidence.TITLE: ("title", 0.98),
    Evidence.PAIR: ("pair", 0.95),
    Evidence.INITIAL: ("initial", 0.9),
    Evidence.ADJACENT_NAME: ("name", 0.85),
    Evidence.POSTCODE: ("postcode", 0.98),
    Evidence.HOUSE_NUMBER: ("number", 0.98),
    Evidence.STREET_LIST: ("", 0.8),
    Evidence.RESIDENCE: ("residence", 0.95),
    Evidence.PREPOSITION: ("in", 0.85),
    Evidence.LIST: ("", 0.7),
}
"""In the order of Evidence."""
_VARIANT_PENALTY = 0.1

_STREET = bit(ListKind.STREET)
_AMBIGUITY_LISTS = ("common_word", "medical_word", "clinic_word", "stop_word", "month", "title", "salutation")
_INTRODUCING_WORDS = word_set("disambiguation/introducing-words")
_RESIDENCE_WORDS = word_set("disambiguation/residence-words")
_PREPOSITIONS = frozenset({"in", "aus"})
"""Not "nach": in a letter a meal or an operation follows it more often than a town."""
_MEDICAL_NOUNS = word_set("disambiguation/medical-nouns")
_MEDICAL_NOUN_ENDINGS = ("syndrom", "krankheit", "klassifikation")
_TERM_ENDINGS = tuple(word_set("disambiguation/term-endings"))
_POSTCODE_FORM = re.compile(r"(?:(?:D|A|CH)[-–])?\d{5}")
_INITIAL_FORM = re.compile(r"[^\W\d_a-zà-öø-ÿ]\.")
_ANATOMICAL_INITIALS = frozenset({"A.", "M.", "N.", "R.", "V."})
"""Arteria, Musculus or Morbus, Nervus, Ramus, Vena."""
_HOUSE_NUMBER = re.compile(r"(?:[ \u00a0]{1,2}(?:Nr\.?[ ]?)?|(?<=[sS]tr\.))\d{1,3}(?!\d)")


class Verdict(NamedTuple):
    """What a match is: the kind of list, the rule of its evidence ("" for the list alone), and the score."""

    kind: ListKind
    evidence: str
    score: float


VERDICTS: tuple[Verdict, ...] = tuple(
    Verdict(kind, rule, score if exact else round(score - _VARIANT_PENALTY, 2))
    for rule, score in _RULES_AND_SCORES.values()
    for kind in NAME_KINDS
    for exact in (False, True)
)
"""All verdicts, made once, since a note has dozens of names."""


class JudgedNames(NamedTuple):
    """The matches that are names; int64 arrays of shape (names,), ascending.

    start_token: first token of each name, before the match if an initial or a particle belongs to it. end_token: the
    token after its last. verdicts: indices into VERDICTS.
    """

    start_token: npt.NDArray[np.int64]
    end_token: npt.NDArray[np.int64]
    verdicts: npt.NDArray[np.int64]


class NameEvidence:
    """Judges matches by the flags of their words and by their context; see the module's table.

    kinds: of the recogniser, in order. Where evidence does not tell persons from places, the first that has the word.
    """

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary, kinds: Iterable[ListKind]) -> None:
        kinds = tuple(kinds)
        # For each mask of lists its first kind, as an index into NAME_KINDS.
        self._kind_of = np.zeros(1 << len(NAME_KINDS), np.int64)
        masks = np.arange(len(self._kind_of))
        for kind in reversed(kinds):
            self._kind_of[(masks & bit(kind)) != 0] = NAME_KINDS.index(kind)
        self._flags = name_flags(gazetteer, vocabulary)
        self._eponym_flags = eponym_flags(vocabulary)

    def judge(self, document: Document, matches: Matches) -> JudgedNames:
        """Return the matches that are names, with their verdicts."""
        # Imported here: pipelines without evidence need no numba for it.
        from deid_core.lexicon.disambiguation.judge import judge

        tokens = document.tokens
        found = np.empty((len(matches), 3), np.int64)
        judge(
            matches.rows,
            matches.exact,
            self._has_house_number(document, matches),
            self.flags_of(document),
            self._eponym_flags.gather(tokens.types),
            tokens.starts,
            tokens.ends,
            tokens.breaks,
            self._kind_of,
            found,
        )
        taken = found[:, 2].nonzero()[0]
        start_token, kinds, evidence = found[taken].T
        verdicts = ((evidence - 1) * len(NAME_KINDS) + kinds) * 2 + matches.exact[taken]
        return JudgedNames(start_token, matches.end_token[taken], verdicts)

    def flags_of(self, document: Document) -> npt.NDArray[np.uint32]:
        """Return the flags of each token of a document, as in name_flags.py; shape (tokens,)."""
        flags: npt.NDArray[np.uint32] = self._flags.gather(document.tokens.types)
        return flags

    def _has_house_number(self, document: Document, matches: Matches) -> npt.NDArray[np.bool_]:
        """Return whether a house number follows a match that may be a street; shape (matches,)."""
        numbered = np.zeros(len(matches), bool)
        streets = ((matches.lists & _STREET) != 0).nonzero()[0]
        ends = document.tokens.ends[matches.end_token[streets] - 1]
        for number, end in zip(streets.tolist(), ends.tolist(), strict=True):
            numbered[number] = _HOUSE_NUMBER.match(document.text, end) is not None
        return numbered


def name_flags(gazetteer: Gazetteer, vocabulary: Vocabulary) -> TypeFeature:
    """Return the flags of the vocabulary's word types, one table per vocabulary."""
    return vocabulary.shared((name_flags, gazetteer), lambda: TypeFeature(vocabulary, _NameWords(gazetteer).flags_of))


class _NameWords:
    """The gazetteer's lists that tell names from other words."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._lists_of = gazetteer.lists_of
        self._listed = gazetteer.bits(*_AMBIGUITY_LISTS)
        self._stop_words = gazetteer.bits("stop_word")
        self._medical = gazetteer.bits("medical_word", "clinic_word")
        self._before_names = gazetteer.bits("title", "salutation")
        self._eponyms = frozenset(part for eponym in gazetteer.words("eponym") for part in (eponym, *eponym.split("-")))
        self._suffixes = tuple(gazetteer.words("street_suffix"))

    def flags_of(self, word: str) -> int:
        """Return the flags of a word, together in a number."""
        lower = word.lower()
        if token_kind(word) != WORD:
            return (
                (flag.POSTCODE if _POSTCODE_FORM.fullmatch(word) else 0)
                | (flag.COMMA if word == "," else 0)
                | (flag.SENTENCE_END if word in ".:;!?•*" else 0)
            )
        flags = flag.POSTCODE if _POSTCODE_FORM.fullmatch(word) else 0
        if word[0].isupper():
            flags |= flag.UPPER
        lists = self._lists_of.get(lower, 0)
        if lists & self._listed or self._is_genitive_of_listed(lower):
            flags |= flag.AMBIGUOUS | flag.LISTED
        if len(word) < MIN_LETTERS or not word[0].isupper() or word.isupper():
            flags |= flag.AMBIGUOUS
        if lists & self._stop_words:
            flags |= flag.STOP_WORD
        if lists & self._medical:
            flags |= flag.MEDICAL
        if word in self._eponyms:
            flags |= flag.EPONYM | flag.AMBIGUOUS
        if word.endswith(self._suffixes):
            flags |= flag.STREET_SUFFIX
        if lower in _INTRODUCING_WORDS or (lists & self._before_names and word[0].isupper()):
            flags |= flag.INTRODUCES
        if cue_flags(word) & _PERSONAL_CUES and lower not in ALSO_SURNAMES:
            # "die Mutter, Anna": no name, though a list has it.
            flags |= flag.AMBIGUOUS | flag.PERSONAL_NOUN
        if lower.endswith(_TERM_ENDINGS):
            flags |= flag.AMBIGUOUS | flag.MEDICAL
        if _INITIAL_FORM.fullmatch(word):
            flags |= flag.INITIAL | (flag.ANATOMICAL if word in _ANATOMICAL_INITIALS else 0)
        if word in PARTICLES:
            flags |= flag.PARTICLE
        if word in ("Morbus", "M.", "Mb."):
            flags |= flag.MORBUS
        if lower.endswith(_MEDICAL_NOUN_ENDINGS) or lower in _MEDICAL_NOUNS:
            flags |= flag.MEDICAL_NOUN
        if lower in _RESIDENCE_WORDS:
            flags |= flag.RESIDENCE
        if lower in _PREPOSITIONS:
            flags |= flag.PREPOSITION
        return flags

    def _is_genitive_of_listed(self, lower: str) -> bool:
        is_genitive = lower.endswith("s") and len(lower) > MIN_LETTERS
        return is_genitive and self._lists_of.get(lower[:-1], 0) & self._listed != 0
