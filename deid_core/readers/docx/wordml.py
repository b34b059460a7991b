"""Text out of WordprocessingML elements: paragraphs and tables in order, and aside what does not stand in the line.

What is text: runs, tracked insertions, the results of fields, hyperlinks, content controls, smart tags, formulas,
hidden text. What is collected aside: text boxes, watermarks and the alternative texts of pictures; tracked deletions
and what was moved away. What is not text: field codes, numbers of lists, formatting. Elements are lxml's, in a tree of
elements only (no comments, no processing instructions), and each is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

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
"""A newline within a paragraph's text, nothing at its ends: so LibreOffice and Word's own .doc have it."""
_SYMBOL = _W + "sym"
_LIST_FIELD = _W + "ddList"
_FIELD_MARK = _W + "fldChar"
_FIELD_CODE = _W + "instrText"
_RECOMPUTED = frozenset({"DATE", "TIME", "FILENAME"})
"""Fields whose result LibreOffice computes anew when it converts."""
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
"""Elements that say who wrote them."""
_VISIBLE = (_TEXT, _FORMULA_TEXT, _DELETED_TEXT, _DRAWN_TEXT, _WATERMARK, _SYMBOL)

FORMATTING = re.compile(
    rb"""<w:rPr>(?:<w:(?!ins|del|move|rPrCh)[A-Za-z]++(?:\ w:[A-Za-z]++="[ -!#-%'-;=-~]*+")*+/>)*+</w:rPr>""",
    re.VERBOSE,
)
"""Markup of a run's properties that are empty elements and name nobody: neither text nor authors of changes.

In what Word writes, two of five elements are these. Cut out of the XML before it is parsed, they need no tree and no
look at each; cutting takes a tenth of the time it saves. All other formatting is parsed and passed over.
"""

Cells = list[str]
Rows = list[Cells]
"""Rows of cells; a cell's paragraphs are parted by newlines."""
Element = etree._Element


class Walker:
    """Reads the stories (body, headers, footnotes, …) of one document and keeps what stands aside.

    boxes, deleted: texts in document order. authors: names and initials of who wrote tracked changes and comments.
    `chunk` gives the paragraphs and tables of an imported document by its relationship's id. With `recomputed`, results
    of DATE, TIME and FILENAME fields are left out: they tell when and where the document was converted. More than
    `max_blocks` paragraphs and cells raise NoteError TOO_LARGE; empty ones cost a file a few bytes.
    """

    def __init__(
        self,
        chunk: Callable[[str], Iterable[str | Rows]] | None = None,
        *,
        recomputed: bool = False,
        max_blocks: int | None = None,
    ) -> None:
        self.boxes: list[str] = []
        self.deleted: list[str] = []
        self.authors: dict[str, None] = {}
        self._chunk = chunk
        self._recomputed = recomputed
        self._max_blocks = max_blocks
        self._seen = 0
        """Paragraphs and cells so far."""
        self._fields: list[list[str | int]] = []
        """Open fields of the paragraph: code, and how much text stood before the result."""
        self._in_deletion = False
        self._deletion_end: tuple[int, int] | None = None

    def blocks(self, parent: Element) -> Iterator[str | Rows]:
        """Paragraphs and tables below an element, in order; those in content controls and the like are in line."""
        for child in parent:
            tag = child.tag
            if tag == PARAGRAPH:
                yield self.paragraph(child)
            elif tag == TABLE:
                yield self._table(child)
            elif tag == _ALTERNATIVES:
                yield from self.blocks(_alternative(child))
            elif tag == _CHUNK:
                yield from self._imported(child)
            elif tag in _SKIPPED:
                continue
            elif next(child.iter(PARAGRAPH, TABLE, _CHUNK), None) is not None and not _is_inline(child):
                yield from self.blocks(child)
            elif text := self.paragraph(child):
                # A run outside any paragraph: no valid document has one, but its text would be lost.
                yield text

    def lines(self, parent: Element) -> str:
        """The same as one text: a line for each paragraph and row, tabs between cells."""
        return "\n".join(lines_of(self.blocks(parent)))

    def paragraph(self, element: Element) -> str:
        """The text of a paragraph."""
        self._count_block()
        text: list[str] = []
        outer, self._fields = self._fields, []
        self._inline(element, text)
        self._fields = outer
        line = "".join(text)
        return line.strip(_PAGE_BREAK).replace(_PAGE_BREAK, "\n") if _PAGE_BREAK in line else line

    def note_authors(self, root: Element, attributes: Iterable[str] = ("author",)) -> None:
        """Collects who made the tracked changes and comments below `root`."""
        for attribute in attributes:
            for element in root.iter(*_WITH_AUTHOR):
                if name := element.get(_W + attribute):
                    self.authors.setdefault(name)

    def _inline(self, element: Element, text: list[str]) -> None:
        for child in element:
            tag = child.tag
            # What nearly all elements are, first; the order of the other cases has no meaning.
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
                if self._fields:
                    self._fields[-1][0] = f"{self._fields[-1][0]}{child.text or ''}"
            elif tag == _FIELD_MARK:
                self._field_mark(child.get(_W + "fldCharType"), text)
                self._inline(child, text)
            elif tag == _ALTERNATIVES:
                self._inline(_alternative(child), text)
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
            self._fields.append(["", len(text)])
        elif self._fields and kind == "separate":
            self._fields[-1][1] = len(text)
        elif self._fields and kind == "end":
            code, start = self._fields.pop()
            if self._recomputed and str(code).split()[:1] and str(code).split()[0].upper() in _RECOMPUTED:
                del text[int(start) :]

    def _table(self, table: Element) -> Rows:
        return [[self._cell(cell) for cell in _inner(row, _W + "tc")] for row in _inner(table, _W + "tr")]

    def _cell(self, cell: Element) -> str:
        self._count_block()
        return self.lines(cell)

    def _count_block(self) -> None:
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
        """Keeps what was deleted; deletions with nothing left standing between them are one."""
        if self._in_deletion:
            text.append(removed)
            return
        place = (id(text), len(text))
        if place == self._deletion_end and self.deleted:
            self.deleted[-1] += removed
        elif removed:
            self.deleted.append(removed)
        self._deletion_end = place

    def _imported(self, element: Element) -> Iterable[str | Rows]:
        if self._chunk is None:
            raise NoteError(Reason.UNSUPPORTED, "a document imported into an imported document")
        return self._chunk(element.get(_R + "id", ""))


def lines_of(blocks: Iterable[str | Rows]) -> Iterator[str]:
    """A line for each paragraph and each row of a table, tabs between cells."""
    for block in blocks:
        if isinstance(block, str):
            yield block
        else:
            yield from ("\t".join(cells) for cells in block)


def _inner(element: Element, wanted: str) -> Iterator[Element]:
    """The rows of a table or cells of a row, also those that content controls or tracked changes wrap."""
    for child in element:
        if child.tag == wanted:
            yield child
        elif child.tag == _ALTERNATIVES:
            yield from _inner(_alternative(child), wanted)
        elif child.tag not in _SKIPPED:
            yield from _inner(child, wanted)


def _alternative(element: Element) -> Element:
    """The first alternative that holds text; they are renderings of the same content for older and newer programs."""
    branches = list(element)
    if not branches:
        return element
    return next((b for b in branches if next(b.iter(*_VISIBLE), None) is not None), branches[0])


def _is_inline(element: Element) -> bool:
    """Whether paragraphs below are those of a text box in a run and not the element's own."""
    return element.tag in (_RUN, _W + "hyperlink", _W + "fldSimple", _W + "pict", _W + "object", _W + "drawing")


def _symbol(element: Element) -> str:
    try:
        return chr(int(element.get(_W + "char", ""), 16))
    except (ValueError, OverflowError):
        return "\N{REPLACEMENT CHARACTER}"


def _chosen(element: Element) -> str:
    """The entry of a drop-down form field that is shown; the field has no result of its own."""
    entries = [entry.get(_W + "val", "") for entry in element.iterchildren(_W + "listEntry")]
    for tag in ("result", "default"):
        number = element.find(_W + tag)
        if number is not None and (value := number.get(_W + "val", "")).isdecimal() and int(value) < len(entries):
            return entries[int(value)]
    return entries[0] if entries else ""
