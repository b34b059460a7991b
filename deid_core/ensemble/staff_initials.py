"""Finds the initials of staff: "Mü", "KM" or "kmü" where Dr. K. Müller signs the letter, and those that sign entries.

Initials are two to four letters, so they resemble abbreviations. Here they need nothing but a name that they may belong
to, or two places where an entry of a chart is signed: "(mü)" or "mü" at the end of a line, "3.4., 8 Uhr mü:" at its
start. The stacking model judges the places. Of the lists in gazetteers/lists/staff_initials only
never-initials.txt counts here: its words are never initials. The others are features of the stacking model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.core.word_lists import word_set
from deid_core.ensemble.name_initials import StaffNames, has_in_order
from deid_core.lexicon.word_flags import COMMON, STOP
from deid_core.text.document import Document
from deid_core.text.folding import folded
from deid_core.text.token_ranges import detection_of
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_STAFF = frozenset((PhiType.CLINICIAN, PhiType.PERSON))
_INITIALS = re.compile(r"[^\W\d_]{2,4}\.?")
_NEVER = word_set("staff_initials/never-initials")
_MAX_NAMES = 200
"""Maximum number of names to compare with. No letter has more."""


class InitialsRule(StrEnum):
    """How initials belong to a name, and the rule of their detection."""

    INITIALS = "sign_initials"
    """The first letters of its words: "KM"."""
    BEGINNING = "sign_beginning"
    """The beginning of one of its words: "Mü"."""
    LETTERS = "sign_letters"
    """The first and later letters of one of its words, in their order: "Mlr"."""
    ENTRIES = "sign_entries"
    """They belong to no name, but sign several entries."""


_SCORES = {
    InitialsRule.INITIALS: 0.8,
    InitialsRule.BEGINNING: 0.7,
    InitialsRule.LETTERS: 0.5,
    InitialsRule.ENTRIES: 0.5,
}
_SENTENCE_ENDS = frozenset(".!?)")
_MARKS_AFTER = frozenset("):")
_MAX_DATE_TOKENS = 10
"""At most so many tokens are before the initials that begin an entry: a date, a time, "Uhr"."""


class StaffInitials:
    """Finds initials in documents of one vocabulary; see the module."""

    def __init__(self, flags: TypeFeature, vocabulary: Vocabulary) -> None:
        """flags: bits of lexicon/word_flags.py for each word type."""
        self._flags = flags
        self._vocabulary = vocabulary
        self._letters = cache(lambda number: folded(vocabulary.words[number].rstrip(".")))
        """The folded letters of a word type that may be initials."""
        self._candidates = TypeFeature(vocabulary, self._may_sign, bool)
        self._marks = TypeFeature(vocabulary, lambda word: word in _MARKS_AFTER, bool)

    def find(self, document: Document, detections: Iterable[Detection], kind: str) -> Iterator[Detection]:
        """Yield the words that may be initials of a name among the detections, or sign; `kind` is their recogniser."""
        types = document.tokens.types
        at = np.flatnonzero(self._candidates.gather(types))
        signing = self._signing(document, at)
        names = {document.text[d.start : d.end] for d in detections if d.type in _STAFF}
        if not names and not signing:
            return
        staff = StaffNames.from_names(sorted(names)[:_MAX_NAMES])
        of_names, of_words, letters = staff.initials, staff.words, self._letters
        # Most have other letters than all names.
        possible = [n for n in set(types[at].tolist()) if letters(n) in of_names or letters(n)[0] in of_words]
        rules = {number: self._rule(number, staff) for number in possible}
        for token, number in zip(at.tolist(), types[at].tolist(), strict=True):
            rule = rules.get(number)
            if rule is None and token in signing:
                rule = InitialsRule.ENTRIES
            if rule is not None:
                yield detection_of(document, token, token + 1, PhiType.CLINICIAN, kind, rule.value, _SCORES[rule])

    def _signing(self, document: Document, at: npt.NDArray[np.intp]) -> set[int]:
        """Return the tokens among `at` that sign an entry, of words that sign several."""
        types, breaks = document.tokens.types, document.tokens.breaks
        ends_line = np.append(breaks[1:], True)
        # Most stand neither at the end of a line nor before a mark.
        is_before_mark = np.append(self._marks.gather(types)[1:], False)
        near = at[~breaks[at] & (ends_line | is_before_mark)[at]].tolist()
        found = [token for token in near if _signs_entry(document, token)]
        several = Counter(types[found].tolist())
        return {token for token in found if several[int(types[token])] > 1}

    def _may_sign(self, word: str) -> bool:
        if not _INITIALS.fullmatch(word) or word.rstrip(".").lower() in _NEVER:
            return False
        flags = self._flags.of(word)
        return not flags & STOP and not (flags & COMMON and word.islower())

    def _rule(self, number: int, staff: StaffNames) -> InitialsRule | None:
        """Return how a word type belongs to the names, some of which have its letters or begin with its first one."""
        word, letters = self._vocabulary.words[number], self._letters(number)
        if letters in staff.initials:
            return InitialsRule.INITIALS
        names = staff.words[letters[0]]
        if any([name.startswith(letters) for name in names]):
            # A whole name is none: "Karl".
            return InitialsRule.BEGINNING if folded(word) not in names else None
        if self._flags.of(word) & COMMON:
            # Usual abbreviations have the letters of some name.
            return None
        return InitialsRule.LETTERS if any([has_in_order(name, letters) for name in names]) else None


def _signs_entry(document: Document, token: int) -> bool:
    """Return whether a word stands where an entry is signed: alone at the end of a line, or between a date and ":"."""
    breaks, last = document.tokens.breaks, len(document.tokens) - 1
    if breaks[token]:
        return False
    before = document.word(token - 1)
    if token == last or breaks[token + 1]:
        return before[-1] in _SENTENCE_ENDS
    after = document.word(token + 1)
    if before == "(":
        return after == ")" and (token + 1 == last or bool(breaks[token + 2]))
    return after == ":" and _follows_date(document, token)


def _follows_date(document: Document, token: int) -> bool:
    """Return whether the line up to the token is a date or a time, with one word at most: "3.4. 8 Uhr"."""
    words = []
    while not document.tokens.breaks[token] and token:
        token -= 1
        words.append(document.word(token))
        if len(words) > _MAX_DATE_TOKENS:
            return False
    return any(word[0].isdecimal() for word in words) and sum(word[0].isalpha() for word in words) < 2
