"""What stands aside of the text: boxes and pictures that it anchors, tracked deletions, who made changes.

Collected range by range while the stories are read, so that it comes in the order in which docx/reader.py has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.readers.msdoc.container import Streams
from deid_core.readers.msdoc.fib import Fib, FibTable, Story
from deid_core.readers.msdoc.plc import plc
from deid_core.readers.msdoc.shapes import Shape, drawings
from deid_core.readers.msdoc.strings import string, string_table, strings
from deid_core.readers.msdoc.text import ShownText, within

_COMMENT_SIZE = 30
_ANCHOR_SIZE = 26
_ANCHORS = (
    (Story.MAIN, FibTable.SHAPES, Story.TEXT_BOXES),
    (Story.HEADERS, FibTable.HEADER_SHAPES, Story.HEADER_TEXT_BOXES),
)
"""Stories that anchor shapes, where they say so, and where the text of these shapes stands."""


class AnchorsAndRevisions:
    """Texts of boxes, deletions, and names of authors, as far as `collect` has gone."""

    def __init__(self, text: ShownText, fib: Fib, streams: Streams) -> None:
        """Raises DocRefused for tables that are broken."""
        self._text, self._fib, self._tables = text, fib, streams.table
        self.boxes: list[str] = []
        self.deleted: list[str] = []
        self.authors: list[str] = []
        self._names = string_table(fib.part(self._tables, FibTable.REVISION_AUTHORS))
        self._anchors = list(self._read_anchors())
        self._shapes = dict(drawings(fib.part(self._tables, FibTable.DRAWINGS))) if self._anchors else {}
        self._unread = {story: dict(enumerate(text.texts(story))) for _, _, story in _ANCHORS}
        """Text boxes, by number, that no shape has claimed yet."""

    def collect(self, start: int, end: int) -> None:
        """Adds what characters [start, end) anchor, their deletions and authors; each shape once."""
        self.deleted += self._text.deleted(start, end)
        self.authors += (self._names[n] for n in self._text.authors(start, end) if n < len(self._names))
        found = [(at, Shape((text,), ()), Story.TEXT_BOXES) for at, text in self._text.pictures(start, end)]
        for at, (identifier, story) in within(self._anchors, start, end):
            if shape := self._shapes.pop(identifier, None):
                found.append((at, shape, story))
        for _, shape, story in sorted(found, key=lambda item: item[0]):
            self.boxes += shape.texts
            for number in shape.boxes:
                self._add_box(story, number)

    def collect_rest(self) -> None:
        """Adds text boxes whose shape was not found."""
        for story, unread in self._unread.items():
            for number in list(unread):
                self._add_box(story, number)

    def add_comment_authors(self) -> None:
        """Adds who wrote comments: names, then initials (MS-DOC 2.9.2 ATRDPre10)."""
        items = plc(self._fib.part(self._tables, FibTable.COMMENT_REFERENCES), _COMMENT_SIZE).items
        if items:
            owners = strings(self._fib.part(self._tables, FibTable.COMMENT_OWNERS))
            numbers = (int.from_bytes(item[20:22], "little") for item in items)
            self.authors += (owners[number] for number in numbers if number < len(owners))
            self.authors += (string(item[:20], 0)[0] for item in items)

    def _read_anchors(self) -> Iterator[tuple[int, tuple[int, Story]]]:
        """Positions of anchors, ascending, with the shape's identifier and the story of its text."""
        for story, table, boxes in _ANCHORS:
            start, end = self._fib.start(story), self._fib.start(story) + self._fib.lengths[story]
            positions, items = plc(self._fib.part(self._tables, table), _ANCHOR_SIZE)
            for at, item in zip(positions, items, strict=False):
                if start + at < end:
                    yield start + at, (int.from_bytes(item[:4], "little"), boxes)

    def _add_box(self, story: Story, number: int) -> None:
        """The text of a text box, once, then what stands in it."""
        place = self._unread[story].pop(number, None)
        if place is not None:
            # The last paragraph mark parts the boxes (MS-DOC 2.8.32).
            self.boxes.append(self._text.lines(*place).removesuffix("\n"))
            self.collect(*place)
