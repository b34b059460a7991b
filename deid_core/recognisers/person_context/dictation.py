"""Initials and names after a cue word for dictation: "Diktat Mu", "geschr. 3.4. kb", "Diktat Prof. gr/ Schreibb. wm".

These cue words (DICTATION) have no other use. So what follows them, a date or "von" need not end its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.word_flags import CAPITALISED, COMMON, STOP
from deid_core.recognisers.person_context.initials import BETWEEN, INITIALS, UNITS
from deid_core.recognisers.person_context.name_line import NameLine
from deid_core.recognisers.person_context.name_reader import name_at

_TITLE_OR_DATE = (CueFlag.TITLE | CueFlag.DATE).value
_DATE_LIKE = re.compile(r"\d{1,2}[.:/]\d.*|\d{1,2}\.?")
_MAX_BETWEEN = 7


def initials_after_dictation(line: NameLine, index: int) -> Iterator[tuple[int, int]]:
    """Yield the token ranges of the initials and names after a cue word for dictation at `index`."""
    at = index + 1
    while at < min(line.count, index + _MAX_BETWEEN) and not line.breaks[at]:
        word = line.word(at)
        if not (word.lower() in BETWEEN or _DATE_LIKE.fullmatch(word) or line.cues[at] & _TITLE_OR_DATE):
            break
        at += 1
    while at < line.count and not line.breaks[at]:
        if is_initials(line, at):
            found = (at, at + 1)
        elif line.flags[at] & CAPITALISED and (name := name_at(line, at)) and line.is_likely(*name, listed=False):
            found = name
        else:
            return
        yield found
        if line.word(found[1]) not in {"/", ":"}:
            return
        at = found[1] + 1


def is_initials(line: NameLine, index: int) -> bool:
    """Whether the token can be initials: a few letters that are no word, or that end a line or pair."""
    word = line.word(index)
    if not INITIALS.fullmatch(word) or line.flags[index] & STOP or word.lower() in UNITS or line.cues[index]:
        return False
    return not line.flags[index] & COMMON or line.word(index + 1) == "/" or line.ends_clause(index)
