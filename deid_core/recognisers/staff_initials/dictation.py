"""Signs and names behind a word of dictation: "Diktat Mu", "geschr. 3.4. kb", "Diktat Prof. gr/ Schreibb. wm".

The words (the trigger DICTATED) announce nothing else, so what stands behind them, or behind a date or "von", need not
end its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.flags import CAPITALISED, COMMON, STOP
from deid_core.recognisers.person_names.walk import NameWalk
from deid_core.recognisers.staff_initials.words import BETWEEN, SIGN, UNITS

_DATE = CueFlag.DATE.value
_TITLE = CueFlag.TITLE.value
_DATE_LIKE = re.compile(r"\d{1,2}[.:/]\d.*|\d{1,2}\.?")
_MAX_BETWEEN = 7


def behind_dictation(walk: NameWalk, index: int) -> Iterator[tuple[int, int]]:
    """The token ranges of the signs and names behind a word of dictation at `index`."""
    at = index + 1
    while at < min(len(walk), index + _MAX_BETWEEN) and not walk.breaks[at]:
        word = walk.word(at)
        if not (word.lower() in BETWEEN or _DATE_LIKE.fullmatch(word) or walk.triggers[at] & (_TITLE | _DATE)):
            break
        at += 1
    while at < len(walk) and not walk.breaks[at]:
        if is_sign(walk, at):
            found = (at, at + 1)
        elif walk.bits[at] & CAPITALISED and (named := walk.walk(at)) and walk.likely(*named, listed=False):
            found = named
        else:
            return
        yield found
        if walk.word(found[1]) not in {"/", ":"}:
            return
        at = found[1] + 1


def is_sign(walk: NameWalk, index: int) -> bool:
    """Whether a token may be a sign: a few letters that are no word, or that end a line or pair."""
    word = walk.word(index)
    if not SIGN.fullmatch(word) or walk.bits[index] & STOP or word.lower() in UNITS or walk.triggers[index]:
        return False
    return not walk.bits[index] & COMMON or walk.word(index + 1) == "/" or walk.ends_clause(index)
