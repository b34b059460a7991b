"""Find the end of a letter's header (seed 000, Figure 2 and section 4.3).

The header ends at the salutation, the sentence that introduces the patient, or the first section heading, whichever
comes first. letterhead/parts.py divides it into parts.
"""

from __future__ import annotations

import re

from deid_core.core.note import BlockKind, Note
from deid_core.core.word_lists import alternatives
from deid_core.text.literal_prefixes import are_alike, places_of
from deid_core.text.salutation import SALUTATION

_MAX_HEADER_CHARS = 6000
"""A header ends before this character: a note without a salutation is not one long header."""

_SECTION = re.compile(rf"\n[ \t]*(?:{alternatives('letterhead/section-headings')})\b", re.IGNORECASE)
"""With the line end before it, to which the search skips."""
INTRODUCTION = re.compile(
    r"\b(?:(?:wir|ich)\s+(?:berichten?|informieren?|bedanken?|danken?)|(?:nach)?folgend\s+berichten?|vielen\s+dank\s+für\s+die|"
    r"berichten\s+wir|hiermit\s+berichten?)\b",
    re.IGNORECASE,
)
INTRODUCING = ("bericht", "informier", "dank", "bedank")
"""The first or second word of each match of INTRODUCTION begins with one of these in lower case."""
_SECTION_PREFIXES = (
    "diagnos", "dg", "diag", "aufn", "anamnese", "befund", "therapie", "medikation", "epikrise", "verlauf",
    "beurteilung", "kardiovask",
)  # fmt: skip
"""Each match of _SECTION contains one of these in lower case; they are searched first, since it is faster."""


def header_end(note: Note) -> int:
    """Return the end of the header, in code points; 0 if the note has none.

    Tables before it hold header cells; letterhead/parts.py adds page headers, footers and properties.
    """
    length = end = min(len(note.text), _MAX_HEADER_CHARS)
    # Each search ends where the one before found something: the first mark counts.
    if mark := SALUTATION.search(note.text, 0, end):
        end = mark.start()
    before = note.text[:end].lower()
    if mark := introduction(note.text, 0, end, before):
        end = mark.start()
    if any([prefix in before for prefix in _SECTION_PREFIXES]) and (mark := _SECTION.search(f"\n{note.text[:end]}")):
        # The added line end makes up for the one that is found.
        end = mark.start()
    if end < length:
        return end
    cells = [block.end for block in note.blocks_of(BlockKind.HEADER_CELL)]
    return max(cells, default=0)


def introduction(text: str, start: int, end: int, lower: str = "") -> re.Match[str] | None:
    """Return the first match of INTRODUCTION in a range of the text; lower: the range in lower case, if known.

    It is tried at the words that may begin one alone (literal_prefixes.py).
    """
    lower = lower or text[start:end].lower()
    if not are_alike(lower, start, end):
        return INTRODUCTION.search(text, start, end)
    for place in sorted(start + place for prefix in INTRODUCING for place in places_of(prefix, lower)):
        if _is_in_word(text, place - 1):
            continue
        before = place
        while before and text[before - 1].isspace():
            before -= 1
        while _is_in_word(text, before - 1):
            before -= 1
        for first in (before, place):
            if first >= start and (mark := INTRODUCTION.match(text, first, end)):
                return mark
    return None


def _is_in_word(text: str, at: int) -> bool:
    return at >= 0 and (text[at].isalnum() or text[at] == "_")
