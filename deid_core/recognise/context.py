"""Recogniser `context`: names that no list needs to know, since the words around them say what they are.

Behind a salutation or title ("Herrn Kollegen Dr. X"); behind a kinship word, a role ("Hausarzt", "OA"), a field's label
("Name:") or a mark of signing ("gez."); before a birth date ("Müller, Peter, geb. …"); and in the lines below the
closing formula. Triggers are found by word type (triggers.py); a name is then read token by token: initials,
particles and capitalised words, as long as they can belong to a name. The work for a trigger is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from deid_core.config import ContextSettings
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.labels import PhiType, label_of
from deid_core.recognise.base import Document
from deid_core.recognise.triggers import (
    ANY_TRIGGER,
    BIRTH,
    FIELD,
    KIN,
    NOT_A_NAME,
    PARTICLE,
    PLURAL,
    ROLE,
    SALUTE,
    SIGNED,
    TITLE,
    trigger_bits,
)
from deid_core.recognise.wordlists import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME, word_bits
from deid_core.spans import Detection
from deid_core.tokens import GAP, Vocabulary
from deid_core.word_types import TypeColumn

_INITIAL = re.compile(r"[^\W\d_]\.(?:-?[^\W\d_]\.)*")
_CLOSING = re.compile(
    r"^[ \t]*(?:mit\s+(?:\w+\s+){0,2}(?:kollegialen|freundlichen?|besten|herzlichen|verbindlichen)\b"
    r"|hochachtungsvoll|freundliche\s+grüße|mfg\b|beste\s+grüße|viele\s+grüße)",
    re.IGNORECASE | re.MULTILINE,
)
_NOUN_ENDING = re.compile(
    r"(?:ung|heit|keit|schaft|tion|ismus|itis|ose|thek|tät|enz|anz|gramm|gra(?:ph|f)ie|skopie|tomie|pathie|ämie|urie|therapie|"
    r"schmerz|infarkt|störung|klappe|druck|beschwerde|symptomatik|kontrolle|befund|termin|mittel|wert|verlauf|dyspnoe|"
    r"medikation|anamnese|insuffizienz)(?:e[nsr]?|s)?$",
    re.IGNORECASE,
)
"""Endings of nouns that no name has: what a role word may be followed by in telegraphic notes."""
_SIGNATURE_CHARS = 600
_MAX_WORDS = 5
_MAX_TOKENS = 10
_MAX_ADDRESS = 8
"""Salutations, titles and roles in a row."""
_MAX_NAMES = 6
"""Names that one plural salutation may announce."""
_MAX_GAP = 3
_AND = frozenset({"und", "u.", "&", "/"})


class ContextRecogniser:
    """Names by what stands around them; see the module."""

    kind = "context"

    def __init__(self, settings: ContextSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._bits = word_bits(gazetteer, vocabulary)
        self._triggers = TypeColumn(vocabulary, trigger_bits)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """PER detections; `rule` names the trigger."""
        triggers = self._triggers.gather(document.tokens.types)
        bits = self._bits.gather(document.tokens.types)
        reading = _Reading(document, bits.tolist(), triggers.tolist())
        found: list[Detection] = []
        for index in np.flatnonzero(triggers & ANY_TRIGGER).tolist():
            found += reading.behind(index)
        found += reading.signature()
        return found


class _Reading:
    """One document while its names are read; bits and triggers are lists by token."""

    def __init__(self, document: Document, bits: list[int], triggers: list[int]) -> None:
        self._document = document
        self._bits = bits
        self._triggers = triggers
        self._starts = document.tokens.starts.tolist()
        self._ends = document.tokens.ends.tolist()
        self._text = document.text

    def behind(self, index: int) -> Iterator[Detection]:
        """What the trigger at `index` says of the tokens around it."""
        trigger = self._triggers[index]
        if trigger & BIRTH:
            yield from self._before_birth(index)
        elif trigger & SIGNED:
            yield from self._names(self._past_mark(index), PhiType.CLINICIAN, "signed", sure=True)
        elif not self._addressed(index + 1):
            # Of "Herrn Kollegen Dr." only the last word is followed by the name.
            before = self._address_before(index)
            if before & (SALUTE | TITLE):
                phi = PhiType.CLINICIAN if before & (TITLE | ROLE) else PhiType.PERSON
                rule = "title" if before & TITLE else "salute"
                yield from self._names(index + 1, phi, rule, sure=True, several=bool(before & PLURAL))
            else:
                yield from self._behind_role(index, trigger)

    def signature(self) -> Iterator[Detection]:
        """Names in the lines below the closing formula, each at the beginning of a line or column."""
        closings = list(_CLOSING.finditer(self._text))
        if not closings:
            return
        end = min(len(self._text), closings[-1].end() + _SIGNATURE_CHARS)
        line_end = self._text.find("\n", closings[-1].end(), end)
        if line_end < 0:
            return
        index = int(np.searchsorted(self._document.tokens.starts, line_end))
        while index < len(self._starts) and self._starts[index] < end:
            if self._breaks(index) or self._gap(index) > _MAX_GAP:
                yield from self._signed_at(index)
            index += 1

    def _signed_at(self, first: int) -> Iterator[Detection]:
        named = self._walk(first)
        if named is None:
            return
        words = [i for i in range(*named) if self._bits[i] & IS_WORD]
        initials = named[1] - named[0] - len(words) or any(_INITIAL.fullmatch(self._word(i)) for i in words)
        listed = any(self._bits[i] & (GIVEN_NAME | SURNAME) for i in words)
        rare = len(words) >= 2 and all(self._is_rare(i) or self._triggers[i] & PARTICLE for i in words)
        if (initials or listed or rare) and not any(self._bits[i] & STOP for i in words):
            yield self._detection(*named, PhiType.CLINICIAN, "signature", 0.9 if listed else 0.8)

    def _behind_role(self, index: int, trigger: int) -> Iterator[Detection]:
        behind = self._past_mark(index)
        marked = behind > index + 1
        if trigger & FIELD and marked:
            yield from self._names(behind, PhiType.PATIENT, "field", sure=True)
        elif trigger & (KIN | ROLE):
            kin = bool(trigger & KIN)
            phi, rule = (PhiType.RELATIVE, "kin") if kin else (PhiType.PERSON, "role")
            several = bool(trigger & PLURAL)
            yield from self._names(behind, phi, rule, sure=False, listed=kin and not marked, several=several)

    def _names(
        self, index: int, phi: PhiType, rule: str, *, sure: bool, listed: bool = False, several: bool = False
    ) -> Iterator[Detection]:
        """The name at `index` and those that "und" or, for several people, commas add to it.

        Unless the trigger makes it sure, a name must be likely, or, behind "Mutter" and the like, on a list.
        """
        for _ in range(_MAX_NAMES):
            named = self._walk(index) if index < len(self._starts) and self._follows(index) else None
            if named is None or not (sure or self._is_likely(*named, listed=listed)):
                return
            yield self._detection(*named, phi, rule, 0.95 if sure else 0.7)
            index = named[1] + 1
            mark = self._word(named[1]) if named[1] < len(self._starts) else ""
            if not (mark in _AND or (several and mark == ",")):
                return
            if index >= len(self._starts) or not self._may_follow_and(index):
                return

    def _walk(self, index: int) -> tuple[int, int] | None:
        """The token range of the name that begins at `index`, if one does."""
        at, words, end = index, 0, index
        expects_surname = True
        while at < min(len(self._starts), index + _MAX_TOKENS) and words < _MAX_WORDS:
            if at > index and not self._adjacent(at):
                break
            bits, word = self._bits[at], self._word(at)
            if _INITIAL.fullmatch(word) and word[0].isupper() and not self._triggers[at] & SIGNED:
                expects_surname = True
                end = at + 1
            elif bits & CAPITALISED and self._may_continue(at, words, expects_surname):
                words += 1
                # Behind a given name, or a word that no list has, a surname may follow.
                expects_surname = bool(bits & GIVEN_NAME) or not bits & (SURNAME | COMMON)
                end = at + 1
            elif expects_surname and self._is_particle(at) and self._particle_leads_on(at):
                pass
            else:
                break
            at += 1
        return (index, end) if end > index else None

    def _may_continue(self, index: int, words: int, expects_surname: bool) -> bool:
        bits, word = self._bits[index], self._word(index)
        named = bool(bits & (GIVEN_NAME | SURNAME))
        if word.lower() in NOT_A_NAME or not bits & IS_WORD:
            return False
        if bits & STOP:
            return named and (words == 0 or expects_surname) and len(word) > 3
        if words == 0:
            return True
        if not (bits & COMMON or _NOUN_ENDING.search(word)):
            return True
        return expects_surname and (named or (words == 1 and self._ends_column(index)))

    def _ends_column(self, index: int) -> bool:
        """Whether a line, column or clause ends behind the token."""
        after = index + 1
        return after == len(self._starts) or self._breaks(after) or self._word(after) in {",", "/", ")"}

    def _is_particle(self, index: int) -> bool:
        if self._triggers[index] & PARTICLE:
            return True
        return self._word(index) == "und" and index > 0 and self._word(index - 1) == "von"

    def _particle_leads_on(self, index: int) -> bool:
        """Whether a capitalised word that may be a name comes behind the particles; "vom Klinikum" is none."""
        for at in range(index + 1, min(len(self._starts), index + 4)):
            if not self._adjacent(at):
                return False
            if not self._is_particle(at):
                return bool(self._bits[at] & CAPITALISED) and not self._bits[at] & STOP
        return False

    def _is_likely(self, first: int, last: int, *, listed: bool) -> bool:
        """Whether a word behind a role is a name: on a list, or, unless it must be, rare and no noun by its ending."""
        words = [i for i in range(first, last) if self._bits[i] & CAPITALISED]
        if any(self._listed(i) for i in words):
            return True
        return not listed and bool(words) and all(self._is_rare(i) for i in words)

    def _listed(self, index: int) -> bool:
        """A given name, or a surname that is no common word."""
        bits = self._bits[index]
        return not bits & STOP and bool(bits & GIVEN_NAME or (bits & SURNAME and not bits & COMMON))

    def _is_rare(self, index: int) -> bool:
        word = self._word(index)
        return (
            not self._bits[index] & (COMMON | STOP)
            and len(word) >= 3
            and not word.isupper()
            and not _NOUN_ENDING.search(word)
        )

    def _may_follow_and(self, index: int) -> bool:
        return bool(self._bits[index] & CAPITALISED) and (self._listed(index) or self._is_rare(index))

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
            yield self._detection(first, last, PhiType.PATIENT, "birth", 0.9)

    def _address_before(self, index: int) -> int:
        """The bits of the salutations, titles and roles in a row that end at `index`."""
        found = self._triggers[index]
        for at in range(index, max(0, index - _MAX_ADDRESS), -1):
            if not (self._addressed(at) and self._triggers[at - 1] & (SALUTE | TITLE | ROLE | KIN)):
                break
            found |= self._triggers[at - 1]
        return found

    def _addressed(self, index: int) -> bool:
        """Whether the token at `index` goes on with a form of address that the one before began."""
        return (
            index < len(self._starts)
            and bool(self._triggers[index] & (SALUTE | TITLE | ROLE))
            and bool(self._triggers[index - 1] & (SALUTE | TITLE | ROLE | KIN))
            and self._follows(index)
        )

    def _past_mark(self, index: int) -> int:
        """The token behind a trigger and the colon or bracket that may stand there."""
        after = index + 1
        return after + 1 if after < len(self._starts) and self._word(after) in {":", "("} else after

    def _follows(self, index: int) -> bool:
        """On the same line, or at the beginning of the next: letters are wrapped by hand."""
        if index == 0 or self._adjacent(index):
            return True
        gap = self._text[self._ends[index - 1] : self._starts[index]]
        return gap.count("\n") == 1 and not gap.strip() and bool(self._triggers[index - 1] & (SALUTE | TITLE))

    def _word(self, index: int) -> str:
        return self._document.word(index)

    def _gap(self, index: int) -> int:
        return int(self._starts[index] - (self._ends[index - 1] if index else 0))

    def _breaks(self, index: int) -> bool:
        """Whether a line or column ends before the token."""
        before = self._ends[index - 1] if index else 0
        return bool(self._text[before : self._starts[index]].strip(GAP))

    def _adjacent(self, index: int) -> bool:
        return index > 0 and self._gap(index) <= _MAX_GAP and not self._breaks(index)

    def _same_line(self, index: int) -> bool:
        return index + 1 >= len(self._starts) or not self._breaks(index + 1)

    def _detection(self, first: int, last: int, phi: PhiType, rule: str, score: float) -> Detection:
        return Detection(self._starts[first], self._ends[last - 1], label_of(phi), phi, "context", rule, score)
