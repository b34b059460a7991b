"""Recogniser `context`: names that no list needs to know, since the words around them say what they are.

Behind a salutation or title ("Herrn Kollegen Dr. X"); behind a kinship word, a role ("Hausarzt", "OA"), a field's label
("Name:", also in the cell before) or a mark of signing ("gez."); behind "geb." and "genannt"; before a birth date
("Müller, Peter, geb. …"); behind "durch" and an initial; in the lines below the closing formula; and the signs of those
who dictated or wrote (signs/). Triggers are found by word type (triggers.py), each kind has its module;
where a name ends says name_walk.py. The work for a trigger is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.lexicon.cue_words import GLUED_SALUTATION, CueFlag, cue_flags
from deid_core.lexicon.flags import COMMON, IS_WORD, STOP, word_flags
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers import staff_initials as signs
from deid_core.recognisers.person_context.agents import behind_agent, behind_initial
from deid_core.recognisers.person_context.announced import AnnouncedNames
from deid_core.recognisers.person_context.birth import before_birth, before_date, born
from deid_core.recognisers.person_context.called import called
from deid_core.recognisers.person_context.children import children
from deid_core.recognisers.person_context.signature import signatures
from deid_core.recognisers.person_names.parts import part_bits
from deid_core.recognisers.person_names.walk import NameWalk
from deid_core.text.document import Document
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_AGENT = CueFlag.AGENT.value
_NEVER_IN_NAME = CueFlag.NEVER_IN_NAME.value
_BIRTH = CueFlag.BIRTH.value
_FORMER_NAME = CueFlag.FORMER_NAME.value
_ALIAS = CueFlag.ALIAS.value
_CIVIL_ROLE = CueFlag.CIVIL_ROLE.value
_DATE = CueFlag.DATE.value
_DICTATION = CueFlag.DICTATION.value
_NAME_FIELD = CueFlag.NAME_FIELD.value
_GLUED = CueFlag.GLUED.value
_INITIAL = CueFlag.INITIAL.value
_KINSHIP = CueFlag.KINSHIP.value
_CLOSING = CueFlag.CLOSING.value
_PLURAL = CueFlag.PLURAL.value
_CLINICAL_ROLE = CueFlag.CLINICAL_ROLE.value
_SALUTATION = CueFlag.SALUTATION.value
_SIGNED = CueFlag.SIGNED.value
_TITLE = CueFlag.TITLE.value
_RARE = _BIRTH | _FORMER_NAME | _ALIAS | _AGENT | _INITIAL | _KINSHIP | _SIGNED


class PersonContextRecogniser:
    """Names by what stands around them; see the module."""

    kind = "context"

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._bits = word_flags(gazetteer, vocabulary)
        self._triggers = TypeFeature(vocabulary, cue_flags)
        self._parts = TypeFeature(vocabulary, part_bits, np.uint8)
        self._signs = signs.StaffInitialsFinder(vocabulary)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """PER detections; `rule` names the trigger."""
        types = document.tokens.types
        triggers = self._triggers.gather(types)
        bits = self._bits.gather(types)
        walk = NameWalk(document, bits, triggers, self._parts.gather(types), self._bits)
        announced = AnnouncedNames(walk)
        found: list[Detection] = []
        for index in (triggers & (_NEVER_IN_NAME | _AGENT | _INITIAL)).nonzero()[0].tolist():
            found += _behind(walk, announced, index)
        found += signatures(walk, document.text, (triggers & _CLOSING).nonzero()[0].tolist())
        found += self._signs.find(document, walk, bits, found)
        return _by_line(document.text, found)


def _by_line(text: str, found: Iterable[Detection]) -> list[Detection]:
    """The detections, and of a name that a line's end breaks each line's part."""
    parts: list[Detection] = []
    for detection in found:
        end = text.find("\n", detection.start, detection.end)
        if end < 0:
            parts.append(detection)
        else:
            parts.append(detection._replace(end=end - 1 if text[end - 1] == "-" else end))
            parts.append(detection._replace(start=detection.end - len(text[end : detection.end].lstrip())))
    return parts


def _behind(walk: NameWalk, announced: AnnouncedNames, index: int) -> list[Detection]:
    """What the trigger at `index` says of the tokens around it."""
    trigger = walk.triggers[index]
    if trigger & _DATE:
        return list(before_date(walk, index)) if _worth_reading(walk, index) else []
    if trigger & _GLUED:
        return list(_glued(walk, index))
    # Most triggers are a form of address, a role or a field and nothing else.
    found = _of_rare_trigger(walk, announced, index, trigger) if trigger & _RARE else []
    if trigger & (_DICTATION | _SIGNED):
        for first, last in signs.behind_dictation(walk, index):
            found.append(walk.detection(first, last, PhiType.CLINICIAN, "sign", 0.8))
    elif trigger & (_SALUTATION | _TITLE | _CLINICAL_ROLE | _CIVIL_ROLE | _KINSHIP | _NAME_FIELD):
        found += announced.behind(index)
    return found


def _of_rare_trigger(walk: NameWalk, announced: AnnouncedNames, index: int, trigger: int) -> list[Detection]:
    """What a trigger of _RARE says of the tokens around it, beside what it announces."""
    found: list[Detection] = []
    if trigger & _BIRTH:
        found += before_birth(walk, index)
    if trigger & _FORMER_NAME:
        found += born(walk, index)
    if trigger & _ALIAS:
        found += called(walk, index)
    if trigger & _AGENT:
        found += behind_agent(walk, index)
    if trigger & _INITIAL:
        found += behind_initial(walk, index)
    if trigger & _KINSHIP and trigger & _PLURAL:
        found += children(walk, index)
    if trigger & _SIGNED:
        found += announced.signed(index)
    return found


def _glued(walk: NameWalk, index: int) -> Iterator[Detection]:
    """The name in "HerrMuster"."""
    if (match := GLUED_SALUTATION.match(walk.word(index))) and not walk.bits[index] & COMMON:
        start = walk.starts[index] + match.end()
        yield Detection(start, walk.ends[index], label_of(PhiType.PERSON), PhiType.PERSON, "context", "salute", 0.9)


def _worth_reading(walk: NameWalk, index: int) -> bool:
    """Whether no function word and no other date stands before a date; most notes have many dates."""
    if index == 0:
        return True
    before = walk.bits[index - 1]
    return not before & STOP and (bool(before & IS_WORD) or not walk.triggers[index - 1] & _DATE)
