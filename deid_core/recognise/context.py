"""Recogniser `context`: names that no list needs to know, since the words around them say what they are.

Behind a salutation or title ("Herrn Kollegen Dr. X"); behind a kinship word, a role ("Hausarzt", "OA"), a field's label
("Name:", also in the cell before) or a mark of signing ("gez."); behind "geb." and "genannt"; before a birth date
("Müller, Peter, geb. …"); in the lines below the closing formula; and the signs of those who dictated or wrote
(signs.py). Triggers are found by word type (triggers.py); where a name ends says name_walk.py. The work for a trigger
is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from deid_core.config import ContextSettings
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.labels import PhiType, label_of
from deid_core.recognise import signs
from deid_core.recognise.base import Document
from deid_core.recognise.name_walk import NameWalk
from deid_core.recognise.triggers import (
    ABBREVIATED,
    ANY_TRIGGER,
    BIRTH,
    BORN,
    CALLED,
    CIVIL,
    CLOSING,
    DATED,
    DICTATED,
    FIELD,
    GLUED,
    GLUED_SALUTE,
    KIN,
    LABEL,
    NOT_A_NAME,
    PARTICLE,
    PLURAL,
    ROLE,
    SALUTE,
    SIGNED,
    SUBJECT,
    TITLE,
    trigger_bits,
)
from deid_core.recognise.wordlists import CAPITALISED, COMMON, GIVEN_NAME, IS_WORD, STOP, SURNAME, word_bits
from deid_core.spans import Detection
from deid_core.tokens import Vocabulary
from deid_core.word_types import TypeColumn

_CLOSING = re.compile(
    r"(?:mit\s+(?:\w+\.?\s+){0,2}(?:kollegiale[mn]|freundlichen?|besten?|herzlichen?|verbindlichen)\b"
    r"|hochachtungsvoll|freundliche\s+grüße|mfg\b|beste\s+grüße|viele\s+grüße)",
    re.IGNORECASE,
)
_SIGNATURE_CHARS = 600
_MAX_WORDS = 5
_MAX_ADDRESS = 8
"""Salutations, titles and roles in a row."""
_MAX_NAMES = 6
"""Names that one plural salutation may announce."""
_COLUMN_GAP = 3
_AND = frozenset({"und", "u.", "u", "&", "/", "+"})
_OPENING = frozenset({":", "(", '"', "„", "»", "‚", "“"})
_CLOSING_QUOTES = frozenset('"“”«‘')
_ADDRESS = SALUTE | TITLE | ROLE | CIVIL


class ContextRecogniser:
    """Names by what stands around them; see the module."""

    kind = "context"

    def __init__(self, settings: ContextSettings, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._bits = word_bits(gazetteer, vocabulary)
        self._triggers = TypeColumn(vocabulary, trigger_bits)
        self._signs = TypeColumn(vocabulary, signs.sign_bits)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """PER detections; `rule` names the trigger."""
        types = document.tokens.types
        triggers = self._triggers.gather(types)
        bits = self._bits.gather(types)
        walk = NameWalk(document, bits.tolist(), triggers.tolist(), self._bits)
        reading = _Reading(document, walk, np.flatnonzero(triggers & CLOSING).tolist())
        found: list[Detection] = []
        for index in np.flatnonzero(_worth_reading(triggers, bits)).tolist():
            found += reading.behind(index)
        found += reading.signature()
        for signed in (signs.pairs(walk, self._signs.gather(types)), signs.endings(document, walk, bits)):
            found += [reading.detection(*tokens, PhiType.CLINICIAN, "sign", 0.75) for tokens in signed]
        return [part for detection in found for part in _by_line(document.text, detection)]


def _worth_reading(triggers: npt.NDArray[np.uint32], bits: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Which tokens are triggers; of dates, which most notes have many of, those that no function word stands before."""
    worth: npt.NDArray[np.bool_] = (triggers & ANY_TRIGGER) != 0
    dated = (triggers[1:] & DATED) != 0
    worth[1:] &= ~(dated & ((bits[:-1] & STOP != 0) | (bits[:-1] & IS_WORD == 0) & (triggers[:-1] & DATED != 0)))
    return worth


def _by_line(text: str, detection: Detection) -> Iterator[Detection]:
    """The detection, or, for a name that a line's end breaks, each line's part of it."""
    end = text.find("\n", detection.start, detection.end)
    if end < 0:
        yield detection
        return
    yield replace(detection, end=end - 1 if text[end - 1] == "-" else end)
    yield replace(detection, start=detection.end - len(text[end : detection.end].lstrip()))


class _Reading:
    """One document while its names are read; closings: the tokens that may begin a closing formula."""

    def __init__(self, document: Document, walk: NameWalk, closings: list[int]) -> None:
        self._document = document
        self._closings = closings
        self._walk = walk
        self._triggers = walk.triggers
        self._text = document.text

    def behind(self, index: int) -> Iterator[Detection]:
        """What the trigger at `index` says of the tokens around it."""
        trigger = self._triggers[index]
        if trigger & DATED:
            yield from self._before_date(index)
            return
        if trigger & GLUED:
            yield from self._glued(index)
            return
        if trigger & BIRTH:
            yield from self._before_birth(index)
        if trigger & BORN:
            yield from self._born(index)
        if trigger & CALLED:
            yield from self._names(self._past_mark(index), PhiType.PATIENT, "called", sure=False)
        if trigger & SIGNED:
            yield from self._names(self._past_mark(index), PhiType.CLINICIAN, "signed", sure=True, small=True)
        if trigger & (DICTATED | SIGNED):
            for first, last in signs.behind_clue(self._walk, index):
                yield self.detection(first, last, PhiType.CLINICIAN, "sign", 0.8)
        elif trigger & (SALUTE | TITLE | ROLE | CIVIL | KIN | FIELD) and not self._addressed(index + 1):
            # Of "Herrn Kollegen Dr." only the last word is followed by the name.
            yield from self._behind_address(index, trigger)

    def _glued(self, index: int) -> Iterator[Detection]:
        """The name in "HerrMuster"."""
        walk = self._walk
        if (match := GLUED_SALUTE.match(walk.word(index))) and not walk.bits[index] & COMMON:
            start = walk.starts[index] + match.end()
            yield Detection(start, walk.ends[index], label_of(PhiType.PERSON), PhiType.PERSON, "context", "salute", 0.9)

    def signature(self) -> Iterator[Detection]:
        """Names in the lines below the closing formula, each at the beginning of a line or column."""
        walk = self._walk
        closed = self._closed_at()
        if closed < 0:
            return
        end = min(len(self._text), closed + _SIGNATURE_CHARS)
        line_end = self._text.find("\n", closed, end)
        if line_end < 0:
            return
        index = int(np.searchsorted(self._document.tokens.starts, line_end))
        while index < len(walk) and walk.starts[index] < end:
            if self._opens_column(index):
                yield from self._signed_at(index)
            index += 1

    def _closed_at(self) -> int:
        """Where the last closing formula ends, -1 without one."""
        for index in reversed(self._closings):
            if index == 0 or self._walk.breaks[index]:
                if match := _CLOSING.match(self._text, self._walk.starts[index]):
                    return match.end()
        return -1

    def _signed_at(self, first: int) -> Iterator[Detection]:
        walk = self._walk
        named = walk.walk(first)
        if named is None:
            return
        words = [i for i in range(*named) if walk.bits[i] & IS_WORD]
        initials = named[1] - named[0] - len(words) or any(walk.is_initial(i) for i in words)
        listed = any(walk.bits[i] & (GIVEN_NAME | SURNAME) for i in words)
        rare = len(words) >= 2 and all(walk.rare(i) or self._triggers[i] & PARTICLE for i in words)
        if (initials or listed or rare) and not any(walk.bits[i] & STOP for i in words):
            yield self.detection(*named, PhiType.CLINICIAN, "signature", 0.9 if listed else 0.8)

    def _behind_address(self, index: int, trigger: int) -> Iterator[Detection]:
        walk = self._walk
        before = self._address_before(index)
        if not before & (SALUTE | TITLE):
            yield from self._behind_role(index, trigger)
            return
        phi = PhiType.CLINICIAN if before & (TITLE | ROLE) else PhiType.PERSON
        rule = "title" if before & TITLE else "salute"
        small = not walk.bits[index] & CAPITALISED or walk.bits[index] & IS_WORD == 0
        found = list(
            self._names(self._past_stop(index), phi, rule, sure=True, several=bool(before & PLURAL), small=small)
        )
        yield from found
        if not found and trigger & (ROLE | CIVIL | KIN) and walk.bits[index] & SURNAME:
            # "Frau Richter": what is a role elsewhere is the name here.
            if walk.bits[index] & CAPITALISED and walk.word(index).lower() not in NOT_A_NAME:
                yield self.detection(index, index + 1, phi, rule, 0.9)

    def _behind_role(self, index: int, trigger: int) -> Iterator[Detection]:
        walk = self._walk
        behind = self._past_mark(index)
        if behind >= len(walk):
            return
        in_cell = walk.breaks[behind]
        marked = in_cell or (behind > index + 1 and walk.word(behind - 1) != ".")
        if trigger & LABEL and not marked:
            return
        small = not walk.bits[index] & CAPITALISED
        several = bool(trigger & PLURAL)
        unmarked = bool(trigger & SUBJECT) or self._is_blank_column(behind)
        if trigger & FIELD and (marked or (unmarked and self._is_field(index, behind))):
            listed = bool(trigger & SUBJECT) or self._is_blank_column(behind)
            sure = self._is_field(index, behind)
            found = list(self._names(behind, PhiType.PATIENT, "field", sure=sure, listed=listed, small=small))
            yield from found
            if found:
                return
        if trigger & KIN:
            if walk.word(behind) == "," and behind + 1 < len(walk) and walk.given(behind + 1):
                # "die Mutter, Anna"
                behind += 1
            yield from self._names(
                behind, PhiType.RELATIVE, "kin", sure=False, listed=True, several=several, small=small, marked=marked
            )
        elif trigger & (ROLE | CIVIL):
            phi = PhiType.CLINICIAN if trigger & ROLE and not trigger & FIELD else PhiType.PERSON
            if walk.word(behind - 1) == ":" and signs.is_sign(walk, behind) and self._ends_line(behind):
                yield self.detection(behind, behind + 1, phi, "sign", 0.75)
                return
            if self._in_other_case(index, behind):
                return
            in_columns = self._is_blank_column(behind)
            yield from self._names(
                behind,
                phi,
                "role",
                sure=False,
                listed=in_cell or in_columns,
                several=several or marked,
                small=small,
                marked=marked and not in_columns,
            )

    def _in_other_case(self, index: int, behind: int) -> bool:
        """Whether an abbreviation in capitals stands before a word that is not: SR. is sinus rhythm, then."""
        walk = self._walk
        return (
            bool(self._triggers[index] & ABBREVIATED) and walk.word(index).isupper() and not walk.word(behind).isupper()
        )

    def _is_blank_column(self, index: int) -> bool:
        """Whether a column that blanks make begins at the token: what is below a signature more often than a field."""
        return self._walk.starts[index] - self._walk.ends[index - 1] >= _COLUMN_GAP and not self._walk.breaks[index]

    def _is_field(self, index: int, behind: int) -> bool:
        """Whether what stands behind a field's label is a name, whatever its words are."""
        walk = self._walk
        if walk.word(index).lower().endswith(("name", "namen")):
            return True
        named = walk.walk(behind, small=True)
        return named is not None and walk.with_given(named, small=True) != named

    def _names(
        self,
        index: int,
        phi: PhiType,
        rule: str,
        *,
        sure: bool,
        listed: bool = False,
        several: bool = False,
        small: bool = False,
        marked: bool = False,
    ) -> Iterator[Detection]:
        """The name at `index` and those that "und" or, for several people, commas add to it.

        Unless the trigger makes it sure, a name must be likely, or, behind "Mutter" and the like, on a list. small: the
        trigger is written in small letters, so the name may be. marked: a colon or cell parts trigger and name.
        """
        walk = self._walk
        for number in range(_MAX_NAMES):
            named = walk.walk(index, small=small) if index < len(walk) and self._follows(index, number) else None
            if named is None:
                return
            whole = named
            if (
                rule == "field"
                or (rule == "kin" and marked and not several)
                or (rule == "salute" and self._listed_with_date(named))
            ):
                whole = walk.with_given(named, small=small)
            if not (
                (sure and not number)
                or whole != named
                or (rule == "kin" and walk.is_initial(index, small=small))
                or walk.likely(*named, listed=listed)
                or (marked and self._fills_field(*named))
            ):
                return
            if number and walk.word(named[1]) == "." and not walk.likely(*named, listed=True):
                # "Dr. Muster u. Vertr."
                return
            if rule == "role" and self._triggers_at(named[1]) & (SALUTE | TITLE):
                # "Assistenz: Präparator Hr. Muster"
                return
            yield self.detection(*whole, phi, rule, 0.95 if sure else 0.7)
            yield from self._nickname(whole[1], phi)
            behind = self._past_age(whole[1])
            mark = walk.word(behind)
            if not (mark in _AND or (several and mark in {",", ";"})):
                return
            index = behind + 1
            if index >= len(walk) or not self._may_follow_and(index, small=small):
                return

    def _listed_with_date(self, named: tuple[int, int]) -> bool:
        """Whether a given name behind a comma is followed by a date of birth: "Frau Muster, Anna, 3.4.1950"."""
        walk = self._walk
        behind = named[1] + 2
        behind += walk.word(behind) in {",", "("}
        return walk.word(named[1]) == "," and bool(self._triggers_at(behind) & (DATED | BIRTH))

    def _fills_field(self, first: int, last: int) -> bool:
        """Whether a name that no list needs to have fills its field, or one that is a common word too does."""
        walk = self._walk
        if walk.is_initial(first) and last > first + 1:
            return True
        bits = walk.bits[first]
        if not walk.ends_column(last - 1) or bits & STOP:
            return False
        return walk.likely(first, last, listed=False) or (last == first + 1 and bool(bits & SURNAME))

    def _triggers_at(self, index: int) -> int:
        return self._triggers[index] if index < len(self._walk) else 0

    def _nickname(self, index: int, phi: PhiType) -> Iterator[Detection]:
        """What stands in quotation marks and brackets behind a name: Egon ("Egi")."""
        walk = self._walk
        if walk.word(index) == "(" and walk.word(index + 1) in _OPENING and walk.word(index + 3) in _CLOSING_QUOTES:
            if walk.bits[index + 2] & CAPITALISED:
                yield self.detection(index + 2, index + 3, phi, "called", 0.8)

    def _past_age(self, index: int) -> int:
        """The token behind the age that may stand behind a name: "Anna (7)", "Anna 7"."""
        walk = self._walk
        bracket = walk.word(index) == "("
        age = index + bracket
        if not (walk.word(age).isdigit() and len(walk.word(age)) <= 2):
            return index
        if bracket:
            return age + 2 if walk.word(age + 1) == ")" else index
        return age + 1

    def _may_follow_and(self, index: int, *, small: bool) -> bool:
        walk = self._walk
        if walk.bits[index] & CAPITALISED or small:
            return walk.listed(index) or walk.rare(index) or walk.is_initial(index)
        return False

    def _born(self, index: int) -> Iterator[Detection]:
        """The name that somebody was born with: "geb. Muster"."""
        walk = self._walk
        first = self._past_mark(index)
        small = not walk.bits[index] & CAPITALISED
        if first >= len(walk) or not (walk.adjacent(first) or self._triggers[index] & FIELD):
            return
        if not walk.bits[first] & CAPITALISED:
            # "geboren in": only words that nobody else needs.
            if not (small and walk.rare(first) and walk.listed(first)) and not walk.is_particle(first):
                return
        named = walk.walk(first, small=small)
        if named is None or any(walk.bits[i] & STOP and not walk.is_particle(i) for i in range(*named)):
            return
        alone = named[1] == first + 1
        abbreviated = walk.word(first - 1)[-1] == "." or walk.word(index).endswith("name")
        behind_name = index > 0 and walk.adjacent(index) and bool(walk.bits[index - 1] & (GIVEN_NAME | SURNAME))
        if alone and walk.bits[first] & COMMON and not behind_name and not abbreviated:
            # "der 1941 geborene Kläger"
            return
        if alone and walk.bits[first] & COMMON and not (walk.bits[first] & SURNAME or behind_name):
            return
        yield self.detection(*named, PhiType.PATIENT, "born", 0.9)

    def _before_birth(self, index: int) -> Iterator[Detection]:
        """Up to five tokens before a birth date, one comma between them: "Müller, Peter, geb.", "Peter Müller *"."""
        walk = self._walk
        at = index - 1
        if at >= 0 and walk.word(at) in {",", "(", ";"}:
            at -= 1
        last = at + 1
        first = self._back_from(last, small=not walk.bits[index] & CAPITALISED)
        words = [i for i in range(first, last) if walk.bits[i] & IS_WORD]
        small = any(not walk.bits[i] & CAPITALISED and not walk.is_particle(i) for i in words)
        if (len(words) >= 2 and not small) or any(walk.listed(i) and len(walk.word(i)) > 2 for i in words):
            yield self.detection(first, last, PhiType.PATIENT, "birth", 0.9)

    def _before_date(self, index: int) -> Iterator[Detection]:
        """A full name that begins a line and is followed by a date: a list of patients, a header without labels."""
        walk = self._walk
        at = index - 1
        if at >= 0 and walk.word(at) in {",", "(", "*"}:
            at -= 1
        if at < 1 or not walk.bits[at] & IS_WORD or walk.bits[at] & STOP or self._triggers[at]:
            return
        last = at + 1
        first = self._back_from(last, small=True)
        words = [i for i in range(first, last) if walk.bits[i] & IS_WORD and not walk.is_particle(i)]
        given = [i for i in words if walk.given(i)]
        if len(words) >= 2 and given and (self._opens_column(first) or walk.word(first - 1) in {")", ":"}):
            others = [i for i in words if i not in given]
            if all(walk.bits_of(i) & SURNAME or walk.rare(i) for i in others):
                yield self.detection(first, last, PhiType.PATIENT, "birth", 0.9)

    def _back_from(self, last: int, *, small: bool = False) -> int:
        """The first token of the name that ends before `last`; `last` itself if there is none.

        small: its words may be in small letters, and are then two at most.
        """
        walk = self._walk
        at, commas, first, words = last - 1, 0, last, 0
        while at >= 0 and last - at <= _MAX_WORDS + 1 and (at == last - 1 or not self._opens_column(at + 1)):
            bits, word = walk.bits[at], walk.word(at)
            capital = bits & CAPITALISED or (small and bits & IS_WORD and len(word) > 2 and words < 2)
            if capital and not self._triggers[at] & ~ABBREVIATED and word.lower() not in NOT_A_NAME:
                of_word = walk.bits_of(at)
                if bits & STOP or (bits & COMMON and not of_word & (GIVEN_NAME | SURNAME)):
                    break
                first, words = at, words + 1
            elif word == "," and not commas and first == at + 1:
                commas += 1
            elif self._triggers[at] & PARTICLE:
                if at == 0 or self._opens_column(at):
                    first = at
            else:
                break
            at -= 1
        return first

    def _address_before(self, index: int) -> int:
        """The bits of the salutations, titles and roles in a row that end at `index`."""
        found = self._triggers[index]
        for at in range(index, max(0, index - _MAX_ADDRESS), -1):
            if not (self._addressed(at) and self._triggers[at - 1] & (_ADDRESS | KIN)):
                break
            found |= self._triggers[at - 1]
        return found

    def _addressed(self, index: int) -> bool:
        """Whether the token at `index` goes on with a form of address that the one before began."""
        return (
            index < len(self._walk)
            and bool(self._triggers[index] & _ADDRESS)
            and bool(self._triggers[index - 1] & (_ADDRESS | KIN))
            and self._follows(index, 0)
        )

    def _past_stop(self, index: int) -> int:
        """The token behind a trigger and the full stop of an abbreviation."""
        after = index + 1
        if self._triggers[index] & ABBREVIATED and self._walk.word(after) == ".":
            return after + 1
        # "Dr. h. c."
        honorary = (
            self._triggers[index] & TITLE and self._walk.word(after) == "h." and self._walk.word(after + 1) == "c."
        )
        return after + 2 if honorary else after

    def _past_mark(self, index: int) -> int:
        """The token behind a trigger and the colon, bracket or quotation mark that may stand there.

        "Patient/in:" and "Versicherte(r):" are one trigger.
        """
        walk = self._walk
        after = self._past_stop(index)
        if self._triggers[index] & SUBJECT and walk.word(after).isdigit() and walk.word(after + 1) == ":":
            # "Fall 1:"
            after += 1
        elif walk.word(after) == "/" and walk.word(after + 1) in {"in", "innen"}:
            after += 2
        elif walk.word(after) == "(" and walk.word(after + 1) in {"r", "in", "n"} and walk.word(after + 2) == ")":
            after += 3
        for _ in range(2):
            if walk.word(after) in _OPENING:
                after += 1
        return after

    def _follows(self, index: int, number: int) -> bool:
        """Behind a trigger: on the same line, in the next cell, or at the beginning of the next line.

        Letters are wrapped by hand; `number` counts the names of a row, which one line has.
        """
        walk = self._walk
        if index == 0 or walk.adjacent(index):
            return True
        gap = walk.gap(index)
        if gap.strip() or number:
            return False
        if "\n" not in gap:
            # A column, of a table or made of blanks.
            return not self._triggers[index - 1] & (SALUTE | TITLE)
        before = self._triggers[index - 1]
        capital = walk.bits[index - 1] & CAPITALISED
        return gap.count("\n") == 1 and bool(before & TITLE or (before & SALUTE and capital))

    def _ends_line(self, index: int) -> bool:
        return index + 1 >= len(self._walk) or self._walk.breaks[index + 1]

    def _opens_column(self, index: int) -> bool:
        walk = self._walk
        return index == 0 or walk.breaks[index] or walk.starts[index] - walk.ends[index - 1] >= _COLUMN_GAP

    def detection(self, first: int, last: int, phi: PhiType, rule: str, score: float) -> Detection:
        """A detection of the tokens first to last (exclusive)."""
        walk = self._walk
        return Detection(walk.starts[first], walk.ends[last - 1], label_of(phi), phi, "context", rule, score)
