"""Names of who did something, and names that an initial announces.

"Aufnahme durch Muster", "Übergabe an Muster", "lt. Muster"; "(S. Muster)", "gesehen von H. v. d. Muster". Only words
that a list of surnames has count behind "durch": drugs and measures stand there more often. Called by recogniser.py for
the triggers AGENT and INITIAL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.flags import CAPITALISED, COMMON, GIVEN_NAME, STOP, SURNAME
from deid_core.recognisers.person_names.walk import NameWalk

_INITIAL = CueFlag.INITIAL.value
_PREPOSITIONS = frozenset("an mit durch von bei m. d. v.".split())
_NAMED_DIRECTLY = frozenset("durch laut lt vertretung übernimmt".split())
_GREETINGS = frozenset(("lieber", "liebe", "hallo"))
_AND = frozenset(("/", "und", "u.", "u"))
_MAX_NAMES = 4
_LATIN = re.compile(r"(?:us|is|ae|um|ans|oli|ori|ile|gens|niae)$", re.IGNORECASE)
"""Endings of bacteria, muscles and nerves: "E. Coli", "C. Difficile", "M. Biceps brachialis"."""
_MEANS_ANATOMY = frozenset("A. M. N. R. V. E. Z. D. O. I.".split())
"""Arteria, Morbus or Musculus, Nervus, Ramus, Vena; "E. n.", "Z. n.", "O. B."; the Roman one."""
_BEFORE_INITIAL = frozenset("( , / : ; - – + & und u. von durch vom bei an mit für".split())


def behind_agent(walk: NameWalk, index: int) -> Iterator[Detection]:
    """The names behind "durch", "Übergabe an" and the like, with those that a slash or "und" adds."""
    if walk.word(index).lower() in _GREETINGS:
        yield from _greeted(walk, index)
        return
    at = walk.past_stop(index)
    if walk.word(at).lower() in _PREPOSITIONS and walk.adjacent(at):
        at += 1 + (walk.word(at + 1) == ".")
    elif walk.word(index).lower() not in _NAMED_DIRECTLY:
        return
    for _ in range(_MAX_NAMES):
        named = walk.walk(at, small=walk.small_note) if at < len(walk) and walk.adjacent(at) else None
        if named is None or not _is_surname(walk, *named):
            return
        yield walk.detection(*named, PhiType.CLINICIAN, "agent", 0.6)
        if walk.word(named[1]) not in _AND:
            return
        at = named[1] + 1


def behind_initial(walk: NameWalk, index: int) -> Iterator[Detection]:
    """A surname with the initial before it, where a name may begin: at a line's beginning, behind a mark or "von"."""
    if not (walk.opens_column(index) or walk.word(index - 1).lower() in _BEFORE_INITIAL):
        return
    if walk.word(index - 1) == "-" and index and walk.starts[index] == walk.ends[index - 1]:
        # The second of "H.-J. Muster".
        return
    named = walk.walk(index)
    if named is None:
        return
    words = [i for i in range(*named) if not walk.triggers[i] & _INITIAL and not walk.is_particle(i)]
    if not words or any(walk.bits[i] & STOP or _LATIN.search(walk.word(i)) for i in words):
        return
    last = words[-1]
    listed = bool(walk.bits[last] & SURNAME)
    if walk.word(index) in _MEANS_ANATOMY and not (listed and not walk.bits[last] & COMMON):
        return
    if walk.bits[last] & CAPITALISED and (listed or (walk.rare(last) and not walk.word(last).isupper())):
        yield walk.detection(*named, PhiType.CLINICIAN, "initial", 0.75 if listed else 0.6)


def _greeted(walk: NameWalk, index: int) -> Iterator[Detection]:
    """Who is greeted at a line's beginning: "Lieber Maro,"."""
    first = index + 1
    if not (walk.opens_column(index) and walk.adjacent(first)):
        return
    named = walk.walk(first, small=not walk.bits[index] & CAPITALISED)
    if named is not None and walk.word(named[1]) in {",", "!"} and walk.likely(*named, listed=False):
        yield walk.detection(*named, PhiType.CLINICIAN, "greeting", 0.8)


def _is_surname(walk: NameWalk, first: int, last: int) -> bool:
    """Whether the words have a surname of the list that is no common word, or are hyphenated with one."""
    if walk.is_initial(first, small=walk.small_note) and any(walk.rare(i) for i in range(first + 1, last)):
        return True
    for index in range(first, last):
        bits = walk.bits_of(index)
        if bits & SURNAME and not bits & (COMMON | STOP):
            return True
        if bits & GIVEN_NAME and not bits & (COMMON | STOP) and last > first + 1:
            return True
        if walk.listed_part(index):
            return True
    return False
