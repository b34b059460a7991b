"""Signs in a table's column whose heading says so: below "Zeichen", beside the values of an hour.

The heading is a cell of its own ("Hdz."), not the first of its row. A cell below may hold two signs, with a slash
between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.recognise.context.name_walk import NameWalk
from deid_core.recognise.signs.words import SIGN

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
    for index in np.flatnonzero(bits & HEADING).tolist():
        start = text.rfind("\n", 0, walk.starts[index]) + 1
        before = text[start : walk.starts[index]]
        if before.endswith("\t") and text.startswith(("\t", "\n", ".", ":"), walk.ends[index]):
            yield from _below(text, text.find("\n", start), before.count("\t"))


def _below(text: str, end: int, column: int) -> Iterator[tuple[int, int, float]]:
    """Signs in this column of the rows below a line that ends there."""
    while end >= 0:
        start, end = end + 1, text.find("\n", end + 1)
        cells = text[start : end if end >= 0 else len(text)].split("\t")
        if len(cells) <= column:
            return
        at = start + sum(len(cell) + 1 for cell in cells[:column])
        if _SIGNED.fullmatch(cells[column]):
            for sign in SIGN.finditer(cells[column]):
                if sign.group() not in _ANSWERS:
                    yield at + sign.start(), at + sign.end(), _SCORE
