"""The model of a letter before any file format: its text and what in it identifies somebody.

`rendering.py` makes a note with gold spans of it, `docx_file.py` a Word document; both keep to the order and the
separators of deid_core/reading, so that the offsets of the one hold for the text read from the other.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import NamedTuple

from deid_core.core.labels import PhiType


class Phi(NamedTuple):
    """A piece of text that identifies somebody, without the blanks around it."""

    text: str
    type: PhiType


Piece = str | Phi
Pieces = tuple[Piece, ...]
Paragraph = Pieces
"""Pieces one after the other; a newline in a literal piece is a line break within the paragraph."""
Cell = tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class LetterTable:
    """Rows of cells; every row has as many cells as the first."""

    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Letter:
    """A whole document. date: of the letter; title and author: document properties, empty where they are not set."""

    date: dt.date
    body: tuple[Paragraph | LetterTable, ...]
    page_header: tuple[Paragraph, ...] = ()
    page_footer: tuple[Paragraph, ...] = ()
    title: Paragraph = ()
    author: Paragraph = ()


def text_of(pieces: Pieces) -> str:
    """The pieces' text."""
    return "".join([piece if piece.__class__ is str else piece[0] for piece in pieces])
