"""A .doc of Word 97 and later into the canonical text: the same places in the same order as docx/ reads a .docx.

Body; page headers and footers of every section, each text once; footnotes; endnotes; text boxes, with drawn words and
alternative texts of pictures; comments; tracked deletions; properties, with the authors of comments and changes. Not
read: embedded objects, macros, the glossary, names of earlier authors and files (SttbSavedBy).
"""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.core.errors import NoteError, Reason
from deid_core.core.note import BlockKind
from deid_core.readers.canonical import CanonicalBuilder
from deid_core.readers.msdoc.anchors_and_revisions import AnchorsAndRevisions
from deid_core.readers.msdoc.budget import Budget
from deid_core.readers.msdoc.container import read_streams
from deid_core.readers.msdoc.fib import Fib, FibTable, Story
from deid_core.readers.msdoc.property_sets import summary_values
from deid_core.readers.msdoc.stories import Range
from deid_core.readers.msdoc.strings import string_table
from deid_core.readers.msdoc.text import ShownText
from deid_core.readers.properties import is_value, names_software
from deid_core.readers.settings import ReadingSettings

_PAGES = ((BlockKind.PAGE_HEADER, (4, 1, 0)), (BlockKind.PAGE_FOOTER, (5, 3, 2)))
"""Of a section's six stories the numbers of first, default and even (MS-DOC 2.3.5 and Plcfhdd)."""
_SECTION_STORIES = 6
_SEPARATORS = 6
"""Before the sections' stories: separators and continuation notices, three of footnotes and three of endnotes."""
_ASSOCIATED = (2, 3, 6, 4, 7)
"""Title, subject, author, keywords, who saved it last (SttbfAssoc)."""
_PERSONS = (6, 7)
"""Of these author and who saved it last."""


def read_doc(data: bytes, builder: CanonicalBuilder, settings: ReadingSettings) -> None:
    """Adds the document's text.

    Raises DocRefused for what another reader has to look at (older, encrypted or broken files); NoteError TOO_LARGE;
    NoteError TIMEOUT after the builder's deadline.
    """
    _DocDocument(data, settings, Budget(builder.check_time)).add_to(builder)


class _DocDocument:
    """One file on its way into a builder."""

    def __init__(self, data: bytes, settings: ReadingSettings, budget: Budget) -> None:
        self._limit = settings.max_text_chars
        self._budget = budget
        self._streams = read_streams(data)
        self._fib = Fib.from_bytes(self._streams.word)
        self._text = ShownText(self._streams, self._fib, settings, budget)
        self._aside = AnchorsAndRevisions(self._text, self._fib, self._streams)

    def add_to(self, builder: CanonicalBuilder) -> None:
        start, end = 0, self._fib.lengths[Story.MAIN]
        builder.add_body(self._text.blocks(start, end), self._budget.check_time)
        self._aside.collect(start, end)
        # Text boxes, deletions and authors are collected while the other stories are read: these come first.
        separators, sections = self._header_stories()
        pages = list(self._pages(sections))
        notes = list(self._notes(BlockKind.FOOTNOTE, [*separators[:3], *self._text.texts(Story.FOOTNOTES)]))
        notes += self._notes(BlockKind.ENDNOTE, [*separators[3:], *self._text.texts(Story.ENDNOTES)])
        comments = list(self._notes(BlockKind.COMMENT, self._text.texts(Story.COMMENTS)))
        self._aside.add_comment_authors()
        self._aside.collect_rest()
        boxes = [(BlockKind.TEXT_BOX, text) for text in self._aside.boxes]
        deleted = [(BlockKind.DELETED_TEXT, text) for text in self._aside.deleted]
        for kind, text in (*pages, *notes, *boxes, *comments, *deleted, *self._properties()):
            if text.strip():
                builder.add(kind, text)
        if builder.length > self._limit:
            raise NoteError(Reason.TOO_LARGE, f"over {self._limit} characters of text")

    def _header_stories(self) -> tuple[list[Range], list[Range]]:
        """What stands above footnotes and endnotes, and the page headers and footers of the sections."""
        stories = self._text.texts(Story.HEADERS)
        return stories[:_SEPARATORS], stories[_SEPARATORS:]

    def _pages(self, stories: list[Range]) -> Iterator[tuple[BlockKind, str]]:
        """Page headers, then page footers, in the order of sections, each text once."""
        # A section without a story of its own has the one of the section before.
        sections = range(0, len(stories), _SECTION_STORIES)
        for kind, places in _PAGES:
            seen = set()
            for number in (section + place for section in sections for place in places):
                if number < len(stories):
                    text = self._aside_text(stories[number])
                    if text not in seen:
                        seen.add(text)
                        yield kind, text

    def _notes(self, kind: BlockKind, texts: list[Range]) -> Iterator[tuple[BlockKind, str]]:
        """Footnotes, endnotes or comments, each a block."""
        return ((kind, self._aside_text(place)) for place in texts)

    def _aside_text(self, place: Range) -> str:
        self._aside.collect(*place)
        return self._text.lines(*place).strip("\n")

    def _properties(self) -> Iterator[tuple[BlockKind, str]]:
        streams = self._streams
        if streams.summary or streams.document_summary:
            yield from summary_values(streams.summary, streams.document_summary, Budget(self._budget.check_time))
        else:
            associated = string_table(self._fib.part(streams.table, FibTable.ASSOCIATED_STRINGS))
            for number in _ASSOCIATED:
                if number < len(associated) and is_value(associated[number]):
                    yield BlockKind.AUTHOR if number in _PERSONS else BlockKind.PROPERTY, associated[number]
        authors = dict.fromkeys(self._aside.authors)
        yield from ((BlockKind.AUTHOR, name) for name in authors if name.strip() and not names_software(name))
