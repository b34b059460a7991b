"""Names of those who did something, and surnames after an initial.

"Aufnahme durch Muster", "Übergabe an Muster", "lt. Muster". "(S. Muster)", "gesehen von H. v. d. Muster". After "durch"
only listed surnames count, because drugs and measures are more frequent there. The cues are AGENT and INITIAL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.flags import CAPITALISED, COMMON, GIVEN_NAME, STOP, SURNAME
from deid_core.recognisers.person_context.after_cue import past_full_stop
from deid_core.recognisers.person_names.name_line import NameLine
from deid_core.recognisers.person_names.names import name_at

_INITIAL = CueFlag.INITIAL.value

_PREPOSITIONS = frozenset(("an", "mit", "durch", "von", "bei", "m.", "d.", "v."))
_WITHOUT_PREPOSITION = frozenset(("durch", "laut", "lt", "vertretung", "übernimmt"))
_GREETINGS = frozenset(("lieber", "liebe", "hallo"))
_AND = frozenset(("/", "und", "u.", "u"))
_MAX_NAMES = 4
_LATIN = re.compile(r"(?:us|is|ae|um|ans|oli|ori|ile|gens|niae)$", re.IGNORECASE)
"""Endings of bacteria, muscles and nerves: "E. Coli", "C. Difficile", "M. Biceps brachialis"."""
_MEDICAL_INITIALS = frozenset(("A.", "M.", "N.", "R.", "V.", "E.", "Z.", "D.", "O.", "I."))
"""Arteria, Morbus or Musculus, Nervus, Ramus, Vena; "E. n.", "Z. n.", "O. B."; the Roman numeral."""
_BEFORE_INITIAL = frozenset("(,/:;-–+&") | frozenset(
    ("und", "u.", "von", "durch", "vom", "bei", "an", "mit", "für"),
)


def names_after_agent(line: NameLine, index: int) -> Iterator[Detection]:
    """Yield the names after "durch", "Übergabe an" and the like, with those added by a slash or "und"."""
    cue = line.word(index).lower()
    if cue in _GREETINGS:
        yield from _greeted(line, index)
        return
    at = past_full_stop(line, index)
    if line.word(at).lower() in _PREPOSITIONS and line.adjacent(at):
        at += 1 + (line.word(at + 1) == ".")
    elif cue not in _WITHOUT_PREPOSITION:
        return
    for _ in range(_MAX_NAMES):
        name = name_at(line, at, lower=line.lower_case_note) if at < line.count and line.adjacent(at) else None
        if name is None or not _has_surname(line, *name):
            return
        yield line.detection(*name, PhiType.CLINICIAN, "agent", 0.6)
        if line.word(name[1]) not in _AND:
            return
        at = name[1] + 1


def name_with_initial(line: NameLine, index: int) -> Iterator[Detection]:
    """Yield a surname with its initial where a name can begin: at the start of a line, after a mark or "von"."""
    if not (line.opens_column(index) or line.word(index - 1).lower() in _BEFORE_INITIAL):
        return
    if line.word(index - 1) == "-" and index and line.starts[index] == line.ends[index - 1]:
        # The second initial of "H.-J. Muster".
        return
    name = name_at(line, index)
    if name is None:
        return
    words = [i for i in range(*name) if not line.cues[i] & _INITIAL and not line.is_particle(i)]
    if not words or any(line.flags[i] & STOP or _LATIN.search(line.word(i)) for i in words):
        return
    surname = words[-1]
    listed = bool(line.flags[surname] & SURNAME)
    if line.word(index) in _MEDICAL_INITIALS and not (listed and not line.flags[surname] & COMMON):
        return
    if line.flags[surname] & CAPITALISED and (listed or (line.is_rare(surname) and not line.word(surname).isupper())):
        yield line.detection(*name, PhiType.CLINICIAN, "initial", 0.75 if listed else 0.6)


def _greeted(line: NameLine, index: int) -> Iterator[Detection]:
    """Yield the name of the person greeted at the start of a line: "Lieber Maro,"."""
    start_token = index + 1
    if not (line.opens_column(index) and line.adjacent(start_token)):
        return
    name = name_at(line, start_token, lower=not line.flags[index] & CAPITALISED)
    if name is not None and line.word(name[1]) in {",", "!"} and line.is_likely(*name, listed=False):
        yield line.detection(*name, PhiType.CLINICIAN, "greeting", 0.8)


def _has_surname(line: NameLine, start_token: int, end_token: int) -> bool:
    """Whether a word is a listed surname and no common word, or is hyphenated with one."""
    if line.is_initial(start_token, lower=line.lower_case_note) and any(
        line.is_rare(i) for i in range(start_token + 1, end_token)
    ):
        return True
    for index in range(start_token, end_token):
        flags = line.flags_as_capitalised(index)
        if flags & SURNAME and not flags & (COMMON | STOP):
            return True
        if flags & GIVEN_NAME and not flags & (COMMON | STOP) and end_token > start_token + 1:
            return True
        if line.has_listed_part(index):
            return True
    return False
