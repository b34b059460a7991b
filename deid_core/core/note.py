"""The note: one canonical text and its blocks.

`text` joins blocks by newlines and a table row's cells by tabs; every offset in the project (blocks, detections,
spans, gold, audit rows) counts Unicode code points of `text`. `readers/canonical.py` builds notes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


class BlockKind(StrEnum):
    """The block's place in the document; every place that can hold text can hold a name."""

    PARAGRAPH = "paragraph"
    HEADER_CELL = "header_cell"
    """A cell of a table before the letter's salutation."""
    TABLE_CELL = "table_cell"
    PAGE_HEADER = "page_header"
    PAGE_FOOTER = "page_footer"
    FOOTNOTE = "footnote"
    ENDNOTE = "endnote"
    TEXT_BOX = "text_box"
    COMMENT = "comment"
    DELETED_TEXT = "deleted_text"
    PROPERTY = "property"
    """A document property such as title or company."""
    AUTHOR = "author"
    """A person by definition: author, last editor or manager of the document, author of a comment or change."""


class Block(NamedTuple):
    """A range [start, end) of a note's text; `table`, `row` and `column` count from 0 and are set for cells only.

    A tuple, since a note has hundreds; the note checks all of them at once.
    """

    kind: BlockKind
    start: int
    end: int
    table: int | None = None
    row: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """One document of an archive, usually a letter.

    note_id: opaque in the lake (keyed hash of the relative path); the file's name without ending elsewhere.
    source: relative path of the file the note was read from, "" if it has none.
    sha256: of the source's bytes, hexadecimal, "" if there is no file.
    year: four digits, None where it is not known yet.
    blocks: ascending ranges of `text`; empty when only the text is known (JSON lines).
    """

    note_id: str
    text: str
    source: str = ""
    sha256: str = ""
    year: int | None = None
    blocks: tuple[Block, ...] = field(default=())

    def __post_init__(self) -> None:
        length = len(self.text)
        for block in self.blocks:
            # A note is made thrice in the engine: places in a tuple are read faster than names.
            if not 0 <= block[1] <= block[2] <= length:
                raise ValueError(f"block [{block.start}, {block.end}) is no range of the text")

    def block_text(self, block: Block) -> str:
        """Return the text of a block."""
        return self.text[block.start : block.end]

    def blocks_of(self, *kinds: BlockKind) -> Iterator[Block]:
        """Return the blocks of these kinds, in the order of the text."""
        return (block for block in self.blocks if block.kind in kinds)

    def to_json(self) -> dict[str, Any]:
        """Return the note as a JSON object, as `deid read` prints it; blocks omit what is None."""
        return {
            "id": self.note_id,
            "source": self.source,
            "sha256": self.sha256,
            "year": self.year,
            "text": self.text,
            "blocks": [{k: v for k, v in b._asdict().items() if v is not None} for b in self.blocks],
        }

    @staticmethod
    def from_json(row: dict[str, Any]) -> Note:
        """Return the note of an object of `to_json`; only "id" and "text" are required.

        Raises KeyError, TypeError or ValueError if the object is no note.
        """
        if not isinstance(row["text"], str):
            raise TypeError("the text is no string")
        return Note(
            note_id=str(row["id"]),
            text=row["text"],
            source=row.get("source", ""),
            sha256=row.get("sha256", ""),
            year=row.get("year"),
            blocks=tuple(
                Block(BlockKind(b["kind"]), b["start"], b["end"], b.get("table"), b.get("row"), b.get("column"))
                for b in row.get("blocks", ())
            ),
        )
