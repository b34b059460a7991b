"""Where the texts of a story begin and end: one page header, one footnote, one comment, one text box (MS-DOC 2.3)."""

from __future__ import annotations

from itertools import pairwise

from deid_core.readers.msdoc.fib import Fib, FibTable, Story
from deid_core.readers.msdoc.plc import plc
from deid_core.readers.msdoc.refused import DocRefused

Range = tuple[int, int]
"""[start, end) of character positions."""

_TABLES = {
    Story.FOOTNOTES: (FibTable.FOOTNOTE_TEXTS, 0),
    Story.HEADERS: (FibTable.HEADER_TEXTS, 0),
    Story.COMMENTS: (FibTable.COMMENT_TEXTS, 0),
    Story.ENDNOTES: (FibTable.ENDNOTE_TEXTS, 0),
    Story.TEXT_BOXES: (FibTable.BOX_TEXTS, 22),
    Story.HEADER_TEXT_BOXES: (FibTable.HEADER_BOX_TEXTS, 22),
}
"""Their tables of positions, with the size of an item."""


def story_texts(fib: Fib, tables: bytes, story: Story) -> list[Range]:
    """The texts of a story in order; the body is one. The table's last position, or its last item, means nothing.

    Raises DocRefused if a text ends beyond the story.
    """
    start, length = fib.start(story), fib.lengths[story]
    if not length:
        return []
    if story not in _TABLES:
        return [(start, start + length)]
    table, size = _TABLES[story]
    positions = plc(fib.part(tables, table), size).positions[:-1]
    if not positions or positions[0] or positions[-1] > length:
        raise DocRefused("stories: texts beyond their story")
    return [(start + text_start, start + text_end) for text_start, text_end in pairwise(positions)]
