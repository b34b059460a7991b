"""Initials that end the last sentence of several lines: entries of a daily record, signed by their writers.

"… stabil. st": letters in lower case after a full stop at the end of a line, several times in the same note.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.flags import CAPITALISED, COMMON, IS_WORD, STOP
from deid_core.recognisers.person_names.name_line import NameLine
from deid_core.recognisers.staff_initials.words import UNITS

_MIN_LINES = 3
"""Number of lines that must end with a common word for it to count as initials."""
_MIN_LINES_RARE = 2
_MAX_LETTERS = 6
_WORD_CASE_OR_STOP = IS_WORD | CAPITALISED | STOP


def line_end_initials(line: NameLine, flags: npt.NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    """Yield the token ranges of the initials; flags: word flags of each token."""
    tokens = line.document.tokens
    types, breaks = tokens.types, tokens.breaks
    if len(types) < _MIN_LINES:
        return
    full_stop = line.document.vocabulary.number(".")
    ends_line = (types[:-1] == full_stop) & ((flags[1:] & _WORD_CASE_OR_STOP) == IS_WORD)
    ends_line[:-1] &= breaks[2:]
    found = [i for i in (np.flatnonzero(ends_line) + 1).tolist() if len(line.word(i)) <= _MAX_LETTERS]
    if len(found) < _MIN_LINES_RARE:
        return
    times = Counter(line.word(i) for i in found)
    for index in found:
        needed = _MIN_LINES if line.flags[index] & COMMON else _MIN_LINES_RARE
        if times[line.word(index)] >= needed and line.word(index) not in UNITS and not line.cues[index]:
            yield index, index + 1
