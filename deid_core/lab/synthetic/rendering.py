"""From a letter to its note and gold spans, through the builder that every reader of files uses."""

from __future__ import annotations

from collections.abc import Sequence

from deid_core.core.labels import TYPES
from deid_core.core.note import BlockKind, Note
from deid_core.core.spans import GoldSpan
from deid_core.lab.synthetic.letter import Letter, LetterTable, Paragraph, Piece, Pieces, text_of
from deid_core.readers.canonical import CanonicalBuilder

_LABELS = {phi_type: entry.label for phi_type, entry in TYPES.items()}


def render(letter: Letter, note_id: str, year: int) -> tuple[Note, tuple[GoldSpan, ...]]:
    """The note and its gold spans, ascending.

    Page header and page footer are a block each and properties come last, as when the document is read.
    """
    builder = CanonicalBuilder()
    gold: list[GoldSpan] = []
    tables = 0
    for item in letter.body:
        if isinstance(item, LetterTable):
            for number, row in enumerate(item.rows):
                cells = [_lines(cell) for cell in row]
                blocks = builder.add_row([text_of(cell) for cell in cells], table=tables, row=number)
                for cell, block in zip(cells, blocks, strict=True):
                    _mark(cell, block.start, gold)
            tables += 1
        else:
            _mark(item, builder.add(BlockKind.PARAGRAPH, text_of(item)).start, gold)
    rest = (
        (BlockKind.PAGE_HEADER, _lines(letter.page_header)),
        (BlockKind.PAGE_FOOTER, _lines(letter.page_footer)),
        (BlockKind.PROPERTY, letter.title),
        (BlockKind.AUTHOR, letter.author),
    )
    for kind, pieces in rest:
        if pieces:
            _mark(pieces, builder.add(kind, text_of(pieces)).start, gold)
    return builder.build(note_id, year=year), tuple(gold)


def _mark(pieces: Pieces, start: int, gold: list[GoldSpan]) -> None:
    """Adds the gold spans of pieces that begin at `start`; the builder keeps their lengths (no control characters)."""
    at = start
    for piece in pieces:
        if isinstance(piece, str):
            at += len(piece)
        else:
            end = at + len(piece.text)
            gold.append(GoldSpan(at, end, _LABELS[piece.type], piece.type))
            at = end


def _lines(paragraphs: Sequence[Paragraph]) -> Pieces:
    """Paragraphs as one run of pieces with newlines between."""
    pieces: list[Piece] = []
    for number, paragraph in enumerate(paragraphs):
        if number:
            pieces.append("\n")
        pieces += paragraph
    return tuple(pieces)
