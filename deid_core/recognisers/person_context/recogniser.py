"""Recogniser `person_context`: names that need not be on a list: the words around them show what they are.

It finds names
- after a salutation or title ("Herrn Kollegen Dr. X"), a kinship word, a role ("Hausarzt", "OA"), a field label
  ("Name:", also in the cell before) or "gez.": names_after_cue.py;
- after "geb." and before a date of birth ("Müller, Peter, geb. …"): birth.py;
- below the closing formula: signature.py;
and initials after a word of dictation (dictation.py). Cue words are found by word type (lexicon/cue_words.py).
name_reader.py reads the names. The work per cue is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.cue_words import GLUED_SALUTATION, CueFlag, cue_flags
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.word_flags import COMMON, IS_WORD, STOP, word_flags
from deid_core.recognisers.person_context.birth import former_name, name_before_birth, name_before_date
from deid_core.recognisers.person_context.dictation import initials_after_dictation
from deid_core.recognisers.person_context.name_line import NameLine
from deid_core.recognisers.person_context.names_after_cue import names_after_cue, names_after_signed
from deid_core.recognisers.person_context.signature import signatures
from deid_core.recognisers.person_context.spelling_flags import part_flags
from deid_core.text.document import Document
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_BIRTH = CueFlag.BIRTH.value
_FORMER_NAME = CueFlag.FORMER_NAME.value
_SIGNED = CueFlag.SIGNED.value
_DATE = CueFlag.DATE.value
_GLUED = CueFlag.GLUED.value
_CLOSING = CueFlag.CLOSING.value
_CUES = CueFlag.NEVER_IN_NAME.value
_BEFORE_INITIALS = (CueFlag.DICTATION | CueFlag.SIGNED).value
_BEFORE_NAME = (
    CueFlag.SALUTATION
    | CueFlag.TITLE
    | CueFlag.CLINICAL_ROLE
    | CueFlag.CIVIL_ROLE
    | CueFlag.KINSHIP
    | CueFlag.NAME_FIELD
).value
_RARE = _BIRTH | _FORMER_NAME | _SIGNED


class PersonContextRecogniser:
    """Finds names by the words around them; see the module."""

    kind = "person_context"

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._word_flags = word_flags(gazetteer, vocabulary)
        self._cue_flags = TypeFeature(vocabulary, cue_flags)
        self._part_flags = TypeFeature(vocabulary, part_flags, np.uint8)

    def recognise(self, document: Document) -> Iterable[Detection]:
        """Return PER detections; `rule` names the kind of cue."""
        types = document.tokens.types
        cues = self._cue_flags.gather(types)
        flags = self._word_flags.gather(types)
        line = NameLine(document, flags, cues, self._part_flags.gather(types), self._word_flags)
        found: list[Detection] = []
        for index in (cues & _CUES).nonzero()[0].tolist():
            found += _names_at_cue(line, index)
        found += signatures(line, (cues & _CLOSING).nonzero()[0].tolist())
        return _split_at_line_ends(document.text, found)


def _split_at_line_ends(text: str, found: Iterable[Detection]) -> list[Detection]:
    """Return the detections. A name that continues on the next line becomes one detection per line."""
    parts: list[Detection] = []
    for detection in found:
        end = text.find("\n", detection.start, detection.end)
        if end < 0:
            parts.append(detection)
        else:
            parts.append(detection._replace(end=end - 1 if text[end - 1] == "-" else end))
            parts.append(detection._replace(start=detection.end - len(text[end : detection.end].lstrip())))
    return parts


def _names_at_cue(line: NameLine, index: int) -> list[Detection]:
    """Return the names around the cue at `index`."""
    cue = line.cues[index]
    if cue & _DATE:
        return list(name_before_date(line, index)) if _may_follow_name(line, index) else []
    if cue & _GLUED:
        return list(_glued_name(line, index))
    # Most cues are a form of address, a role or a field label and nothing else.
    found = _names_at_rare_cue(line, index, cue) if cue & _RARE else []
    if cue & _BEFORE_INITIALS:
        for start_token, end_token in initials_after_dictation(line, index):
            found.append(line.detection(start_token, end_token, PhiType.CLINICIAN, "initials", 0.8))
    elif cue & _BEFORE_NAME:
        found += names_after_cue(line, index)
    return found


def _names_at_rare_cue(line: NameLine, index: int, cue: int) -> list[Detection]:
    """Return the names around a cue of _RARE that names_after_cue does not find."""
    found: list[Detection] = []
    if cue & _BIRTH:
        found += name_before_birth(line, index)
    if cue & _FORMER_NAME:
        found += former_name(line, index)
    if cue & _SIGNED:
        found += names_after_signed(line, index)
    return found


def _glued_name(line: NameLine, index: int) -> Iterator[Detection]:
    """Yield the name in "HerrMuster"."""
    if (match := GLUED_SALUTATION.match(line.word(index))) and not line.flags[index] & COMMON:
        start = line.starts[index] + match.end()
        yield line.detection_of(start, line.ends[index], PhiType.PERSON, "salute", 0.9)


def _may_follow_name(line: NameLine, index: int) -> bool:
    """Whether neither a function word nor another date is before the date. Most notes have many dates."""
    if index == 0:
        return True
    before = line.flags[index - 1]
    return not before & STOP and (bool(before & IS_WORD) or not line.cues[index - 1] & _DATE)
