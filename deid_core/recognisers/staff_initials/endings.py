"""Signs that end the last sentence of several lines: entries of a daily record, signed by their writers.

"… stabil. st": small letters behind a full stop at a line's end, of which the note has the same several times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.flags import CAPITALISED, COMMON, IS_WORD, STOP
from deid_core.recognisers.person_names.walk import NameWalk
from deid_core.recognisers.staff_initials.words import UNITS
from deid_core.text.document import Document

_MIN_ENDINGS = 3
"""So many lines must end with a common word for it to be a sign."""
_MIN_RARE_ENDINGS = 2
_MAX_LETTERS = 6


def endings(document: Document, walk: NameWalk, bits: npt.NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    """The token ranges of the signs.

    bits: wordlists' bits of each token.
    """
    types, breaks = document.tokens.types, document.tokens.breaks
    if len(types) < _MIN_ENDINGS:
        return
    stop = document.vocabulary.number(".")
    last = (types[:-1] == stop) & ((bits[1:] & (IS_WORD | CAPITALISED | STOP)) == IS_WORD)
    last[:-1] &= breaks[2:]
    found = [i for i in (np.flatnonzero(last) + 1).tolist() if len(walk.word(i)) <= _MAX_LETTERS]
    if len(found) < _MIN_RARE_ENDINGS:
        return
    times = Counter(walk.word(i) for i in found)
    for index in found:
        needed = _MIN_ENDINGS if walk.bits[index] & COMMON else _MIN_RARE_ENDINGS
        if times[walk.word(index)] >= needed and walk.word(index) not in UNITS and not walk.triggers[index]:
            yield index, index + 1
