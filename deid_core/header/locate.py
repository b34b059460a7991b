"""Where a letter's header is, and what each of its parts is about (seed 000, Figure 2 and section 4.3).

The header is all that stands before the salutation, the sentence that introduces the patient, or the first
section heading, whichever comes first; page headers, page footers and document properties belong to it wherever
they stand. A part is a table cell, a page header or a group of lines without a blank line between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

from deid_core.header.salutation import SALUTATION
from deid_core.note import BlockKind, Note


class Role(StrEnum):
    """What a part of the header is about."""

    ADDRESSEE = "addressee"
    CLINIC = "clinic"
    COPY = "copy"
    """Headed "Nachrichtlich:" and the like; the cell that most often holds the patient's address."""
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


# Behind these many characters nothing is a header any more: a note without salutation is not one long header.
_MAX_HEADER_CHARS = 6000

_SECTION = re.compile(
    r"^[ \t]*(?:(?:haupt|neben|aktuelle |entlassungs|aufnahme|dauer)?diagnosen?|d(?:ia)?g|aufn|(?:eigen)?anamnese|"
    r"befunde?|aufnahmegrund|therapie|medikation|epikrise|verlauf|beurteilung|kardiovaskuläre risikofaktoren)\b",
    re.IGNORECASE | re.MULTILINE,
)
INTRODUCTION = re.compile(
    r"\b(?:(?:wir|ich)\s+(?:berichten?|informieren?|bedanken?|danken?)|(?:nach)?folgend\s+berichten?|vielen\s+dank\s+für\s+die|"
    r"berichten\s+wir|hiermit\s+berichten?)\b",
    re.IGNORECASE,
)
INTRODUCING = ("bericht", "informier", "dank")
"""What each match of INTRODUCTION has in lower case; the expression takes its time."""
_SECTION_STEMS = (
    "diagnos", "dg", "diag", "aufn", "anamnese", "befund", "therapie", "medikation", "epikrise", "verlauf",
    "beurteilung", "kardiovask",
)  # fmt: skip
"""The same of _SECTION."""
_PARAGRAPH = BlockKind.PARAGRAPH
_HEADER_BLOCKS = {
    BlockKind.PAGE_HEADER: Role.PAGE,
    BlockKind.PAGE_FOOTER: Role.PAGE,
    BlockKind.PROPERTY: Role.PROPERTY,
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
_CLINIC_SIGNS = re.compile(
    r"\b(?:tel(?:efon|\.)?|fax|telefax|www\.|abteilung|direktor(?:in)?|chef(?:arzt|ärztin)|oberarzt|station|ambulanz|sekretariat|"
    r"klinik(?:um)?|krankenhaus|zentrum|universität\w*|pforte|durchwahl|sprechstunde|leitung|e-?mail)\b|@",
    re.IGNORECASE,
)
_SUBJECT_STEMS = ("betr", "pat", "unser", "geb", "*")
_CLINIC_STEM = re.compile(
    r"tel|fax|www\.|abteilung|direktor|chef|oberarzt|station|ambulanz|sekretariat|klinik|krankenhaus|zentrum|universität|"
    r"pforte|durchwahl|sprechstunde|leitung|mail|@"
)
"""What each match of _SUBJECT and _CLINIC_SIGNS has in lower case."""
_ADDRESS = re.compile(
    r"(?<!\d)(?:[A-Z]{1,2}-)?\d{4,5} +[A-ZÄÖÜ]|\b(?:herrn?|frau|praxis|gemeinschaftspraxis|an\s+d(?:ie|en|as))\b",
    re.IGNORECASE,
)


def header_end(note: Note) -> int:
    """Where the header of the body ends, in code points; 0 if the note has none.

    Tables before that point hold header cells; `locate` adds page headers, footers and properties.
    """
    length = end = min(len(note.text), _MAX_HEADER_CHARS)
    # Not beyond what was found: the first mark counts.
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


def locate(note: Note, end: int | None = None) -> list[Part]:
    """The header's parts with their roles, in the order of the text; end: header_end of the note, if it is known."""
    end = header_end(note) if end is None else end
    parts = [Part(_role(note.text, start, stop), start, stop) for start, stop in _groups(note, end)]
    for block in note.blocks:
        # Nearly all blocks are paragraphs.
        role = None if block.kind is _PARAGRAPH else _HEADER_BLOCKS.get(block.kind)
        if role is not None and block.start >= end and block.start < block.end:
            parts.append(Part(role, block.start, block.end))
    return parts


def _groups(note: Note, end: int) -> Iterator[tuple[int, int]]:
    """Cells where blocks tell them, else what tabs and blank lines part; without blank ranges."""
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
    lowered = text[start:end].lower()
    if any([stem in lowered for stem in _SUBJECT_STEMS]) and _SUBJECT.search(text, start, end):
        return Role.SUBJECT
    sign = ""
    for found in _CLINIC_SIGNS.finditer(text, start, end) if _CLINIC_STEM.search(lowered) else ():
        if sign and found.group().lower() != sign:
            # Two different ones.
            return Role.CLINIC
        sign = found.group().lower()
    if _ADDRESS.search(text, start, end):
        return Role.ADDRESSEE
    return Role.CLINIC if sign else Role.OTHER
