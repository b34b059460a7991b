"""Recogniser `profession`: what somebody does or did for a living, by a list of professions and its context.

| the word                                                        | is taken                     | rule     | score |
|---|---|---|---|
| a profession that neither staff nor families have: "Dachdecker" | wherever it stands           | word     | 0.80  |
| one that staff of the clinic has as well: "Krankenschwester"    | with evidence                | evidence | 0.85  |
| one that is a family name as well: "Koch"                       | with evidence                | evidence | 0.85  |

Evidence are "als", "gelernte", "Beruf:", "ist" before the word, or a relative: "Tochter Anna (34, Lehrerin)"; for a
family name also "zum", "ein" before it and "bei", "im" behind it, but never "Herr" or "Dr." before it.

A function in the letter's own clinic ("Oberarzt", "Stationsschwester") is in no list and no profession. A profession
joined to one that was taken ("Maurer und Polier", "Weberin, dann Köchin") has the evidence of that one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from deid_core.config import ProfessionSettings
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.labels import PhiType, label_of
from deid_core.recognise import profession_words as words
from deid_core.recognise.base import Document
from deid_core.recognise.profession_words import profession_bits
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary

_REACH = 5
"""So many tokens before the word may hold the evidence."""
_KIN_REACH = 7
_FLAT_SHARE = 0.04
"""A text with a smaller share of words with one capital is in small letters, or in capitals, throughout."""
_MIN_FLAT_WORDS = 20
_WORKS = frozenset({"bei", "beim", "im", "in", "i.R.", "a.D."})
_ADJECTIVES = frozenset(
    word + ending
    for word in ("Technisch", "Kaufmännisch", "Medizinisch", "Zahnmedizinisch", "Pharmazeutisch", "Landwirtschaftlich")
    for ending in ("e", "er", "en")
)
"""Parts of a profession's name: "Technische Zeichnerin"."""


class ProfessionRecogniser:
    """Professions by list and context; see the module."""

    kind = "profession"

    def __init__(self, settings: ProfessionSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._column = profession_bits(gazetteer, vocabulary)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """PROFESSION detections, ascending; `rule` is "word" or "evidence"."""
        bits = self._column.gather(document.tokens.types)
        places = np.flatnonzero(bits & words.ANY)
        if not len(places):
            return []
        count = np.count_nonzero(bits & words.WORDLIKE)
        flat = count >= _MIN_FLAT_WORDS and np.count_nonzero(bits & words.MIXED) < count * _FLAT_SHARE
        if not flat:
            places = places[(bits[places] & words.CAPITAL) != 0]
        reading = _Reading(document, bits.tolist())
        return [found for at in places.tolist() if (found := reading.at(at)) is not None]


class _Reading:
    """One document while its professions are read, from left to right."""

    def __init__(self, document: Document, bits: list[int]) -> None:
        self._document = document
        self._bits = bits
        self._taken = -1

    def at(self, at: int) -> Detection | None:
        """The profession at `at`, None if it is another's name or nobody's."""
        bits = self._bits[at]
        sure = bool(bits & words.SURE)
        if not sure and not self._evident(at):
            return None
        self._taken = at
        tokens = self._document.tokens
        first = at - 1 if at and self._document.word(at - 1) in _ADJECTIVES and not self._parted(at - 1, at) else at
        phi = PhiType.PROFESSION
        rule, score = ("word", 0.8) if sure else ("evidence", 0.85)
        return Detection(int(tokens.starts[first]), int(tokens.ends[at]), label_of(phi), phi, "profession", rule, score)

    def _evident(self, at: int) -> bool:
        """Whether the words before say that this is what somebody does."""
        if at == 0 or self._bits[at - 1] & words.ADDRESSES:
            return False
        if self._named_behind(at):
            return False
        if self._bits[at] & words.SURNAME and self._works_behind(at):
            return True
        for place in range(at - 1, max(-1, at - _REACH), -1):
            bits = self._bits[place]
            if self._parted(place, at):
                return False
            if bits & words.ENDS:
                if self._bits[place - 1] & words.ANNOUNCES and place == at - 1 and place:
                    return True  # "pens. Hebamme"
                return False
            if place == self._taken:
                return True
            if bits & words.ANNOUNCES or (bits & words.COPULA and not bits & words.KIN):
                return True
            if bits & words.LEADS and self._bits[at] & words.SURNAME and place == at - 1:
                return True
            if bits & words.JOINS and place == at - 1 and self._relative_before(place):
                return True
            if not bits & (words.PASSED | words.JOINS | words.LEADS):
                return False
        return False

    def _named_behind(self, at: int) -> bool:
        """Whether a salutation or a subject follows: "Sozialarbeiterin Frau Muster", "Ärztin für …" are staff."""
        if at + 1 >= len(self._bits):
            return False
        return bool(self._bits[at + 1] & words.ADDRESSES) or self._document.word(at + 1) == "für"

    def _works_behind(self, at: int) -> bool:
        """Whether "bei", "im" or "i. R." follows, and no capitalised word stands before: ", Koch im Gasthof"."""
        if at + 1 >= len(self._bits) or self._document.word(at + 1) not in _WORKS:
            return False
        return not self._bits[at - 1] & words.CAPITAL and not self._parted(at - 1, at)

    def _relative_before(self, at: int) -> bool:
        """Whether a relative stands before in the sentence: "Tochter Anna (34, Lehrerin)"."""
        for place in range(at - 1, max(-1, at - _KIN_REACH), -1):
            if self._bits[place] & words.ENDS or self._parted(place, at):
                return False
            if self._bits[place] & words.KIN:
                return True
        return False

    def _parted(self, first: int, last: int) -> bool:
        """Whether a line ends between the tokens; a cell may part "Beruf" from what stands behind it."""
        tokens = self._document.tokens
        return "\n" in self._document.text[tokens.ends[first] : tokens.starts[last]]
