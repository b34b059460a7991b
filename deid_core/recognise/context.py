"""Recogniser `context`: names that no list needs to know, since the words around them say what they are.

Behind a salutation or title; behind a kinship word, a role ("Hausarzt", "OA") or a mark of signing ("gez."); before
a birth date ("Müller, Peter, geb. …"); and in the lines below the closing formula. Triggers are found by word type
(triggers.py); a name is then read token by token: initials, particles and capitalised words, as long as they can
belong to a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from deid_core.config import ContextSettings
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.labels import PhiType, label_of
from deid_core.recognise.base import Document
from deid_core.recognise.triggers import (
    ANY_TRIGGER,
    BIRTH,
    KIN,
    NOT_A_NAME,
    PARTICLE,
    ROLE,
    SALUTE,
    SIGNED,
    TITLE,
    trigger_bits,
)
from deid_core.recognise.wordlists import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME, word_bits
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary
from deid_core.word_types import TypeColumn

_INITIAL = re.compile(r"[^\W\d_]\.(?:-?[^\W\d_]\.)*")
_CLOSING = re.compile(
    r"^[ \t]*(?:mit\s+(?:\w+\s+){0,2}(?:kollegialen|freundlichen?|besten|herzlichen|verbindlichen)\b"
    r"|hochachtungsvoll|freundliche\s+grüße|mfg\b|beste\s+grüße|viele\s+grüße)",
    re.IGNORECASE | re.MULTILINE,
)
_SIGNATURE_CHARS = 600
_MAX_WORDS = 5
_MAX_GAP = 3


class ContextRecogniser:
    """Names by what stands around them; see the module."""

    kind = "context"

    def __init__(self, settings: ContextSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._bits = word_bits(gazetteer, vocabulary)
        self._triggers = TypeColumn(vocabulary, trigger_bits)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """PER detections; `rule` names the trigger."""
        triggers = self._triggers.gather(document.tokens.types)
        reading = _Reading(document, self._bits.gather(document.tokens.types), triggers)
        found: list[Detection] = []
        for index in np.flatnonzero(triggers & ANY_TRIGGER).tolist():
            found += reading.behind(index)
        found += reading.signature()
        return found


class _Reading:
    """One document while its names are read."""

    def __init__(self, document: Document, bits: npt.NDArray[np.uint32], triggers: npt.NDArray[np.uint32]) -> None:
        self._document = document
        self._bits = bits.tolist()
        self._triggers = triggers.tolist()
        self._starts = document.tokens.starts.tolist()
        self._ends = document.tokens.ends.tolist()
        self._text = document.text

    def behind(self, index: int) -> Iterator[Detection]:
        """What the trigger at `index` says of the tokens around it."""
        trigger = self._triggers[index]
        if trigger & (SALUTE | TITLE):
            phi = PhiType.CLINICIAN if self._titled(index) else PhiType.PERSON
            yield from self._name(index + 1, phi, "salute" if trigger & SALUTE else "title", needs_list=False)
        elif trigger & BIRTH:
            yield from self._before_birth(index)
        elif trigger & SIGNED:
            yield from self._name(self._past_colon(index), PhiType.CLINICIAN, "signed", needs_list=False)
        elif trigger & (KIN | ROLE):
            phi, rule = (PhiType.RELATIVE, "kin") if trigger & KIN else (PhiType.PERSON, "role")
            behind = self._past_colon(index)
            yield from self._name(behind, phi, rule, needs_list=behind == index + 1)

    def signature(self) -> Iterator[Detection]:
        """Names in the lines below the closing formula: columns of at most four capitalised words."""
        closings = list(_CLOSING.finditer(self._text))
        if not closings:
            return
        closing = closings[-1]
        end = min(len(self._text), closing.end() + _SIGNATURE_CHARS)
        line_end = self._text.find("\n", closing.end(), end)
        if line_end < 0:
            return
        index = int(np.searchsorted(self._document.tokens.starts, line_end))
        while index < len(self._starts) and self._starts[index] < end:
            stop = index + 1
            while stop < len(self._starts) and self._gap(stop) <= _MAX_GAP and not self._breaks(stop):
                stop += 1
            yield from self._signed_column(index, stop)
            index = stop

    def _signed_column(self, first: int, last: int) -> Iterator[Detection]:
        while first < last and self._triggers[first] & (TITLE | SALUTE):
            first += 1
        named = self._walk(first, needs_list=False)
        if named and named[1] == last and any(self._bits[i] & (GIVEN_NAME | SURNAME) for i in range(*named)):
            yield self._detection(*named, PhiType.CLINICIAN, "signature", 0.8)

    def _name(self, index: int, phi: PhiType, rule: str, *, needs_list: bool) -> Iterator[Detection]:
        while index < len(self._starts) and self._triggers[index] & (TITLE | SALUTE) and self._adjacent(index):
            index += 1
        if index < len(self._starts) and self._adjacent(index):
            named = self._walk(index, needs_list=needs_list)
            if named:
                yield self._detection(*named, phi, rule, 0.7 if needs_list else 0.95)

    def _walk(self, index: int, *, needs_list: bool) -> tuple[int, int] | None:
        """The token range of the name that begins at `index`, if one does."""
        at, words, end = index, 0, index
        expects_surname = False
        while at < len(self._starts) and words < _MAX_WORDS and (at == index or self._adjacent(at)):
            bits, word = self._bits[at], self._word(at)
            if _INITIAL.fullmatch(word) and word[0].isupper():
                expects_surname = True
                end = at + 1
            elif bits & CAPITALISED and self._may_continue(word, bits, words, expects_surname):
                words += 1
                expects_surname = bool(bits & GIVEN_NAME)
                end = at + 1
            elif self._triggers[at] & PARTICLE:
                expects_surname = True
            else:
                break
            at += 1
        if end == index or (needs_list and not any(self._listed(i) for i in range(index, end))):
            return None
        return index, end

    def _may_continue(self, word: str, bits: int, words: int, expects_surname: bool) -> bool:
        named = bool(bits & (GIVEN_NAME | SURNAME))
        if word.lower() in NOT_A_NAME or not bits & IS_WORD:
            return False
        if bits & STOP:
            return named and (words == 0 or expects_surname) and len(word) > 3
        if words == 0:
            return True
        return not bits & COMMON or (named and expects_surname)

    def _listed(self, index: int) -> bool:
        """A given name, or a surname that is no common word: what makes a name behind a kinship or role word."""
        bits = self._bits[index]
        return not bits & STOP and bool(bits & GIVEN_NAME or (bits & SURNAME and not bits & COMMON))

    def _before_birth(self, index: int) -> Iterator[Detection]:
        """Up to five tokens before a birth date, one comma between them: "Müller, Peter, geb.", "Peter Müller *"."""
        at, commas = index - 1, 0
        if at >= 0 and self._word(at) in {",", "(", ";"}:
            at -= 1
        last = at + 1
        first = last
        while at >= 0 and last - at <= _MAX_WORDS + 1 and self._same_line(at):
            bits, word = self._bits[at], self._word(at)
            if bits & CAPITALISED and not self._triggers[at] and word.lower() not in NOT_A_NAME:
                if bits & STOP or (bits & COMMON and not bits & (GIVEN_NAME | SURNAME)):
                    break
                first = at
            elif word == "," and not commas and first == at + 1:
                commas += 1
            elif not (self._triggers[at] & PARTICLE):
                break
            at -= 1
        words = [i for i in range(first, last) if self._bits[i] & IS_WORD]
        if len(words) >= 2 or any(self._listed(i) for i in words):
            yield from self._without_commas(first, last)

    def _without_commas(self, first: int, last: int) -> Iterator[Detection]:
        begin = first
        for at in range(first, last + 1):
            if at == last or self._word(at) == ",":
                if begin < at:
                    yield self._detection(begin, at, PhiType.PATIENT, "birth", 0.9)
                begin = at + 1

    def _titled(self, index: int) -> bool:
        after = index + 1
        return bool(
            self._triggers[index] & TITLE
            or (after < len(self._starts) and self._triggers[after] & TITLE and self._adjacent(after))
        )

    def _past_colon(self, index: int) -> int:
        after = index + 1
        return after + 1 if after < len(self._starts) and self._word(after) == ":" else after

    def _word(self, index: int) -> str:
        return self._text[self._starts[index] : self._ends[index]]

    def _gap(self, index: int) -> int:
        return int(self._starts[index] - self._ends[index - 1])

    def _breaks(self, index: int) -> bool:
        """Whether a line or column ends before the token."""
        return not self._text[self._ends[index - 1] : self._starts[index]].strip(" \u00a0") == ""

    def _adjacent(self, index: int) -> bool:
        return index > 0 and self._gap(index) <= _MAX_GAP and not self._breaks(index)

    def _same_line(self, index: int) -> bool:
        return index + 1 >= len(self._starts) or not self._breaks(index + 1)

    def _detection(self, first: int, last: int, phi: PhiType, rule: str, score: float) -> Detection:
        return Detection(self._starts[first], self._ends[last - 1], label_of(phi), phi, "context", rule, score)
