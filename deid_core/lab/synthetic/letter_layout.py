"""Layouts of letters: files that say what stands around the body, and how they are filled.

A line is a paragraph (a template; an empty line an empty paragraph), or one of these:
`@table`, `@row`, `@cell`, `@end`   a table; the first row begins by itself, each line in a cell is a paragraph of it
`@body`                             where the sections go
`@header …`, `@footer …`            a paragraph of the page header or footer
`@title …`, `@author …`             document properties
`?30 …`                             a paragraph that 30 of 100 letters have
`{salutation}`, `{intro}` and `{closing}` as a whole line take a template of that section.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from deid_core.lab.synthetic.case import Case
from deid_core.lab.synthetic.letter import Letter, LetterTable, Paragraph
from deid_core.lab.synthetic.template_language import SentenceTemplate, TemplateError, compile_template

_CHOSEN = ("{salutation}", "{intro}", "{closing}")
_PROPERTIES = ("header", "footer", "title", "author")


class Line(NamedTuple):
    """A paragraph to be: a template, or the section to take one of; probability that the letter has it."""

    template: SentenceTemplate | None
    section: str
    probability: float


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table's rows of cells of lines."""

    rows: tuple[tuple[tuple[Line, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """Items before and after the body, and what stands apart from both."""

    before: tuple[Line | TableLayout, ...]
    after: tuple[Line | TableLayout, ...]
    apart: dict[str, tuple[Line, ...]]

    def fill(
        self,
        case: Case,
        sections: Mapping[str, Sequence[SentenceTemplate]],
        body: Callable[[Sequence[Paragraph | LetterTable]], Sequence[Paragraph | LetterTable]],
    ) -> Letter:
        """The letter; `body` is given what stands around it, so that it can keep to the note's length."""
        before = _items(self.before, case, sections)
        after = _items(self.after, case, sections)
        apart = {name: _paragraphs(lines, case, sections) for name, lines in self.apart.items()}
        around = (*before, *after, *apart["header"], *apart["footer"])
        return Letter(
            date=case.today,
            body=(*before, *body(around), *after),
            page_header=apart["header"],
            page_footer=apart["footer"],
            title=_first(apart["title"]),
            author=_first(apart["author"]),
        )


def parse_layout(text: str) -> Layout:
    """A layout from its file's text. Raises TemplateError naming the line."""
    parser = _Parser()
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        if not line.startswith("#"):
            try:
                parser.add(line)
            except TemplateError as error:
                raise TemplateError(f"line {number}: {error}") from None
    return parser.layout()


class _Parser:
    """Collects the items of a layout line by line."""

    def __init__(self) -> None:
        self._items: list[Line | TableLayout] = []
        self._before: tuple[Line | TableLayout, ...] | None = None
        self._rows: list[list[list[Line]]] | None = None
        self._apart: dict[str, list[Line]] = {name: [] for name in _PROPERTIES}

    def add(self, line: str) -> None:
        command, _, rest = line[1:].partition(" ") if line.startswith("@") else ("", "", "")
        if not command:
            self._target().append(self._line(line))
        elif command in _PROPERTIES:
            self._apart[command].append(self._line(rest))
        elif command == "table" and self._rows is None:
            self._rows = [[]]
        elif command == "row" and self._rows is not None:
            self._rows.append([])
        elif command == "cell" and self._rows is not None:
            self._rows[-1].append([])
        elif command == "end" and self._rows is not None:
            self._end_table()
        elif command == "body" and self._before is None and self._rows is None:
            self._before, self._items = tuple(self._items), []
        else:
            raise TemplateError(f"@{command} does not exist or cannot stand here")

    def layout(self) -> Layout:
        if self._before is None or self._rows is not None:
            raise TemplateError("needs @body once, and @end after @table")
        return Layout(self._before, tuple(self._items), {name: tuple(lines) for name, lines in self._apart.items()})

    def _target(self) -> list[Line | TableLayout] | list[Line]:
        if self._rows is None:
            return self._items
        if not self._rows[-1]:
            raise TemplateError("needs @cell before the first paragraph of a row")
        return self._rows[-1][-1]

    def _end_table(self) -> None:
        rows = self._rows or []
        if len({len(row) for row in rows}) != 1 or not rows[0]:
            raise TemplateError("rows of a table need the same number of cells")
        self._items.append(TableLayout(tuple(tuple(tuple(cell or [self._line("")]) for cell in row) for row in rows)))
        self._rows = None

    def _line(self, text: str) -> Line:
        probability = 1.0
        if text.startswith("?"):
            percent, _, text = text[1:].partition(" ")
            probability = int(percent) / 100
        if text in _CHOSEN:
            return Line(None, text[1:-1], probability)
        return Line(compile_template(text), "", probability)


def _items(
    items: Sequence[Line | TableLayout], case: Case, sections: Mapping[str, Sequence[SentenceTemplate]]
) -> list[Paragraph | LetterTable]:
    filled: list[Paragraph | LetterTable] = []
    for item in items:
        if isinstance(item, TableLayout):
            rows = tuple(tuple(_paragraphs(cell, case, sections) or ((),) for cell in row) for row in item.rows)
            filled.append(LetterTable(rows))
        else:
            filled += _paragraphs((item,), case, sections)
    return filled


def _paragraphs(
    lines: Sequence[Line], case: Case, sections: Mapping[str, Sequence[SentenceTemplate]]
) -> tuple[Paragraph, ...]:
    return tuple(
        (line.template or case.draw.pick(sections[line.section])).fill(case)
        for line in lines
        if line.probability == 1.0 or case.draw.chance(line.probability)
    )


def _first(paragraphs: Sequence[Paragraph]) -> Paragraph:
    return paragraphs[0] if paragraphs else ()
