"""Signs in a table's column whose heading says so: below "Zeichen", beside the values of an hour.

The heading is a cell of its own ("Hdz."), not the first of its row. A cell below may hold two signs, with a slash
between them.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.recognisers.person_names.walk import NameWalk
from deid_core.recognisers.staff_initials.words import SIGN

HEADING = 67108864
"""Bit of words that are a column's heading above signs."""
_HEADINGS = frozenset(
    """
    zeichen handzeichen handz hdz hz kürzel krzl signum sign sig signatur paraphe unterschrift unterschr untersch visum
    vis durch erfasst dokumentiert gegeben verabreicht ausgeführt befunder untersucher bearbeiter durchgeführt
    """.split()
)
_ANSWERS = frozenset("ja Ja nein Nein neg neg. pos pos. ob oB ok OK".split())
_SIGNED = re.compile(rf" *{SIGN.pattern}(?: ?[/,+] ?{SIGN.pattern})* *")
_SCORE = 0.8


def heading_bits(word: str) -> int:
    """The bit of a word."""
    return HEADING if word.rstrip(".").lower() in _HEADINGS else 0


def column_signs(walk: NameWalk, text: str, bits: npt.NDArray[np.uint32]) -> Iterator[tuple[int, int, float]]:
    """Where in the text each sign begins and ends, and its score; bits: heading_bits of each token."""
    places = ((walk.starts[index], walk.ends[index]) for index in np.flatnonzero(bits & HEADING).tolist())
    headings = deque(
        start
        for start, end in places
        if text[start - 1 : start] == "\t" and text.startswith(("\t", "\n", ".", ":"), end)
    )
    # Each row is read once, however many headings its columns have: "gegeben" is a usual value, too.
    columns: set[int] = set()
    row = 0
    while headings or columns:
        if not columns:
            row = text.rfind("\n", 0, headings[0]) + 1
        end = text.find("\n", row)
        cells = text[row : end if end >= 0 else len(text)].split("\t")
        columns = {column for column in columns if column < len(cells)}
        at = row
        for column, cell in enumerate(cells):
            if column in columns:
                yield from _signs(cell, at)
            if headings and headings[0] == at:
                headings.popleft()
                columns.add(column)
            at += len(cell) + 1
        if end < 0:
            return
        row = end + 1


def _signs(cell: str, at: int) -> Iterator[tuple[int, int, float]]:
    """The signs of a cell that begins there."""
    if _SIGNED.fullmatch(cell):
        for sign in SIGN.finditer(cell):
            if sign.group() not in _ANSWERS:
                yield at + sign.start(), at + sign.end(), _SCORE
