"""Find the end of a letter's header (seed 000, Figure 2 and section 4.3).

The header ends at the salutation, the sentence that introduces the patient, or the first section heading, whichever
comes first. letterhead/parts.py divides it into parts.
"""

from __future__ import annotations

import re

from deid_core.core.note import BlockKind, Note
from deid_core.core.word_lists import alternatives
from deid_core.text.salutation import SALUTATION

_MAX_HEADER_CHARS = 6000
"""A header ends before this character: a note without a salutation is not one long header."""

_SECTION = re.compile(rf"^[ \t]*(?:{alternatives('letterhead/section-headings')})\b", re.IGNORECASE | re.MULTILINE)
INTRODUCTION = re.compile(
    r"\b(?:(?:wir|ich)\s+(?:berichten?|informieren?|bedanken?|danken?)|(?:nach)?folgend\s+berichten?|vielen\s+dank\s+für\s+die|"
    r"berichten\s+wir|hiermit\s+berichten?)\b",
    re.IGNORECASE,
)
INTRODUCING = ("bericht", "informier", "dank")
"""Each match of INTRODUCTION contains one of these in lower case; they are searched first, since it is faster."""
_SECTION_STEMS = (
    "diagnos", "dg", "diag", "aufn", "anamnese", "befund", "therapie", "medikation", "epikrise", "verlauf",
    "beurteilung", "kardiovask",
)  # fmt: skip
"""The same for _SECTION."""


def header_end(note: Note) -> int:
    """Return the end of the header, in code points; 0 if the note has none.

    Tables before it hold header cells; letterhead/parts.py adds page headers, footers and properties.
    """
    length = end = min(len(note.text), _MAX_HEADER_CHARS)
    # Each search ends where the one before found something: the first mark counts.
    if mark := SALUTATION.search(note.text, 0, end):
        end = mark.start()
    before = note.text[:end].lower()
    if any([stem in before for stem in INTRODUCING]) and (mark := INTRODUCTION.search(note.text, 0, end)):
        end = mark.start()
    if any([stem in before for stem in _SECTION_STEMS]) and (mark := _SECTION.search(note.text, 0, end)):
        end = mark.start()
    if end < length:
        return end
    cells = [block.end for block in note.blocks_of(BlockKind.HEADER_CELL)]
    return max(cells, default=0)
