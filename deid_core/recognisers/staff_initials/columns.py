"""Initials in a table column with a heading for them: below "Zeichen", next to the values of an hour.

The heading is a whole cell ("Hdz."), and not the first of its row. A cell below can hold two initials and a slash.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.core.word_lists import word_set
from deid_core.recognisers.person_names.name_line import NameLine
from deid_core.recognisers.staff_initials.flags import InitialsFlag
from deid_core.recognisers.staff_initials.words import INITIALS

_HEADING = InitialsFlag.COLUMN_HEADING.value
_HEADINGS = word_set("staff_initials/column-headings")
_ANSWERS = word_set("staff_initials/answers")
_INITIALS_CELL = re.compile(rf" *{INITIALS.pattern}(?: ?[/,+] ?{INITIALS.pattern})* *")
_SCORE = 0.8


def heading_flags(word: str) -> int:
    """Return COLUMN_HEADING for a heading, else 0."""
    return _HEADING if word.rstrip(".").lower() in _HEADINGS else 0


def column_initials(line: NameLine, flags: npt.NDArray[np.uint32]) -> Iterator[tuple[int, int, float]]:
    """Yield start, end and score of initials, in characters; flags: heading_flags of each token."""
    text = line.text
    ranges = ((line.starts[index], line.ends[index]) for index in np.flatnonzero(flags & _HEADING).tolist())
    headings = deque(
        start
        for start, end in ranges
        if text[start - 1 : start] == "\t" and text.startswith(("\t", "\n", ".", ":"), end)
    )
    # Each row is read once, however many headings its columns have. "gegeben" is a usual value as well.
    columns: set[int] = set()
    row = 0
    while headings or columns:
        if not columns:
            row = text.rfind("\n", 0, headings[0]) + 1
        row_end = text.find("\n", row)
        cells = text[row : row_end if row_end >= 0 else len(text)].split("\t")
        columns = {column for column in columns if column < len(cells)}
        at = row
        for column, cell in enumerate(cells):
            if column in columns:
                yield from _initials_in_cell(cell, at)
            if headings and headings[0] == at:
                headings.popleft()
                columns.add(column)
            at += len(cell) + 1
        if row_end < 0:
            return
        row = row_end + 1


def _initials_in_cell(cell: str, start: int) -> Iterator[tuple[int, int, float]]:
    """Yield the initials of a cell that begins at `start`."""
    if _INITIALS_CELL.fullmatch(cell):
        for initials in INITIALS.finditer(cell):
            if initials.group() not in _ANSWERS:
                yield start + initials.start(), start + initials.end(), _SCORE
