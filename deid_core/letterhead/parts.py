"""Divide a letter's header into parts and classify each (seed 000, Figure 2 and section 4.3).

A part is a table cell, a page header or a group of lines without a blank line between them. Page headers, page footers
and document properties always belong to the header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

from deid_core.core.note import BlockKind, Note
from deid_core.core.word_lists import alternatives, word_set
from deid_core.text.document import Document
from deid_core.text.header_end import INTRODUCTION, header_end
from deid_core.text.literal_prefixes import prefix_matches
from deid_core.text.salutation import SALUTATION


def _beginnings(words: Set[str]) -> tuple[str, ...]:
    """Return the words that begin with no other one."""
    return tuple(sorted(word for word in words if not any(word.startswith(other) for other in words - {word})))


class Role(StrEnum):
    """The subject of a part of the header."""

    ADDRESSEE = "addressee"
    CLINIC = "clinic"
    COPY = "copy"
    """Begins with "Nachrichtlich:" or the like; most often the cell with the patient's address."""
    SUBJECT = "subject"
    PAGE = "page"
    PROPERTY = "property"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Part:
    """A range [start, end) of the note's text and its role."""

    role: Role
    start: int
    end: int


_MAX_LINE_CHARS = 100
"""A line of a letterhead is shorter; a longer one is a sentence."""
_PARAGRAPH = BlockKind.PARAGRAPH
_HEADER_BLOCKS = {
    BlockKind.PAGE_HEADER: Role.PAGE,
    BlockKind.PAGE_FOOTER: Role.PAGE,
    BlockKind.PROPERTY: Role.PROPERTY,
    BlockKind.AUTHOR: Role.PROPERTY,
}

_GAP = re.compile(r"\t+|\n[ \t]*\n\s*")
_COPY = re.compile(
    r"\s*(?:nachrichtlich|zur\s+kenntnis|z\.\s?k\.|(?:in\s+)?kopie\s+(?:an)?|durchschrift|verteiler|cc\s*:)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\b(?:betr(?:eff|\.)?\s*:|betrifft\b|pat(?:ient(?:in)?|\.)?\s*:|unser(?:e)?\s+gemeinsamer?\s+patient(?:in)?|geb(?:oren)?\.?\s+(?:am\s+)?\d|\*\s?\d)",
    re.IGNORECASE,
)
_CLINIC_SIGNS = re.compile(rf"\b(?:{alternatives('letterhead/clinic-signs')}|universität\w*)\b|@", re.IGNORECASE)
_SUBJECT_PREFIXES = ("betr", "pat", "unser", "geb", "*")
_CLINIC_PREFIXES = _beginnings({*word_set("letterhead/clinic-signs"), "universität", "@"})
"""Each match of _SUBJECT and of _CLINIC_SIGNS begins with one of these, in lower case."""
_POSTCODE_AND_TOWN = re.compile(r"\d(?<!\d\d)\d{3,4} +(?i:[A-ZÄÖÜ])")
_ADDRESSED = re.compile(
    r"[hHfFpPgGaA](?<=\b.)(?i:(?<=h)errn?|(?<=f)rau|(?<=p)raxis|(?<=g)emeinschaftspraxis|(?<=a)n\s+d(?:ie|en|as))\b"
)
"""Both begin with the class of their first characters: a search for it is several times faster than one that tries each
alternative at each character."""


def locate(note: Note, end: int | None = None) -> list[Part]:
    """Return the header's parts with their roles, in the order of the text; end: header_end of the note, if known."""
    end = header_end(note) if end is None else end
    parts = [Part(_role(note.text, start, stop), start, stop) for start, stop in _groups(note, end)]
    for block in note.blocks:
        # Most blocks are paragraphs.
        role = None if block.kind is _PARAGRAPH else _HEADER_BLOCKS.get(block.kind)
        if role is not None and block.start >= end and block.start < block.end:
            parts.append(Part(role, block.start, block.end))
    return parts


def header_of(document: Document) -> list[Part]:
    """Return the parts of a document's header, located once."""
    return document.shared(header_of, lambda: locate(document.note, document.header_end))


def letterhead_parts(note: Note, end: int | None = None) -> list[Part]:
    """Return the parts of the header that look like a letterhead.

    What a salutation or the introducing sentence ends is a letterhead. A header that ends at the first section heading
    may hold findings as well: of it a part belongs if it has a role and no line of running text; end: as in `locate`.
    """
    end = header_end(note) if end is None else end
    parts = locate(note, end)
    if SALUTATION.match(note.text, end) or INTRODUCTION.match(note.text, end):
        return parts
    return [part for part in parts if part.role is not Role.OTHER and not _has_long_line(note.text, part)]


def _has_long_line(text: str, part: Part) -> bool:
    return any(len(line) > _MAX_LINE_CHARS for line in text[part.start : part.end].split("\n"))


def _groups(note: Note, end: int) -> Iterator[tuple[int, int]]:
    """Yield the cells of tables, else ranges between tabs and blank lines; without ranges of blanks."""
    before = takewhile(lambda block: block.start <= end, note.blocks)
    cells = [b for b in before if b.kind in (BlockKind.HEADER_CELL, BlockKind.TABLE_CELL) and b.end <= end]
    at = 0
    for cell in cells:
        yield from _split(note.text, at, cell.start)
        if note.text[cell.start : cell.end].strip():
            yield cell.start, cell.end
        at = cell.end
    yield from _split(note.text, at, end)


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for gap in _GAP.finditer(text, start, end):
        if text[at : gap.start()].strip():
            yield at, gap.start()
        at = gap.end()
    if text[at:end].strip():
        yield at, end


def _role(text: str, start: int, end: int) -> Role:
    if _COPY.match(text, start, end):
        return Role.COPY
    lower = text[start:end].lower()
    if any(prefix_matches(_SUBJECT, _SUBJECT_PREFIXES, text, start, end, lower)):
        return Role.SUBJECT
    sign = ""
    for found in prefix_matches(_CLINIC_SIGNS, _CLINIC_PREFIXES, text, start, end, lower):
        if sign and found.group().lower() != sign:
            # Two different signs.
            return Role.CLINIC
        sign = found.group().lower()
    if _POSTCODE_AND_TOWN.search(text, start, end) or _ADDRESSED.search(text, start, end):
        return Role.ADDRESSEE
    return Role.CLINIC if sign else Role.OTHER
