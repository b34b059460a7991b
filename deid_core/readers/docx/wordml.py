"""Extract text from WordprocessingML: paragraphs and tables in order, and separately the text outside their flow.

Text: runs, tracked insertions, field results, hyperlinks, content controls, smart tags, formulas, hidden text.
Collected separately: text boxes, watermarks, alternative texts of pictures, tracked deletions and moved text.
Ignored: field codes, list numbers, formatting. The tree is lxml's, without comments and processing instructions.
Each element is visited once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lxml import etree

from deid_core.core.errors import NoteError, Reason
from deid_core.readers.canonical import check_blocks

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_V = "{urn:schemas-microsoft-com:vml}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"

PARAGRAPH = _W + "p"
TABLE = _W + "tbl"
_RUN = _W + "r"
_TEXT = _W + "t"
_FORMULA_TEXT = _MATH + "t"
_DELETED_TEXT = _W + "delText"
_DELETIONS = frozenset({_W + "del", _W + "moveFrom"})
_FIXED = {
    _W + "tab": "\t",
    _W + "ptab": "\t",
    _W + "cr": "\n",
    _W + "noBreakHyphen": "\N{NON-BREAKING HYPHEN}",
    _W + "softHyphen": "\N{SOFT HYPHEN}",
}
_BREAK = _W + "br"
_PAGE_BREAK = "\f"
"""A newline within a paragraph, nothing at its ends, as in LibreOffice and in Word's .doc."""
_SYMBOL = _W + "sym"
_LIST_FIELD = _W + "ddList"
_FIELD_MARK = _W + "fldChar"
_FIELD_CODE = _W + "instrText"
_RECOMPUTED = frozenset({"DATE", "TIME", "FILENAME"})
"""Fields that LibreOffice recomputes during conversion."""
_BOX = _W + "txbxContent"
_WATERMARK = _V + "textpath"
_DRAWN_PARAGRAPH = _A + "p"
_DRAWN_TEXT = _A + "t"
_ALTERNATIVES = _MC + "AlternateContent"
_CHUNK = _W + "altChunk"
# Elements with an alternative text, and the attributes that hold it.
_DESCRIBED = {_WP + "docPr": ("title", "descr"), _V + "shape": ("alt",), _V + "rect": ("alt",), _V + "group": ("alt",)}
_SKIPPED = frozenset(
    _W + name
    for name in (
        "pPr",
        "rPr",
        "tblPr",
        "tblGrid",
        "tblPrEx",
        "trPr",
        "tcPr",
        "sectPr",
        "sdtPr",
        "sdtEndPr",
        "delInstrText",
    )
)
_WITH_AUTHOR = tuple(_W + n for n in ("ins", "del", "moveFrom", "moveTo", "comment", "rPrChange", "pPrChange"))
"""Elements with an author attribute."""
_INLINE = frozenset({_RUN, *(_W + name for name in ("hyperlink", "fldSimple", "pict", "object", "drawing"))})
"""Elements in which paragraphs belong to a text box."""
_VISIBLE = (_TEXT, _FORMULA_TEXT, _DELETED_TEXT, _DRAWN_TEXT, _WATERMARK, _SYMBOL)

FORMATTING = re.compile(
    rb"""<w:rPr>(?:<w:(?!ins|del|move|rPrCh)[A-Za-z]++(?:\ w:[A-Za-z]++="[ -!#-%'-;=-~]*+")*+/>)*+</w:rPr>""",
    re.VERBOSE,
)
"""Run properties that hold only empty elements, without text and without authors of changes.

They are two fifths of the elements that Word writes. Removing them before parsing takes a tenth of the time it saves.
All other formatting is parsed and skipped.
"""

Cells = list[str]
Rows = list[Cells]
"""Rows of cells. Newlines separate the paragraphs of a cell."""
Element = etree._Element


@dataclass(slots=True)
class _Field:
    """An open field: parts of its code, kept if it matters, and the length of the text list before its result."""

    code: list[str]
    result_start: int


class Walker:
    """Reads the stories (body, headers, footnotes, …) of one document and collects text outside their flow.

    boxes, deleted: texts in document order. authors: names and initials of the authors of tracked changes and comments.
    chunk: returns the paragraphs and tables of an imported document by relationship id. recomputed: leave out results
    of DATE, TIME and FILENAME fields, because they describe the conversion. max_blocks: more paragraphs and cells raise
    NoteError TOO_LARGE, because empty ones cost a file only a few bytes each. max_chars: more characters in paragraphs
    raise it before they are copied further. check_time: raises NoteError TIMEOUT
    after the file's deadline; called for each paragraph, cell and row, and where a subtree is searched.
    """

    def __init__(
        self,
        chunk: Callable[[str], Iterable[str | Rows]] | None = None,
        *,
        recomputed: bool = False,
        max_blocks: int | None = None,
        max_chars: int | None = None,
        check_time: Callable[[], None] = lambda: None,
    ) -> None:
        self.boxes: list[str] = []
        self.authors: dict[str, None] = {}
        self._chunk = chunk
        self._recomputed = recomputed
        self._max_blocks = max_blocks
        self._max_chars = max_chars
        self._check_time = check_time
        self._seen = 0
        """Number of paragraphs and cells so far."""
        self._chars = 0
        """Characters of paragraphs so far."""
        self._fields: list[_Field] = []
        """Open fields of the paragraph."""
        self._deletions: list[list[str]] = []
        """Parts of each deletion: joined once, since a deletion may have any number of them."""
        self._in_deletion = False
        self._deletion_end: tuple[list[str], int] | None = None

    @property
    def deleted(self) -> list[str]:
        """Tracked deletions in document order."""
        return ["".join(parts) for parts in self._deletions]

    def add_imported(self, imported: Walker) -> None:
        """Add what the walker of an imported document collected."""
        self.boxes += imported.boxes
        self._deletions += imported._deletions
        self.authors |= imported.authors

    def blocks(self, parent: Element) -> Iterator[str | Rows]:
        """Yield paragraphs and tables below an element in order, also those in wrappers such as content controls."""
        for child in parent:
            tag = child.tag
            if tag == PARAGRAPH:
                yield self.paragraph(child)
            elif tag == TABLE:
                yield self._table(child)
            elif tag == _ALTERNATIVES:
                yield from self.blocks(self._alternative(child))
            elif tag == _CHUNK:
                yield from self._imported(child)
            elif tag in _SKIPPED:
                continue
            elif self._has_blocks(child):
                yield from self.blocks(child)
            elif text := self.paragraph(child):
                # A run outside any paragraph: no valid document has one, but its text would be lost.
                yield text

    def lines(self, parent: Element) -> str:
        """Return the blocks as one text: a line per paragraph and table row, tabs between cells."""
        return "\n".join(lines_of(self.blocks(parent)))

    def paragraph(self, element: Element) -> str:
        """Return the text of a paragraph."""
        self._count_block()
        text: list[str] = []
        outer, self._fields = self._fields, []
        self._inline(element, text)
        self._fields = outer
        line = "".join(text)
        self._chars += len(line)
        if self._max_chars is not None and self._chars > self._max_chars:
            raise NoteError(Reason.TOO_LARGE, f"over {self._max_chars} characters of text")
        return line.strip(_PAGE_BREAK).replace(_PAGE_BREAK, "\n") if _PAGE_BREAK in line else line

    def note_authors(self, root: Element, attributes: Iterable[str] = ("author",)) -> None:
        """Collect the authors of tracked changes and comments below `root`."""
        for attribute in attributes:
            for element in root.iter(*_WITH_AUTHOR):
                if name := element.get(_W + attribute):
                    self.authors.setdefault(name)

    def _inline(self, element: Element, text: list[str]) -> None:
        for child in element:
            tag = child.tag
            # The most frequent elements come first. The order of the other cases does not matter.
            if tag == _TEXT:
                if child.text:
                    text.append(child.text)
            elif tag == _RUN:
                self._inline(child, text)
            elif tag in _SKIPPED:
                continue
            elif tag in _FIXED:
                text.append(_FIXED[tag])
            elif tag in _DELETIONS:
                self._deletion(child, text)
            elif tag == _DELETED_TEXT:
                self._deleted_text(child.text or "", text)
            elif tag == _FORMULA_TEXT:
                text.append(child.text or "")
            elif tag == _BREAK:
                text.append("\n" if child.get(_W + "type") in (None, "textWrapping") else _PAGE_BREAK)
            elif tag == _FIELD_CODE:
                if self._recomputed and self._fields and child.text:
                    self._fields[-1].code.append(child.text)
            elif tag == _FIELD_MARK:
                self._field_mark(child.get(_W + "fldCharType"), text)
                self._inline(child, text)
            elif tag == _ALTERNATIVES:
                self._inline(self._alternative(child), text)
            elif tag == _BOX:
                self._box(child)
            elif tag == _DRAWN_PARAGRAPH:
                self._aside("".join(t.text or "" for t in child.iter(_DRAWN_TEXT)))
            elif tag == _SYMBOL:
                text.append(_symbol(child))
            elif tag == _LIST_FIELD:
                text.append(_chosen(child))
            elif tag == _WATERMARK:
                self._aside(child.get("string", ""))
            else:
                for attribute in _DESCRIBED.get(tag, ()):
                    self._aside(child.get(attribute, ""))
                if tag == PARAGRAPH and text:
                    text.append("\n")
                self._inline(child, text)

    def _field_mark(self, kind: str | None, text: list[str]) -> None:
        if kind == "begin":
            self._fields.append(_Field([], len(text)))
        elif self._fields and kind == "separate":
            self._fields[-1].result_start = len(text)
        elif self._fields and kind == "end":
            field = self._fields.pop()
            name = "".join(field.code).split(maxsplit=1)[:1]
            if name and name[0].upper() in _RECOMPUTED:
                del text[field.result_start :]

    def _table(self, table: Element) -> Rows:
        return [[self._cell(cell) for cell in self._inner(row, _W + "tc")] for row in self._inner(table, _W + "tr")]

    def _inner(self, element: Element, wanted: str) -> Iterator[Element]:
        """Yield the rows of a table or cells of a row, including those inside content controls or tracked changes."""
        self._check_time()
        for child in element:
            if child.tag == wanted:
                yield child
            elif child.tag == _ALTERNATIVES:
                yield from self._inner(self._alternative(child), wanted)
            elif child.tag not in _SKIPPED:
                yield from self._inner(child, wanted)

    def _has_blocks(self, element: Element) -> bool:
        """Whether there are blocks below the element that belong to the flow, not to a text box in a run."""
        self._check_time()
        return element.tag not in _INLINE and next(element.iter(PARAGRAPH, TABLE, _CHUNK), None) is not None

    def _alternative(self, element: Element) -> Element:
        """Return the first alternative with text. Alternatives show the same content to older and newer programs."""
        self._check_time()
        branches = list(element)
        if not branches:
            return element
        return next((b for b in branches if next(b.iter(*_VISIBLE), None) is not None), branches[0])

    def _cell(self, cell: Element) -> str:
        self._count_block()
        return self.lines(cell)

    def _count_block(self) -> None:
        self._check_time()
        self._seen += 1
        check_blocks(self._seen, self._max_blocks)

    def _box(self, element: Element) -> None:
        place = len(self.boxes)
        self.boxes.append("")  # before the boxes within it
        self.boxes[place] = self.lines(element)

    def _aside(self, text: str) -> None:
        if text.strip():
            self.boxes.append(text)

    def _deletion(self, element: Element, text: list[str]) -> None:
        removed: list[str] = []
        outer, self._in_deletion = self._in_deletion, True
        self._inline(element, removed)
        self._in_deletion = outer
        self._deleted_text("".join(removed), text)

    def _deleted_text(self, removed: str, text: list[str]) -> None:
        """Collect deleted text. Adjacent deletions, with no text between them, become one."""
        if self._in_deletion:
            text.append(removed)
            return
        end = self._deletion_end
        if end is not None and end[0] is text and end[1] == len(text):
            self._deletions[-1].append(removed)
        elif removed:
            self._deletions.append([removed])
        else:
            return
        self._deletion_end = text, len(text)

    def _imported(self, element: Element) -> Iterable[str | Rows]:
        if self._chunk is None:
            raise NoteError(Reason.UNSUPPORTED, "a document imported into an imported document")
        return self._chunk(element.get(_R + "id", ""))


def lines_of(blocks: Iterable[str | Rows]) -> Iterator[str]:
    """Yield a line for each paragraph and table row, with tabs between cells."""
    for block in blocks:
        if isinstance(block, str):
            yield block
        else:
            yield from ("\t".join(cells) for cells in block)


def _symbol(element: Element) -> str:
    try:
        return chr(int(element.get(_W + "char", ""), 16))
    except (ValueError, OverflowError):
        return "\N{REPLACEMENT CHARACTER}"


def _chosen(element: Element) -> str:
    """Return the displayed entry of a drop-down form field, which has no field result."""
    entries = [entry.get(_W + "val", "") for entry in element.iterchildren(_W + "listEntry")]
    for tag in ("result", "default"):
        number = element.find(_W + tag)
        if number is not None and (value := number.get(_W + "val", "")).isdecimal() and int(value) < len(entries):
            return entries[int(value)]
    return entries[0] if entries else ""
