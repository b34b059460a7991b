"""The text of a document as it is shown: a character for each position, with codes and deleted text blanked out.

Positions stay those of the file, so that every table of positions can be used; NUL stands where nothing is shown.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np

from deid_core.readers.canonical import check_blocks, clean
from deid_core.readers.msdoc import characters, paragraphs
from deid_core.readers.msdoc.budget import Budget
from deid_core.readers.msdoc.characters import CharacterProperties, character_properties
from deid_core.readers.msdoc.container import Streams
from deid_core.readers.msdoc.fib import Fib, FibTable, Story
from deid_core.readers.msdoc.fields import chosen_entry, field_codes
from deid_core.readers.msdoc.paragraphs import ParagraphProperties, huge_properties, paragraph_properties
from deid_core.readers.msdoc.pieces import read_pieces
from deid_core.readers.msdoc.plc import plc
from deid_core.readers.msdoc.refused import DocRefused
from deid_core.readers.msdoc.runs import character_runs, paragraph_runs
from deid_core.readers.msdoc.shapes import picture_text
from deid_core.readers.msdoc.stories import Range, story_texts
from deid_core.readers.msdoc.tables import Paragraph, Rows, blocks
from deid_core.readers.settings import ReadingSettings

_SECTION_SIZE = 12
_PARAGRAPH_ENDS = "\r\x07"
_PARAGRAPH_END = re.compile("[\r\x07]")
_CELL_MARK = "\x07"
_PICTURE_OR_DATA = "\x01"
_SYMBOL = "("
_PAGE_BREAKS = "\x0c\x0e"
"""Of a page and of a column; newlines within a paragraph, nothing at its ends, as in wordml.py."""
_SHOWN = {0x0B: "\n", 0x1E: "\N{NON-BREAKING HYPHEN}", 0x1F: "\N{SOFT HYPHEN}"}
"""Word has characters of its own for line breaks and hyphens; its others show nothing (MS-DOC 2.4.1)."""
_ORDINARY = frozenset(map(ord, "\t\r\x07")) | _SHOWN.keys()
"""Control characters that need no further look; others are cleaned away, paragraph by paragraph."""
_ALL = re.compile(b"")
_T = TypeVar("_T")


class ShownText:
    """The text of one document; ranges are [start, end) of character positions."""

    def __init__(self, streams: Streams, fib: Fib, settings: ReadingSettings, budget: Budget) -> None:
        """Raises DocRefused for what is broken, NoteError TOO_LARGE for more characters or marks than the limits."""
        self._streams, self._fib = streams, fib
        clx = fib.part(streams.table, FibTable.CLX)
        self._budget = budget
        table = read_pieces(clx, streams.word, sum(fib.lengths), settings.max_text_chars)
        self._pieces = table.pieces
        self._text = self._with_section_ends(table.text)
        # Each block ends with a mark. Counted before anything is made for each: a mark costs a file two bytes.
        check_blocks(sum(map(self._text.count, _PARAGRAPH_ENDS)), settings.max_blocks)
        self._entries: list[tuple[int, str]] = []
        self._pictures: list[tuple[int, str]] = []
        self._authors: list[tuple[int, tuple[int, ...]]] = []
        removed = self._apply_characters()
        self._text = _blanked(self._text, self._codes())
        self._deleted = _deletions(self._text, removed)
        self._text = _blanked(self._text, _without_paragraph_ends(self._text, removed))
        controls = _controls(self._text)
        for code in controls & _SHOWN.keys():
            self._text = self._text.replace(chr(code), _SHOWN[code])
        self._is_plain = not self._entries and controls <= _ORDINARY
        if self._shows(sum(fib.lengths), len(self._text)) or self._shows_story(Story.MACROS):
            raise DocRefused("stories: text that is in none of them")

    def blocks(self, start: int, end: int) -> Iterator[str | Rows]:
        """Paragraphs and tables of a range, in order; what follows the last paragraph mark is a paragraph too.

        Raises DocRefused for a cell mark outside of a table: the properties are then those of other paragraphs.
        """
        if _CELL_MARK in self._text[start:end]:
            for table_start, table_end in self._table_ranges(start, end):
                yield from self._outside(start, table_start)
                yield from blocks(self._in_tables(table_start, table_end))
                start = table_end
        yield from self._outside(start, end)

    def lines(self, start: int, end: int) -> str:
        """The same as one text: a line for each paragraph and row, tabs between cells."""
        self._budget.check_time()
        found: list[str] = []
        for block in self.blocks(start, end):
            found += [block] if isinstance(block, str) else map("\t".join, block)
        return "\n".join(found)

    def texts(self, story: Story) -> list[Range]:
        """Where the texts of a story begin and end. Raises DocRefused if there is text after the last one."""
        texts = story_texts(self._fib, self._streams.table, story)
        start = self._fib.start(story)
        if self._shows(texts[-1][1] if texts else start, start + self._fib.lengths[story]):
            raise DocRefused("stories: text that no table of positions names")
        return texts

    def deleted(self, start: int, end: int) -> list[str]:
        """Tracked deletions in a range, in order."""
        return [text for _, text in within(self._deleted, start, end)]

    def pictures(self, start: int, end: int) -> Sequence[tuple[int, str]]:
        """Positions and alternative texts of the pictures that stand in the line."""
        return within(self._pictures, start, end)

    def authors(self, start: int, end: int) -> list[int]:
        """Who inserted, deleted or formatted something in a range: numbers of authors, each once, in order."""
        return list(dict.fromkeys(n for _, numbers in within(self._authors, start, end) for n in numbers))

    def _shows(self, start: int, end: int) -> bool:
        """Whether a range holds more than marks and blanks."""
        return bool(clean(self._text[start:end]).strip())

    def _shows_story(self, story: Story) -> bool:
        start = self._fib.start(story)
        return self._shows(start, start + self._fib.lengths[story])

    def _with_section_ends(self, text: str) -> str:
        """A section ends with the character of a page break; it ends a paragraph too (MS-DOC 2.4.2, 2.8.26)."""
        if "\x0c" not in text:
            return text
        sections = plc(self._fib.part(self._streams.table, FibTable.SECTIONS), _SECTION_SIZE)
        ends = [at - 1 for at in sections.positions[1:] if 0 < at <= len(text) and text[at - 1] == "\x0c"]
        starts = [0, *(at + 1 for at in ends)]
        return "\r".join(text[a:b] for a, b in zip(starts, [*ends, len(text)], strict=True))

    def _apply_characters(self) -> list[Range]:
        """Symbols into the text, entries and pictures into their lists; returns what is marked as deleted."""
        pages = self._fib.part(self._streams.table, FibTable.CHARACTER_PAGES)
        removed: list[Range] = []
        symbols: list[tuple[int, int, str]] = []
        runs = character_runs(self._streams.word, pages, self._page_filter(characters.RELEVANT))
        for start, end, properties in runs.over(self._pieces, character_properties, self._budget):
            if properties.deleted:
                if removed and removed[-1][1] == start:
                    start = removed.pop()[0]
                removed.append((start, end))
            if properties.symbol:
                symbols.append((start, end, properties.symbol))
            if properties.authors:
                self._authors.append((start, properties.authors))
            if properties.data_at is not None:
                self._add_data(start, end, properties)
        self._text = _replaced(self._text, ((a, b, self._text[a:b].replace(_SYMBOL, s)) for a, b, s in symbols))
        return removed

    def _page_filter(self, pattern: re.Pattern[bytes]) -> re.Pattern[bytes]:
        """Which pages have to be read: all, where pieces add properties to those of their runs."""
        return _ALL if any(piece.prls for piece in self._pieces) else pattern

    def _add_data(self, start: int, end: int, properties: CharacterProperties) -> None:
        at = self._text.find(_PICTURE_OR_DATA, start, end)
        if at < 0 or properties.data_at is None:
            return
        if properties.is_data:
            if entry := chosen_entry(self._streams.data, properties.data_at, self._budget):
                self._entries.append((at, entry))
        elif text := picture_text(self._streams.data, properties.data_at, self._budget):
            self._pictures.append((at, text))

    def _codes(self) -> Iterator[Range]:
        if "\x13" not in self._text and "\x15" not in self._text:
            return
        for story in Story:
            for start, end in story_texts(self._fib, self._streams.table, story):
                yield from field_codes(self._text, start, end)

    @cached_property
    def _table_properties(self) -> list[tuple[int, int, ParagraphProperties]]:
        """Ranges of paragraphs in tables, ascending, and what holds there."""
        pages = self._fib.part(self._streams.table, FibTable.PARAGRAPH_PAGES)
        runs = paragraph_runs(self._streams.word, pages, self._page_filter(paragraphs.RELEVANT))
        return list(runs.over(self._pieces, self._in_table, self._budget))

    def _in_table(self, prls: bytes) -> ParagraphProperties | None:
        properties = paragraph_properties(prls)
        if properties.huge is not None:
            properties = huge_properties(properties, self._streams.data, self._budget)
        return properties if properties.depth else None

    def _table_ranges(self, start: int, end: int) -> Iterator[Range]:
        """Ranges of adjacent paragraphs in tables, cut to a range.

        A paragraph's mark has its properties; of a file saved fast the rest may lie in a piece with others.
        """
        table_start = table_end = start
        for run_start, run_end, _ in self._from(start):
            if run_start >= end:
                break
            run_start, run_end = max(run_start, table_end), min(run_end, end)
            mark = max(self._text.rfind(character, run_start, run_end) for character in _PARAGRAPH_ENDS)
            if mark < 0:
                continue
            if run_start > table_end and self._text[run_start - 1] not in _PARAGRAPH_ENDS:
                run_start = max(
                    table_end, *(self._text.rfind(character, table_end, run_start) + 1 for character in _PARAGRAPH_ENDS)
                )
            if run_start > table_end:
                if table_end > table_start:
                    yield table_start, table_end
                table_start = run_start
            table_end = mark + 1
        if table_end > table_start:
            yield table_start, table_end

    def _from(self, start: int) -> Iterator[tuple[int, int, ParagraphProperties]]:
        """Properties in tables from a position on; the first range may begin before it."""
        ranges = self._table_properties
        first = bisect_right(ranges, start, key=lambda found: found[1])
        return (ranges[number] for number in range(first, len(ranges)))

    def _in_tables(self, start: int, end: int) -> Iterator[Paragraph]:
        """The paragraphs of a range that `_table_ranges` gave."""
        properties = self._from(start)
        _, run_end, found = next(properties)
        for mark in _PARAGRAPH_END.finditer(self._text, start, end):
            at = mark.start()
            while at >= run_end:
                _, run_end, found = next(properties)
            text = self._text[start:at]
            yield Paragraph(text if self._is_plain else self._line(start, text), mark[0] == _CELL_MARK, found)
            start = at + 1

    def _outside(self, start: int, end: int) -> Iterator[str]:
        """The paragraphs of a range outside of tables."""
        if start >= end:
            return
        text = self._text[start:end]
        if _CELL_MARK in text:
            raise DocRefused("tables: a cell mark outside of a table")
        lines = text.split("\r")
        if not lines[-1]:
            lines.pop()
        if self._is_plain:
            yield from lines
            return
        for line in lines:
            yield self._line(start, line)
            start += len(line) + 1

    def _line(self, start: int, text: str) -> str:
        """The text of a paragraph that begins at `start`, with form fields' entries, without control characters."""
        for at, entry in reversed(within(self._entries, start, start + len(text))):
            text = text[: at - start] + entry + text[at - start :]
        return clean(text.strip(_PAGE_BREAKS).replace("\x0e", "\n"))


def _controls(text: str) -> set[int]:
    """The characters below U+0020 that occur."""
    codes = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
    return set(codes[codes < ord(" ")].tolist())


def within(items: Sequence[tuple[int, _T]], start: int, end: int) -> Sequence[tuple[int, _T]]:
    """Of items in the order of their positions those in a range."""
    if not items:
        return ()
    first = bisect_left(items, start, key=lambda item: item[0])
    return items[first : bisect_left(items, end, key=lambda item: item[0])]


def _replaced(text: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """The text with ranges, ascending and apart, replaced by texts of the same length."""
    parts, at = [], 0
    for start, end, new in changes:
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def _blanked(text: str, ranges: Iterable[Range]) -> str:
    return _replaced(text, ((start, end, "\0" * (end - start)) for start, end in ranges))


def _without_paragraph_ends(text: str, ranges: Iterable[Range]) -> Iterator[Range]:
    """The ranges cut at paragraph and cell marks: paragraphs stay apart though what parts them was deleted."""
    for start, end in ranges:
        ends = [m.start() for m in _PARAGRAPH_END.finditer(text, start, end)]
        cuts = [start, *(cut for at in ends for cut in (at, at + 1)), end]
        yield from ((a, b) for a, b in list(pairwise(cuts))[::2] if a < b)


def _deletions(text: str, removed: Iterable[Range]) -> list[tuple[int, str]]:
    """Position and text of each deletion, a text for each paragraph."""
    cut = ((start, clean(text[start:end])) for start, end in _without_paragraph_ends(text, removed))
    return [(at, found) for at, found in cut if found]
